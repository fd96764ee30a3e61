/** Lists of n8n's API end, whatever the server says of the next page. */
import { apiBacklog } from '../../../cli/src/targets/url/backlog';
import { rowsOf } from '../../../cli/src/targets/url/pages';
import { traceFromNow } from '../../../cli/src/targets/url/trace';
import { RecoveryApi } from '../../../cli/src/features/recover/n8n';
import type { N8nApi } from '../../../cli/src/targets/url/api';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newOwnersKey } from '../../../cli/src/targets/url/owner';
import type { ExecutionsSeen } from '../../../cli/src/analysis/traced-execution';
import { STALLED } from '../../../cli/src/analysis/n8n-execution';

/** Each list has one page, whose cursor is this one. */
function serverWith(cursor: { nextCursor?: unknown }): { api: N8nApi; asked: string[] } {
  const asked: string[] = [];
  const ask = (_: string, path: string): Promise<unknown> => {
    asked.push(path);
    if (asked.length > 50) throw new Error('asked again and again');
    return Promise.resolve({ data: [], ...cursor });
  };
  return { api: { newestExecution: () => Promise.resolve(0), ask } as unknown as N8nApi, asked };
}

const readers: [string, (api: N8nApi) => Promise<unknown>][] = [
  ['the trace of a run', async (api) => (await traceFromNow(api)).read('run', 1000)],
  ['the backlog', async (api) => (await apiBacklog(api)).open()],
  ['the workflows of recovery', (api) => new RecoveryApi(api).workflowsTagged('recover')],
  ['the executions of recovery', (api) => new RecoveryApi(api).executionsOf('w', { sinceMs: 0 })],
];
const cursors = [
  {},
  { nextCursor: null },
  { nextCursor: undefined },
  { nextCursor: '' },
  { nextCursor: 7 },
];

describe.each(readers)('%s', (_, read) => {
  test.each(cursors)('ends with %j', async (cursor) => {
    const { api, asked } = serverWith(cursor);
    await read(api);
    expect(asked.filter((path) => path.includes('cursor='))).toEqual([]);
  });

  test('ends where the server repeats a cursor', async () => {
    const { api, asked } = serverWith({ nextCursor: 'again' });
    await read(api);
    expect(asked.length).toBeLessThan(20);
  });
});

test('a list without rows is told, and so is one without an end', async () => {
  const all = async (reply: (page: number) => unknown): Promise<number> => {
    let page = 0;
    const ask = (): Promise<unknown> => Promise.resolve(reply((page += 1)));
    for await (const row of rowsOf({ ask } as unknown as N8nApi, '/x?a=1', { size: 2 })) void row;
    return page;
  };
  expect(await all((page) => ({ data: [], nextCursor: page < 3 ? String(page) : null }))).toBe(3);
  await expect(all(() => 'a page')).rejects.toThrow('the n8n API returned no list at /x?a=1');
  await expect(all(() => null)).rejects.toThrow('returned no list');
  await expect(all((page) => ({ data: [], nextCursor: String(page) }))).rejects.toThrow(
    'more than 10000 pages at /x?a=1',
  );
});

const OWNER = { email: 'owner@example.com', password: 'Load-test-1' };

/** The key that an n8n gives which answers the first requests with `statuses`. */
async function keyAfter(...statuses: number[]): Promise<{ asked: string[]; key: string }> {
  const asked: string[] = [];
  const n8n = createServer((request, response) => {
    asked.push(`${String(request.url)} as ${request.headers.cookie || 'nobody'}`);
    response.statusCode = statuses.shift() ?? 200;
    response.setHeader('set-cookie', 'n8n-auth=owner; HttpOnly');
    response.end(JSON.stringify({ data: { rawApiKey: 'the key' } }));
  });
  await once(n8n.listen(0, '127.0.0.1'), 'listening');
  const { port } = n8n.address() as AddressInfo;
  try {
    const key = await newOwnersKey(`http://127.0.0.1:${String(port)}`, OWNER, ['workflow:list']);
    return { asked, key };
  } finally {
    n8n.closeAllConnections();
    n8n.close();
  }
}

test('an n8n that has no routes for its editor yet is asked again', async () => {
  expect(await keyAfter(404, 404)).toEqual({
    asked: [...Array<string>(3).fill('/rest/login as nobody'), '/rest/api-keys as n8n-auth=owner'],
    key: 'the key',
  });
});

test('an n8n that refuses the owner is not asked again', async () => {
  await expect(keyAfter(401)).rejects.toThrow('n8n refused /login with status 401');
});

/** Executions as n8n's API shows them, one by one. */

const failed = (id: number, message: string): object => ({
  ...{ id, mode: 'webhook', status: 'error', finished: false },
  stoppedAt: '2026-11-21T10:00:00.000Z',
  data: { resultData: { error: { message } }, headers: { 'x-load-id': `run-${String(id)}` } },
});

async function traced(data: readonly object[]): Promise<ExecutionsSeen> {
  const api = {
    newestExecution: () => Promise.resolve(1),
    ask: (_: string, path: string) =>
      Promise.resolve({ data: path.includes('status=running') ? [] : data, nextCursor: null }),
  } as unknown as N8nApi;
  return (await traceFromNow(api)).read('run', 1000);
}

test('one whose job has stalled has crashed, one that failed by itself has not', async () => {
  const data = [failed(3, STALLED), failed(2, `another n8n says: ${STALLED}`)];
  const { executions } = await traced(data);
  expect(executions).toMatchObject([
    { loadId: 'run-3', outcome: 'failed', hasCrashed: true },
    { loadId: 'run-2', outcome: 'failed' },
  ]);
  expect(executions[1]).not.toHaveProperty('hasCrashed');
});

test('one that failed at a node says so, also where its task runner died', async () => {
  const ofNode = (id: number, error: object): object => ({
    ...failed(id, ''),
    data: { resultData: { error, runData: { Work: [{ error }] } }, id: `run-${String(id)}` },
  });
  const { executions } = await traced([
    ofNode(3, { message: 'the service is away', node: { name: 'Work' } }),
    ofNode(2, { message: 'Node execution failed', runnerId: 'r1' }),
  ]);
  expect(executions.map(({ hasFailedNode }) => hasFailedNode)).toEqual([true, undefined]);
});

test('a retry runs a request again, and what another execution calls belongs to no request', async () => {
  const data = ['retry', 'integrated'].map((mode, at) => ({ ...failed(5 - at, 'any'), mode }));
  const { executions } = await traced(data);
  expect(executions).toMatchObject([{ loadId: null, retryFor: 'run-5' }, { loadId: null }]);
  expect(executions[1]).not.toHaveProperty('retryFor');
});

test('an id ends before an escaped quote, as in an error that has what was to be stored', async () => {
  const { executions } = await traced([failed(4, 'UPDATE with ["run-4","done"]')]);
  expect(executions).toMatchObject([{ loadId: 'run-4' }]);
});
