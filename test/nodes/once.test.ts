import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { CLUSTER_READER_RIGHTS, ONCE_RIGHTS } from '../../credentials/QueueRedisApi.credentials';
import { repositoryRoot } from '../../cli/src/lab/paths';
import { Engine, type RunRequest, type RunResult } from './support/engine';
import { N8nHome, setUpOwner } from './support/n8n';
import { packNodes } from './support/package';
import { credential, RedisServers } from './support/redis';
import { isLong } from '../support/properties';
import { N8N_VERSION } from '../support/versions';
import { eventually, until } from '../support/wait';

jest.setTimeout(60_000);

const PRELOAD = join(repositoryRoot(), 'charts/n8n-tuned/files/preload');

const servers = new RedisServers();
let engine: Engine;
/** Another process of n8n. */
let other: Engine;
let port: number;
let redis: Redis;

beforeAll(async () => {
  [engine, other] = await Promise.all([Engine.start(), Engine.start()]);
  port = await servers.start();
  redis = new Redis({ port });
}, 60_000);
beforeEach(() => redis.flushall());
afterAll(async () => {
  redis.disconnect();
  await engine.stop();
  await other.stop();
  await servers.stopAll();
});

type Given = Partial<RunRequest> & { by?: Engine };
const run = ({ by = engine, ...more }: Given): Promise<RunResult> =>
  by.run({ node: 'once', parameters: {}, credential: credential({ port }), ...more });
const own = (ownKey: unknown, more = {}): Given => ({
  parameters: { operation: 'begin', knownBy: 'own', ownKey, ...more },
});
const store = (onceKey: unknown, items: RunRequest['items'] = [{ json: {} }]): Promise<RunResult> =>
  run({ parameters: { operation: 'store', onceKey, keepHours: 2 }, items });
const keysOf = ({ items, error }: RunResult): unknown[] => {
  if (error) throw new Error(error.message);
  return items.map(({ json }) => json['onceKey']);
};

test('a retry of a lost execution, and a retry of that, get the result that was stored', async () => {
  const items = [{ json: { order: 7 } }, { json: { order: 8 } }];
  const stored = await engine.ask('begun', { items });
  const first = await run({ stored, items, executionId: '1' });
  const keys = keysOf(first);
  expect(first.items.map(({ json }) => json['order'])).toEqual([7, 8]);
  expect(new Set(keys).size).toBe(2);
  expect(keys[0]).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  // The secret that resumes an execution is in no key that leaves n8n.
  const secret = (stored as { resumeToken: string }).resumeToken;
  expect(JSON.stringify([first, await redis.keys('*')])).not.toContain(secret);
  const result = [{ json: { paid: 'a' } }, { json: { paid: 'b' } }];
  expect((await store(keys[0], result)).items.map(({ json }) => json)).toEqual([
    { paid: 'a' },
    { paid: 'b' },
  ]);
  await store(keys[1], [{ json: { paid: 'c' } }]);
  for (const executionId of ['2', '3']) {
    const again = await run({ by: other, stored, items, executionId, mode: 'retry' });
    expect(again.items).toEqual([]);
    // The second output of the node.
    expect(again.errorItems).toEqual([
      { json: { paid: 'a' }, pairedItem: { item: 0 } },
      { json: { paid: 'b' }, pairedItem: { item: 0 } },
      { json: { paid: 'c' }, pairedItem: { item: 1 } },
    ]);
  }
  // Another execution of the same workflow is other work.
  const new_ = await run({ stored: await engine.ask('begun', { items }), executionId: '4' });
  expect(keysOf(new_)).not.toEqual(keys);
});

test('a run that n8n makes up after a crash does not change the key', async () => {
  const stored = (await engine.ask('begun', { items: [{ json: {} }] })) as {
    resultData: { runData: object };
  };
  const keys = keysOf(await run({ stored }));
  // The recovery of n8n leaves it for a node that had begun (execution-recovery.service.js).
  const json = { isArtificialRecoveredEventItem: true };
  const made = { startTime: 1, executionTime: 1, executionIndex: 1, source: [null] };
  const data = { main: [[{ json, pairedItem: null }]] };
  stored.resultData.runData = { 'Under Test': [{ ...made, data }] };
  expect(keysOf(await run({ stored, mode: 'retry' }))).toEqual(keys);
});

