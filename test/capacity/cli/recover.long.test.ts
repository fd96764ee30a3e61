import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buildCli, endStartedClis, runCli } from '../../support/cli';

/** The command `recover` against an API that says what n8n 2.41 says. */

beforeAll(buildCli);
afterEach(endStartedClis);

const KEY = { N8N_API_KEY: 'a-key' };
const seen: string[] = [];
let server: Server;
let url: string;
const old = '2026-01-01T00:00:00.000Z';
const execution = (id: string, status: string, more: object = {}): object => ({
  ...{ id, status, mode: 'webhook', workflowId: 'w', retryOf: null, retrySuccessId: null },
  ...{ startedAt: old, stoppedAt: old, finished: false, waitTill: null, ...more },
});
const lost = execution('1', 'crashed');
const replies: Record<string, unknown> = {
  '/api/v1/workflows': {
    data: [{ id: 'w', name: 'Orders', settings: { saveDataSuccessExecution: 'all' } }],
    nextCursor: null,
  },
  '/api/v1/executions/1': {
    ...lost,
    data: { executionData: { nodeExecutionStack: [{ node: { name: 'Webhook' } }] } },
  },
  '/api/v1/executions/1/retry': { id: 7, status: 'success' },
};
beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://n8n');
    if (request.method !== 'GET') seen.push(`${request.method ?? ''} ${pathname}`);
    const isList = pathname === '/api/v1/executions';
    const data = searchParams.get('status') === 'crashed' ? [lost] : [];
    const reply = isList ? { data, nextCursor: null } : replies[pathname];
    response.writeHead(reply === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(reply ?? { message: 'Not Found' }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
afterAll(() => server.close());
beforeEach(() => {
  seen.length = 0;
});

const recover = (...more: string[]) =>
  runCli(['recover', '--url', url, '--since', '100000h', ...more], KEY);

test('without --retry it only lists, and nothing is lost without a word', async () => {
  const { code, stdout, stderr } = await recover();
  expect([code, seen]).toEqual([1, []]);
  expect(stderr).toMatch(/execution 1 of Orders: would be retried from Webhook \(attempt 1\)/);
  expect(stdout).toBe('1 lost and due for a retry, 0 left alone; nothing was retried\n');
});

test('with it, each decision is a line', async () => {
  const { code, stdout, stderr } = await recover('--retry');
  expect([code, seen]).toEqual([0, ['POST /api/v1/executions/1/retry']]);
  expect(stderr).toMatch(
    /execution 1 of Orders: attempt 1 from Webhook: recovered: by execution 7/,
  );
  expect(stdout).toBe('1 lost and due for a retry, 0 left alone; 1 recovered\n');
});

test.each([
  { more: ['--url', 'n8n.example.com'], says: /write it like http/ },
  { more: ['--attempts', '0'], says: /--attempts/ },
])('what is written wrong is a sentence: $more', async ({ more, says }) => {
  const { code, stderr } = await runCli(['recover', '--url', url, ...more], KEY);
  expect([code, stderr.includes('    at ')]).toEqual([2, false]);
  expect(stderr).toMatch(says);
});

test('without a key it says which scopes it needs', async () => {
  const { code, stderr } = await runCli(['recover', '--url', url], { N8N_API_KEY: '' });
  expect(code).toBe(2);
  expect(stderr).toMatch(/set N8N_API_KEY to a key with the scopes workflow:list/);
});

test('an n8n that does not respond is a sentence, and not a success', async () => {
  const { code, stderr } = await runCli(['recover', '--url', 'http://127.0.0.1:9'], KEY);
  expect([code, stderr.includes('    at ')]).toEqual([3, false]);
  expect(stderr).toMatch(/the API of n8n at http:\/\/127.0.0.1:9 did not respond/);
});
