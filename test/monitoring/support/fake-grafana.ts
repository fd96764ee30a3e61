import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Takes annotations as Grafana's HTTP API documents it; Grafana itself is in no package registry. */
export interface FakeGrafana {
  url: string;
  annotations: { time: number; timeEnd?: number; text: string; tags: string[] }[];
  close(): void;
}

export async function startFakeGrafana(token: string): Promise<FakeGrafana> {
  const annotations: FakeGrafana['annotations'] = [];
  const server = createServer((request, response) => {
    const answer = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.headers.authorization !== `Bearer ${token}`) {
        answer(401, { message: 'Unauthorized' });
      } else if (!request.url?.startsWith('/api/annotations')) {
        answer(404, { message: 'Not found' });
      } else if (request.method === 'GET') answer(200, annotations);
      else {
        annotations.push(
          JSON.parse(Buffer.concat(chunks).toString()) as FakeGrafana['annotations'][number],
        );
        answer(200, { message: 'Annotation added', id: annotations.length });
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    annotations,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
