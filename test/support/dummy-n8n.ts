import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Thing {
  kind: 'workflow' | 'credential';
  id: string;
  name: string;
  active: boolean;
  nodes: { type: string; disabled?: boolean; parameters: { path?: string; httpMethod?: string } }[];
  body: unknown;
}

/** What it does with a request to its API in place of doing it; null: it does it. */
export type Trouble = (asked: string, times: number) => Reaction | null;
/** `isPage`: as a proxy says it, or n8n before its API has its routes. */
type Reaction =
  { status: number; isPage?: boolean } | 'no answer, and done' | 'no answer, not done';

export interface DummyN8n {
  url: string;
  things: Thing[];
  /** `POST /workflows`, of its API; with the ids left out. */
  asked: string[];
  /** Requests to its webhooks, in the order in which they came. */
  loaded: { method: string; path: string; headers: IncomingMessage['headers'] }[];
  /** From now on. */
  trouble: Trouble;
  isHealthy: boolean;
  close(): Promise<void>;
}

/** n8n's public API and its webhooks, for faults that the real one has only by bad luck. */
export async function startDummyN8n(trouble: Trouble = () => null): Promise<DummyN8n> {
  const things: Thing[] = [];
  let made = 0;
  const times = new Map<string, number>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { pathname } = new URL(request.url ?? '/', 'http://n8n');
      const method = request.method ?? '';
      const json = (status: number, body: unknown): void => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body));
      };
      if (pathname === '/healthz') {
        json(n8n.isHealthy ? 200 : 503, {});
        return;
      }
      if (pathname === '/metrics') {
        json(404, {});
        return;
      }
      if (!pathname.startsWith('/api/v1')) {
        n8n.loaded.push({ method, path: pathname, headers: request.headers });
        const isThere = things.some(
          ({ active, nodes }) =>
            active &&
            nodes.some(
              ({ type, disabled, parameters: { path, httpMethod = 'GET' } }) =>
                type === 'n8n-nodes-base.webhook' &&
                disabled !== true &&
                httpMethod === method &&
                `/webhook/${path ?? ''}` === pathname,
            ),
        );
        json(isThere ? 200 : 404, { headers: request.headers });
        return;
      }
      const [, list = '', id, action] = pathname.slice('/api/v1'.length).split('/');
      const asked = `${method} /${[list, id === undefined ? null : ':id', action].filter(Boolean).join('/')}`;
      n8n.asked.push(asked);
      const count = (times.get(asked) ?? 0) + 1;
      times.set(asked, count);
      const reaction = n8n.trouble(asked, count);
      if (reaction !== null && typeof reaction === 'object') {
        if (reaction.isPage === true)
          response.writeHead(reaction.status).end('<html>Not found</html>');
        else json(reaction.status, { message: 'in trouble' });
        return;
      }
      if (reaction === 'no answer, not done') {
        response.destroy();
        return;
      }
      const [status, body] = done(method, list, id, action, Buffer.concat(chunks).toString());
      if (reaction === 'no answer, and done') response.destroy();
      else json(status, body);
    });
  });

  function done(
    method: string,
    list: string,
    id: string | undefined,
    action: string | undefined,
    text: string,
  ): [number, unknown] {
    const kind = list === 'credentials' ? 'credential' : 'workflow';
    if (list === 'executions') return [200, { data: [], nextCursor: null }];
    if (id === undefined && method === 'GET') {
      return [200, { data: things.filter((each) => each.kind === kind) }];
    }
    if (id === undefined) {
      const body = JSON.parse(text) as { name: string; nodes?: Thing['nodes'] };
      made += 1;
      const thing: Thing = {
        ...{ kind, id: `id-${String(made)}`, name: body.name, active: false },
        ...{ nodes: body.nodes ?? [], body },
      };
      things.push(thing);
      return [200, thing];
    }
    const thing = things.find((each) => each.id === id && each.kind === kind);
    if (thing === undefined) return [404, { message: 'Not Found' }];
    if (action === 'activate' || action === 'deactivate') thing.active = action === 'activate';
    if (method === 'DELETE') things.splice(things.indexOf(thing), 1);
    return [200, thing];
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const n8n: DummyN8n = {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    ...{ things, asked: [], loaded: [], trouble, isHealthy: true },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return n8n;
}
