// What a process that has accepted executions makes of a Redis that comes back empty, with n8n's own queue and a real Redis.
import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { n8nFolder, node24 } from '../../nodes/support/lab';
import { RedisServers } from '../../nodes/support/redis';
import { chart } from '../support/helm.ts';
import { testOf } from '../support/preload-folder';
import { N8N_VERSION } from '../../support/versions';
import { eventually, pause } from '../../support/wait';

jest.setTimeout(240_000);

const SCRIPT = join(chart, 'files/preload/requeue-lost.cjs');
const HOST = join(__dirname, '../support/requeue-host.cjs');
/** Bull looks after its jobs every 5 s as well. */
const FASTER = join(__dirname, '../support/faster.cjs');
const WITHOUT = { N8N_TUNED_WITHOUT: 'requeue-lost' };
/** Two looks at the jobs, and some more. */
const LOOKED_MS = 2000;

interface Told {
  ready?: boolean;
  queued?: string;
  id?: string;
  worked?: string;
  ended?: string;
  said?: string;
  reads?: number;
}

const servers = new RedisServers();
let port: number;
let redis: Redis;
let host: ChildProcess;
let told: Told[] = [];

beforeAll(async () => {
  port = await servers.start();
  redis = new Redis({ port });
});
afterAll(async () => {
  redis.disconnect();
  await servers.stopAll();
});
beforeEach(() => redis.flushall());
afterEach(() => host.kill('SIGKILL'));

async function start(env: Record<string, string> = {}): Promise<void> {
  const manifest = join(n8nFolder(N8N_VERSION), 'package.json');
  told = [];
  host = fork(HOST, [manifest, String(port)], {
    ...{ env, execPath: node24() },
    execArgv: ['--no-deprecation', '--require', FASTER, '--require', SCRIPT],
    stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
  });
  host.on('message', (message) => told.push(message as Told));
  // n8n's modules take seconds to load, and a busy machine much longer.
  await eventually(() => told.some(({ ready }) => ready === true), 180_000);
}

const tell = (what: string, more: object = {}): boolean => host.send({ what, ...more });
const worked = (): string[] => told.flatMap((one) => one.worked ?? []).toSorted();
const ends = (): Record<string, string | undefined> =>
  Object.fromEntries(
    told.flatMap(({ ended, said }) => (ended === undefined ? [] : [[ended, said]])),
  );

async function queue(...ids: string[]): Promise<void> {
  for (const executionId of ids) tell('add', { executionId });
  const queued = (): number => told.filter((one) => ids.includes(one.queued ?? '')).length;
  await eventually(() => queued() === ids.length);
}

const have = (status: string, ...ids: string[]): void => {
  for (const executionId of ids) tell('status', { executionId, status });
};

async function reads(): Promise<number | undefined> {
  tell('reads');
  await eventually(() => told.some((one) => one.reads !== undefined));
  return told.findLast((one) => one.reads !== undefined)?.reads;
}

testOf('requeue-lost')(
  'n8n alone takes the end of a later job for that of a lost one',
  async () => {
    await start(WITHOUT);
    await queue('17');
    await redis.flushall();
    await queue('18');
    tell('work');
    await eventually(() => Object.keys(ends()).length === 2);
    expect(ends()).toEqual({ 17: 'completed', 18: 'completed' });
    expect(worked()).toEqual(['18']);
  },
);

testOf('requeue-lost')(
  'an execution that has not begun gets its job again, and is executed once',
  async () => {
    await start();
    await queue('17');
    await redis.flushall();
    await queue('18');
    tell('work');
    await eventually(() => Object.keys(ends()).length === 2);
    await pause(LOOKED_MS, 'the time of several looks');
    expect(ends()).toEqual({ 17: 'completed', 18: 'completed' });
    expect(worked()).toEqual(['17', '18']);
  },
);

testOf('requeue-lost')(
  'an execution that a worker runs is not queued again while a slow database still has it as not begun',
  async () => {
    await start();
    await queue('17', '18');
    await redis.flushall();
    await redis.zadd('n8n-tuned:{bull}:alive', Date.now() + 600_000, '17', Date.now() - 1, '18');
    tell('work');
    await eventually(() => worked().length === 1);
    await pause(LOOKED_MS, 'the time of several looks');
    expect(worked()).toEqual(['18']);
    // Its worker has died since.
    await redis.zadd('n8n-tuned:{bull}:alive', Date.now() - 1, '17');
    await eventually(() => Object.keys(ends()).length === 2);
    expect(worked()).toEqual(['17', '18']);
  },
);

