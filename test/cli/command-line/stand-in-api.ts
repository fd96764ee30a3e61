/** Says what the public API of n8n 2.41 says where one execution is lost, and keeps what it is asked. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StandInApi {
  url: string;
  /** Method and path of each request, in their order. */
  asked: string[];
  end(): Promise<void>;
}

const old = '2026-01-01T00:00:00.000Z';
const execution = (id: string, status: string): object => ({
  ...{ id, status, mode: 'webhook', workflowId: 'w', retryOf: null, retrySuccessId: null },
  ...{ startedAt: old, stoppedAt: old, finished: false, waitTill: null },
});
const lost = execution('1', 'crashed');

export const EXECUTIONS = '/api/v1/executions';
export const RETRY = `${EXECUTIONS}/1/retry`;
const replies: Record<string, unknown> = {
  '/api/v1/workflows': {
    data: [{ id: 'w', name: 'Orders', settings: { saveDataSuccessExecution: 'all' } }],
    nextCursor: null,
  },
  [`${EXECUTIONS}/1`]: {
    ...lost,
    data: { executionData: { nodeExecutionStack: [{ node: { name: 'Webhook' } }] } },
  },
  [RETRY]: { id: 7, status: 'success' },
};

/** `silentAt`: the path of what is never answered. */
export async function standInApi(silentAt: string | null = null): Promise<StandInApi> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://n8n');
    asked.push(`${request.method ?? ''} ${pathname}`);
    if (pathname === silentAt) return;
    const data = searchParams.get('status') === 'crashed' ? [lost] : [];
    const reply = pathname === EXECUTIONS ? { data, nextCursor: null } : replies[pathname];
    response.writeHead(reply === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(reply ?? { message: 'Not Found' }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    asked,
    end: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
