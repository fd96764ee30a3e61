import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A server whose behaviour is known beforehand, so that what a load test says about it can be held
 * against the truth. Everything is by count, nothing by chance: the same requests get the same replies.
 */
export interface Behaviour {
  latencyMs?: number;
  /** Every so many-th request fails with status 500. */
  errorEvery?: number;
  /** Every so many-th is answered 200 with a page that is not the reply. */
  wrongEvery?: number;
  /** Every so many-th is never answered. */
  hangEvery?: number;
  /** From the first request on, everything is 404 for so long. */
  notFoundForMs?: number;
}

export interface KnownServer {
  url: string;
  port: number;
  /** Without those of the first `notFoundForMs`. */
  seen: {
    right: number;
    errors: number;
    wrong: number;
    hung: number;
    notFound: number;
    ids: Set<string>;
    /** The body of the last request but those for its health and metrics, whatever its answer. */
    body: Buffer;
  };
  close(): Promise<void>;
}

export async function startKnownServer(behaviour: Behaviour = {}): Promise<KnownServer> {
  const { latencyMs = 0, notFoundForMs = 0 } = behaviour;
  const seen: KnownServer['seen'] = {
    right: 0,
    errors: 0,
    wrong: 0,
    hung: 0,
    notFound: 0,
    ids: new Set(),
    body: Buffer.alloc(0),
  };
  let firstAt: number | null = null;
  let count = 0;
  const isEvery = (every: number | undefined): boolean =>
    every !== undefined && every > 0 && count % every === 0;

  const answer = (request: IncomingMessage, response: ServerResponse, sent: Buffer): void => {
    // Asked once a second while there is a load, which it is not part of.
    if (request.url === '/healthz') {
      response.writeHead(200).end();
      return;
    }
    if (request.url === '/metrics') {
      response.writeHead(404).end();
      return;
    }
    seen.body = sent;
    const id = request.headers['x-load-id'];
    firstAt ??= Date.now();
    if (Date.now() - firstAt < notFoundForMs) {
      seen.notFound += 1;
      response.writeHead(404).end('{"message":"not registered"}');
      return;
    }
    count += 1;
    if (typeof id === 'string') seen.ids.add(id);
    if (isEvery(behaviour.hangEvery)) {
      seen.hung += 1;
      return;
    }
    const [kind, status, body] = isEvery(behaviour.errorEvery)
      ? (['errors', 500, '{"ok":true}'] as const)
      : isEvery(behaviour.wrongEvery)
        ? (['wrong', 200, '<html>the editor</html>'] as const)
        : (['right', 200, JSON.stringify({ ok: true, headers: { 'x-load-id': id } })] as const);
    seen[kind] += 1;
    setTimeout(() => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    }, latencyMs);
  };

  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      answer(request, response, Buffer.concat(chunks));
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}`,
    port,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