test('a claim without a result holds others back until its lease ends, and then the key is the same', async () => {
  const stored = await engine.ask('begun', { items: [{ json: {} }] });
  const parameters = { operation: 'begin', leaseSeconds: 2 };
  const [key] = keysOf(await run({ stored, parameters }));
  // The same run in the same process is n8n's Retry On Fail, and does not wait.
  expect(keysOf(await run({ stored, parameters }))).toEqual([key]);
  const left = await redis.pttl(`bull:once:${String(key)}:claim`);
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(2000);
  const again = await run({ by: other, stored, parameters, executionId: '2', mode: 'retry' });
  expect(keysOf(again)).toEqual([key]);
  expect(await redis.get(`bull:once:${String(key)}:claim`)).toMatch(/^2\/0\//);
});

test('a job that the queue gives to another process waits for the lease too', async () => {
  const parameters = { operation: 'begin', knownBy: 'own', ownKey: 'a', leaseSeconds: 3600 };
  const [key] = keysOf(await run({ parameters }));
  const waiting = run({ by: other, parameters });
  // It waits for as long as it is not stored, and then has the result.
  await store(key, [{ json: { done: true } }]);
  expect((await waiting).errorItems[0]?.json).toEqual({ done: true });
});

test('the first result counts, and is kept for as long as it is to be', async () => {
  const [key] = keysOf(await run(own('order-1')));
  await store(key, [{ json: { by: 'first' } }]);
  expect((await store(key, [{ json: { by: 'second' } }])).items).toEqual([
    { json: { by: 'first' }, pairedItem: { item: 0 } },
  ]);
  const left = await redis.pttl(`bull:once:${String(key)}:result`);
  expect(left).toBeGreaterThan(7_000_000);
  expect(left).toBeLessThanOrEqual(7_200_000);
  expect((await run({ ...own('order-1'), executionId: '9' })).errorItems[0]?.json).toEqual({
    by: 'first',
  });
});

const setUser = (admin: Redis, rights: string): Promise<unknown> => {
  const rule = `reset on >once-secret ${rights}`;
  // What is in parentheses is one word.
  return admin.call('ACL', 'SETUSER', 'once', ...(rule.match(/\([^)]*\)|\S+/g) ?? []));
};

