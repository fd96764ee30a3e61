import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { Engine, type Item } from './support/engine';
import { N8nHome, webhookWorkflow } from './support/n8n';
import { LOAD_TARGET, packNodes, QUEUE_MONITOR } from './support/package';
import { credential, RedisServers } from './support/redis';
import { N8N_VERSION } from '../support/versions';
import { eventually } from '../support/wait';

const JOBS = 40;
const servers = new RedisServers();
/** Ends what was started, the last first, however far it came. */
const closing: (() => unknown)[] = [() => servers.stopAll()];
let folder: string;
let engine: Engine;
let redis: Redis;
let home: N8nHome;
let url: string;
let redisPort: number;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-queue-test-'));
  closing.push(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const packages = packNodes(folder);
  engine = await Engine.start();
  closing.push(() => engine.stop());
  redisPort = await servers.start(['--requirepass', 'secret'], { password: 'secret' });
  redis = new Redis({ port: redisPort, password: 'secret' });
  closing.push(() => {
    redis.disconnect();
  });
  home = new N8nHome(N8N_VERSION, {
    ...{
      EXECUTIONS_MODE: 'queue',
      QUEUE_BULL_REDIS_HOST: '127.0.0.1',
      QUEUE_BULL_PREFIX: 'tested',
    },
    ...{ QUEUE_BULL_REDIS_PORT: String(redisPort), QUEUE_BULL_REDIS_PASSWORD: 'secret' },
    N8N_DISABLE_UI: 'true',
  });
  closing.push(() => home.stop());
  home.installTarballs(packages);
  const type = `${LOAD_TARGET}.loadTarget`;
  home.import('credentials', [
    { id: 'queue-redis', name: 'Queue', type: 'queueRedisApi', data: given() },
  ]);
  home.import('workflow', [
    webhookWorkflow('slow', { type, parameters: { operation: 'wait', waitMs: 300 } }, 'onReceived'),
    webhookWorkflow('where', { type, parameters: { operation: 'wait', waitMs: 0 } }),
    webhookWorkflow('drained', {
      type: `${QUEUE_MONITOR}.queueMonitor`,
      parameters: { operation: 'waitUntilDrained', pollMs: 200, timeoutSeconds: 100 },
      credentials: { queueRedisApi: { id: 'queue-redis', name: 'Queue' } },
    }),
  ]);
  home.activate(['slow', 'where', 'drained']);
  url = await home.start(['start']);
}, 300_000);

afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

const given = (): Record<string, unknown> =>
  credential({ port: redisPort, password: 'secret', prefix: 'tested' });

async function measured(): Promise<Item['json']> {
  const { items, error } = await engine.run({
    ...{ node: 'queueMonitor', parameters: {}, credential: given() },
  });
  if (error) throw new Error(error.message);
  return items[0]?.json ?? {};
}

/** Both at one moment: a job that moves between two looks would count twice. */
async function inRedis(): Promise<{ waiting: number; active: number }> {
  const counted = await redis.multi().llen('tested:jobs:wait').llen('tested:jobs:active').exec();
  const [waiting, active] = (counted ?? []).map(([, count]) => Number(count));
  return { waiting: waiting ?? NaN, active: active ?? NaN };
}

const total = ({ waiting, active }: { waiting?: unknown; active?: unknown }): number =>
  Number(waiting) + Number(active);

test('a backlog is seen as Redis holds it, is worked off, and drains to 0', async () => {
  await eventually(async () => (await fetch(`${url}/webhook/slow`)).ok, 60_000);
  // It answers before the job is in the queue.
  for (let jobs = 1; jobs < JOBS; jobs += 1) await fetch(`${url}/webhook/slow`);
  await eventually(async () => (await inRedis()).waiting === JOBS, 60_000);

  // No worker yet, so nothing moves and the numbers must be equal.
  const still = await inRedis();
  const backlog = await measured();
  expect(backlog).toMatchObject({ ...still, delayed: 0, failed: 0, workers: 0 });
  expect(still).toEqual({ waiting: JOBS, active: 0 });
  expect(backlog['delayed']).toBe(await redis.zcard('tested:jobs:delayed'));
  expect(backlog['failed']).toBe(await redis.zcard('tested:jobs:failed'));
  expect(backlog['completed']).toBe(await redis.zcard('tested:jobs:completed'));
  expect(backlog['oldestWaitingSeconds']).toBeGreaterThan(0);

  await home.start(['worker', '--concurrency=5']);
  await eventually(async () => (await measured())['workers'] === 1, 60_000);
  // While it shrinks, each measure lies between what Redis held just before and just after it.
  await eventually(async () => {
    const before = total(await inRedis());
    const now = total(await measured());
    const after = total(await inRedis());
    expect(now).toBeLessThanOrEqual(before);
    expect(now).toBeGreaterThanOrEqual(after);
    return now === 0;
  }, 180_000);
  expect(await measured()).toMatchObject({ waiting: 0, active: 0, oldestWaitingSeconds: 0 });
}, 180_000);

test('Load Target says that a worker ran it', async () => {
  const answer: unknown = await (await fetch(`${url}/webhook/where`)).json();
  expect(answer).toMatchObject({ ranBy: { role: 'worker', n8nVersion: N8N_VERSION } });
}, 60_000);

test('Wait Until Drained on a worker does not wait for itself', async () => {
  for (let i = 0; i < 10; i += 1) await fetch(`${url}/webhook/slow`);
  const answer: unknown = await (await fetch(`${url}/webhook/drained`)).json();
  expect(answer).toMatchObject({ waiting: 0, active: 1, ownJobActive: true });
}, 120_000);

test('the password is in no log', () => {
  expect(home.log('start') + home.log('worker')).not.toContain('secret');
});