testOf('requeue-lost')(
  'ids of jobs go on where Redis has some, and never come again where it has none',
  async () => {
    await redis.set('bull:jobs:id', 41);
    await start();
    await queue('1', '2');
    await redis.flushall();
    await queue('3');
    await redis.flushall();
    // What was lost is put back first.
    await eventually(async () => (await redis.llen('bull:jobs:wait')) === 3);
    await queue('4');
    const ids = told.flatMap(({ id }) => (id === undefined ? [] : [Number(id)]));
    expect(ids.slice(0, 2)).toEqual([42, 43]);
    expect(ids.toSorted((a, b) => a - b)).toEqual(ids);
    expect(new Set(ids).size).toBe(4);
  },
);

testOf('requeue-lost')(
  'one that has begun is not queued again, and its end is told when the database has it',
  async () => {
    await start();
    await queue('1', '2', '3', '4', '5');
    have('running', '1', '2', '3', '4');
    have('canceled', '5');
    await redis.flushall();
    await pause(LOOKED_MS, 'the time of several looks');
    expect(ends()).toEqual({});
    have('success', '1');
    have('error', '2');
    have('crashed', '3');
    await eventually(() => Object.keys(ends()).length === 3);
    const stalled = 'job stalled more than maxStalledCount';
    expect(ends()).toEqual({ 1: 'completed', 2: 'completed', 3: stalled });
    expect(await redis.keys('bull:jobs:[0-9]*')).toEqual([]);
  },
);

testOf('requeue-lost')(
  'an execution that has not begun fails where an operator says that the queue was emptied on purpose',
  async () => {
    await start();
    await queue('17');
    await redis.flushall();
    await redis.set('bull:jobs:emptied', 1, 'EX', 120);
    tell('work');
    await eventually(() => Object.keys(ends()).length === 1);
    expect(ends()).toEqual({ 17: 'the queue was emptied' });
    expect(worked()).toEqual([]);
    await redis.del('bull:jobs:emptied');
    await pause(LOOKED_MS, 'the time of several looks');
    expect(await redis.llen('bull:jobs:wait')).toBe(0);
  },
);

testOf('requeue-lost')('while jobs wait in Redis, the database is not asked', async () => {
  await start();
  await queue('1', '2');
  await pause(LOOKED_MS, 'the time of several looks');
  expect(await reads()).toBe(0);
  tell('work');
  await eventually(() => Object.keys(ends()).length === 2);
});

testOf('requeue-lost')('a look asks the database once, however many jobs are gone', async () => {
  await start();
  const ids = Array.from({ length: 300 }, (_, index) => String(index + 1));
  await queue(...ids);
  have('running', ...ids);
  await redis.flushall();
  await pause(LOOKED_MS, 'the time of several looks');
  const asked = await reads();
  expect(asked).toBeGreaterThan(0);
  // A look every half second.
  expect(asked).toBeLessThan(20);
});

testOf('requeue-lost')(
  'each execution that had not begun is executed once, whatever the others are',
  async () => {
    await start();
    const statuses = fc.sample(
      fc.constantFrom('new', 'running', 'success', 'error', 'waiting', 'crashed', 'canceled'),
      600,
    );
    const ids = statuses.map((_, index) => String(index + 1));
    await queue(...ids);
    statuses.forEach((status, index) => have(status, String(index + 1)));
    await redis.flushall();
    tell('work');
    const which = (...some: string[]): string[] =>
      ids.filter((_, index) => some.includes(statuses[index] ?? '')).toSorted();
    const ended = which('new', 'success', 'error', 'waiting', 'crashed');
    await eventually(() => Object.keys(ends()).length >= ended.length);
    await pause(LOOKED_MS, 'the time of several looks');
    expect(Object.keys(ends()).toSorted()).toEqual(ended);
    expect(worked()).toEqual(which('new'));
  },
);