test('a Cluster, too, keeps the result for a user with the documented rights', async () => {
  const ports = await servers.startCluster();
  const selector = ONCE_RIGHTS.replace(/^.*\(~bull/, '(~{bull}');
  for (const each of ports) {
    const admin = new Redis({ port: each });
    await setUser(admin, `${CLUSTER_READER_RIGHTS} ${selector}`);
    admin.disconnect();
  }
  const given = credential({
    ...{ mode: 'cluster', nodes: ports.map((each) => `127.0.0.1:${String(each)}`).join(',') },
    ...{ user: 'once', password: 'once-secret' },
  });
  const [key] = keysOf(await run({ ...own('c'), credential: given }));
  const parameters = { operation: 'store', onceKey: key, keepHours: 1 };
  const items = [{ json: { done: 1 } }];
  expect((await run({ parameters, items, credential: given })).error).toBeUndefined();
  const again = await run({ ...own('c'), credential: given, executionId: '2' });
  expect(again.errorItems[0]?.json).toEqual({ done: 1 });
});

test('the user of Redis with the documented rights can use it', async () => {
  await setUser(redis, ONCE_RIGHTS);
  const given = credential({ port, user: 'once', password: 'once-secret' });
  const [key] = keysOf(await run({ ...own('b'), credential: given }));
  const parameters = { operation: 'store', onceKey: key, keepHours: 1 };
  expect((await run({ parameters, credential: given })).status).toBe('success');
  const user = new Redis({
    ...{ port, username: 'once', password: 'once-secret', enableReadyCheck: false },
  });
  await expect(user.set('bull:jobs:id', '1')).rejects.toThrow(/NOPERM/);
  user.disconnect();
  await redis.call('ACL', 'SETUSER', 'reader', 'reset', 'on', '>x', '~bull:*', '+select');
  const refused = await run({
    ...own('b'),
    credential: credential({ port, user: 'reader', password: 'x' }),
  });
  expect(refused.error?.message).toMatch(/does not give this user the rights that this node takes/);
});

const binary = { file: { data: 'YQ==', mimeType: 'text/plain' } };
const KEY = '01234567-89ab-8def-8123-456789abcdef';
const wrong: [string, Given, RegExp][] = [
  ['an empty key', own(' '), /^'Own Key' is empty/],
  ['a key that is no text', own('={{ {} }}'), /^'Own Key' is empty/],
  ['a long key', own('x'.repeat(513)), /^'Own Key' has 513 characters, but at most 512 fit$/],
  ['a lease of days', own('a', { leaseSeconds: 86_400 }), /^'Lease \(Seconds\)' must be from 1/],
  [
    'two items of one key',
    { ...own('a'), items: [{ json: {} }, { json: {} }] },
    /^The items 0 and 1 have the same key/,
  ],
  ['a sub-workflow', { mode: 'integrated' }, /^In a sub-workflow, choose 'Own Key'/],
  ['an unknown operation', { parameters: { operation: 'undo' } }, /^'Operation' must be one of/],
  [
    'a key that is not of Begin',
    { parameters: { operation: 'store', onceKey: 'order-1' } },
    /^'Once Key' must be the field onceKey/,
  ],
  [
    'a large result',
    {
      parameters: { operation: 'store', onceKey: KEY },
      items: [{ json: { text: 'x'.repeat(300 * 1024) } }],
    },
    /^The result has 301 KiB, but Once stores at most 256 KiB: /,
  ],
  [
    'binary data',
    { parameters: { operation: 'store', onceKey: KEY }, items: [{ json: {}, binary }] },
    /^Item 0 has binary data, which Once does not store/,
  ],
];

test.each(wrong)(
  '%s is refused in one sentence, and nothing is stored',
  async (_name, given, says) => {
    const { error } = await run(given);
    expect(error?.name).toBe('NodeOperationError');
    expect(error?.message).toMatch(says);
    expect(await redis.keys('*')).toEqual([]);
  },
);

if (isLong) {
  const lockMs = { QUEUE_WORKER_LOCK_DURATION: '8000', QUEUE_WORKER_LOCK_RENEW_TIME: '2000' };
  const killed = [
    ['main', 'crashed', () => ({})],
    [
      'worker',
      'error',
      () => ({
        ...{ EXECUTIONS_MODE: 'queue', QUEUE_BULL_REDIS_HOST: '127.0.0.1', ...lockMs },
        ...{ QUEUE_BULL_REDIS_PORT: String(port), QUEUE_WORKER_STALLED_INTERVAL: '3000' },
        // What a stalled job had is overwritten without it.
        NODE_OPTIONS: `--require ${join(PRELOAD, 'keep-stalled.cjs')}`,
      }),
    ],
  ] as const;

  test.each(killed)(
    'after the %s was killed, a retry repeats what was not stored, with the same Idempotency-Key, and nothing else',
    async (who, status, env) => {
      const folder = mkdtempSync(join(tmpdir(), 'n8n-once-test-'));
      const seen: { id: string; key: unknown }[] = [];
      let holds = true;
      const receiver: Server = createServer((request, response) => {
        const id = (request.url ?? '').slice(1);
        seen.push({ id, key: request.headers['idempotency-key'] });
        // The effect is there, and the caller does not hear of it.
        if (holds && id !== 'stored') return;
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ id }));
      });
      await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
      const at = (receiver.address() as AddressInfo).port;
      const home = new N8nHome(N8N_VERSION, { N8N_DISABLE_UI: 'true', ...env() });
      try {
        home.installTarballs(packNodes(folder));
        home.import('credentials', [
          { id: 'redis', name: 'Redis', type: 'queueRedisApi', data: credential({ port }) },
        ]);
        home.import('workflow', [onceWorkflow(at)]);
        home.activate(['once']);
        const url = await home.start();
        if (who === 'worker') await home.start(['worker']);
        const cookie = await setUpOwner(url, { email: 'owner@example.com', password: 'Passw0rd!' });
        for (const id of ['stored', 'no-response']) {
          await eventually(async () => (await fetch(`${url}/webhook/once?id=${id}`)).ok);
        }
        await eventually(
          async () => (await redis.keys('*:result')).length === 1 && seen.length === 3,
          60_000,
        );
        await home.kill(who === 'main' ? 'start' : 'worker');
        holds = false;
        const started = await home.start([who === 'main' ? 'start' : 'worker']);
        const anew = who === 'main' ? started : url;
        const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
          const response = await fetch(`${anew}/rest${path}`, {
            ...{ method, headers: { 'content-type': 'application/json', cookie } },
            ...(body && { body: JSON.stringify(body) }),
          });
          return ((await response.json()) as { data: unknown }).data;
        };
        const lost = await until(
          'two lost executions',
          async () => {
            const listed = (await ask('GET', '/executions')) as {
              results?: { id: string; status: string }[];
            } | null;
            const found = (listed?.results ?? []).filter((each) => each.status === status);
            return found.length === 2 ? found : null;
          },
          120_000,
        );
        const retried = await Promise.all(
          lost.map(({ id }) => ask('POST', `/executions/${id}/retry`, { loadWorkflow: false })),
        );
        expect(retried).toEqual([expect.objectContaining({}), expect.objectContaining({})]);
        await eventually(async () => (await redis.keys('*:result')).length === 2, 60_000);
        const of = (wanted: string): unknown[] =>
          seen.filter(({ id }) => id === wanted).map(({ key }) => key);
        expect(of('stored')).toEqual([expect.any(String)]);
        const [before, after, ...rest] = of('no-response');
        expect(after).toBe(before);
        expect(rest).toEqual([]);
        expect(before).not.toBe(of('stored')[0]);
      } finally {
        await home.stop();
        receiver.closeAllConnections();
        receiver.close();
        rmSync(folder, { recursive: true, force: true });
      }
    },
    600_000,
  );
}

/** Webhook, Begin, HTTP Request with the key as a header, Store, and a request in which n8n is killed. */
function onceWorkflow(at: number): object {
  const credentials = { queueRedisApi: { id: 'redis', name: 'Redis' } };
  const once = 'n8n-nodes-queue-monitor.once';
  const nodes = [
    {
      ...{ name: 'Webhook', type: 'n8n-nodes-base.webhook', typeVersion: 1, webhookId: 'once' },
      parameters: { path: 'once', responseMode: 'onReceived' },
    },
    {
      ...{ name: 'Begin', type: once, typeVersion: 1, credentials },
      parameters: { operation: 'begin', knownBy: 'execution', leaseSeconds: 5 },
    },
    {
      ...{ name: 'HTTP Request', type: 'n8n-nodes-base.httpRequest', typeVersion: 4.2 },
      parameters: {
        url: `=http://127.0.0.1:${String(at)}/{{ $json.query.id }}`,
        sendHeaders: true,
        headerParameters: {
          parameters: [{ name: 'Idempotency-Key', value: '={{ $json.onceKey }}' }],
        },
      },
    },
    {
      ...{ name: 'Store', type: once, typeVersion: 1, credentials },
      parameters: { operation: 'store', onceKey: "={{ $('Begin').item.json.onceKey }}" },
    },
    {
      ...{ name: 'Hold', type: 'n8n-nodes-base.httpRequest', typeVersion: 4.2 },
      parameters: { url: `http://127.0.0.1:${String(at)}/held` },
    },
  ].map((node, index) => ({ id: `n${String(index)}`, position: [200 * index, 0], ...node }));
  const to = (node: string): object[] => [{ node, type: 'main', index: 0 }];
  return {
    ...{ id: 'once', name: 'once', active: false, versionId: 'once', staticData: null, nodes },
    settings: { executionOrder: 'v1' },
    connections: {
      Webhook: { main: [to('Begin')] },
      Begin: { main: [to('HTTP Request'), to('Hold')] },
      'HTTP Request': { main: [to('Store')] },
      Store: { main: [to('Hold')] },
    },
  };
}
