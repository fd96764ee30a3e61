// What a worker does with its jobs when it has to end, with the Bull of a real n8n and a real Redis.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { n8nFolder, node18, node24 } from '../../nodes/support/lab';
import { RedisServers } from '../../nodes/support/redis';
import { chart } from '../support/helm.ts';
import { N8N_LEGACY_VERSION, N8N_VERSION } from '../../support/versions';
import { eventually, pause } from '../../support/wait';

jest.setTimeout(120_000);

const SLOTS = 2;

/** It ends as n8n's worker does, which waits for the jobs that it has begun, and those only. */
const WORKER = `
  const load = require('module').createRequire(process.argv[1]);
  const Redis = load('ioredis');
  const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  import(load.resolve('bull')).then(async ({ default: Queue }) => {
    const queue = new Queue('jobs', {
      prefix: 'bull',
      settings: { maxStalledCount: 0 },
      createClient: () =>
        new Redis({ port: process.argv[2], enableReadyCheck: false, maxRetriesPerRequest: null }),
    });
    let isClosed = false;
    const running = new Set();
    void queue.process('job', ${String(SLOTS)}, async (job) => {
      await sleep(job.data.readingMs);
      running.add(job.id);
      await sleep(job.data.ms);
      running.delete(job.id);
      if (isClosed) throw new Error('closed');
    });
    process.once('SIGTERM', async () => {
      await queue.pause(true, true);
      while (running.size > 0) await sleep(50);
      isClosed = true;
      await sleep(500);
      process.exit(0);
    });
    await queue.isReady();
    console.log('ready');
  });
`;

interface Job {
  /** Until it counts as begun: n8n reads the execution from its database. */
  readingMs: number;
  ms: number;
}

interface Fates {
  waiting: number;
  /** Taken, and never heard of again. */
  lost: number;
  failed: number;
  completed: number;
}

const servers = new RedisServers();
let port: number;
let redis: Redis;
let worker: ChildProcess | undefined;

beforeAll(async () => {
  port = await servers.start();
  redis = new Redis({ port });
});
afterAll(async () => {
  redis.disconnect();
  await servers.stopAll();
});
afterEach(() => worker?.kill('SIGKILL'));

describe.each([
  [N8N_VERSION, node24],
  [N8N_LEGACY_VERSION, node18],
])('with the Bull of n8n %s', (version, node) => {
  async function start(env: Record<string, string>): Promise<ChildProcess> {
    const script = join(chart, 'files/preload/finish-jobs.cjs');
    const manifest = join(n8nFolder(version), 'package.json');
    const args = ['--require', script, '-e', WORKER, manifest, String(port)];
    const child = spawn(node(), args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    worker = child;
    if (child.stdout) await once(child.stdout, 'data');
    return child;
  }

  /** Adds one as Bull does, but for its place in the queue. */
  async function prepared(job: Job): Promise<string> {
    const id = String(await redis.incr('bull:jobs:id'));
    const data = { name: 'job', data: JSON.stringify(job), opts: '{}', timestamp: Date.now() };
    await redis.hset(`bull:jobs:${id}`, { ...data, delay: 0, priority: 0 });
    return id;
  }
  const add = async (job: Job): Promise<void> => {
    await redis.lpush('bull:jobs:wait', await prepared(job));
  };

  async function fates(): Promise<Fates> {
    const [waiting, lost, failed, completed] = await Promise.all([
      redis.llen('bull:jobs:wait'),
      redis.llen('bull:jobs:active'),
      redis.zcard('bull:jobs:failed'),
      redis.zcard('bull:jobs:completed'),
    ]);
    return { waiting, lost, failed, completed };
  }

  /** Ends the worker once `taken` of the jobs are taken, and a while later. */
  async function ended(
    jobs: Job[],
    {
      taken,
      waitMs = 0,
      env = {},
    }: { taken: number; waitMs?: number; env?: Record<string, string> },
  ): Promise<Fates> {
    await redis.flushall();
    const child = await start(env);
    const exit = once(child, 'exit');
    for (const job of jobs) await add(job);
    await eventually(async () => {
      const { lost, completed } = await fates();
      return lost + completed >= taken;
    });
    await pause(waitMs, 'the moment of the signal is the subject');
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    return fates();
  }

  test('a job that was taken, and has not begun, is done', async () => {
    const jobs = Array.from({ length: 4 }, () => ({ readingMs: 1000, ms: 100 }));
    const { waiting, ...others } = await ended(jobs, { taken: SLOTS });
    expect(others).toEqual({ lost: 0, failed: 0, completed: 4 - waiting });
  });

  test('without the script it is lost', async () => {
    const jobs = Array.from({ length: 2 }, () => ({ readingMs: 10_000, ms: 100 }));
    const env = { N8N_TUNED_WITHOUT: 'finish-jobs' };
    const { lost } = await ended(jobs, { taken: SLOTS, env });
    expect(lost).toBe(SLOTS);
  });

  /** A job comes while Redis stalls, and with it what the worker does to end. */
  async function endedInAStall(env: Record<string, string>): Promise<Fates> {
    await redis.flushall();
    const id = await prepared({ readingMs: 0, ms: 0 });
    const child = await start(env);
    const exit = once(child, 'exit');
    await eventually(async () => /blocked_clients:[1-9]/.test(await redis.info('clients')));
    const pid = Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]);
    process.kill(pid, 'SIGSTOP');
    const pushed = redis.lpush('bull:jobs:wait', id);
    child.kill('SIGTERM');
    await pause(2000, 'Bull gives Redis half a second to close the connection');
    process.kill(pid, 'SIGCONT');
    await pushed;
    expect(await exit).toEqual([0, null]);
    return fates();
  }

  test('a job that comes while the worker stops waiting is done, or left to others', async () => {
    const { waiting, ...others } = await endedInAStall({});
    expect(others).toEqual({ lost: 0, failed: 0, completed: 1 - waiting });
  });

  test('a worker without jobs ends', async () => {
    const none = { waiting: 0, lost: 0, failed: 0, completed: 0 };
    expect(await ended([], { taken: 0 })).toEqual(none);
  });

  test('a worker without jobs ends although Redis goes away before it answers', async () => {
    const shared = { port, redis };
    try {
      port = await servers.start();
      redis = new Redis({ port });
      const child = await start({});
      const exit = once(child, 'exit');
      await eventually(async () => /blocked_clients:[1-9]/.test(await redis.info('clients')));
      const pid = Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]);
      redis.disconnect();
      process.kill(pid, 'SIGSTOP');
      child.kill('SIGTERM');
      await pause(500, 'the worker has asked Redis, which does not answer');
      await servers.stopOn(port);
      expect(await exit).toEqual([0, null]);
    } finally {
      ({ port, redis } = shared);
    }
  });

  test('each job that was taken is done, whenever the worker has to end', async () => {
    const upTo = (max: number) => fc.integer({ min: 0, max });
    const jobsAndTime = fc.record({
      // Short ones, so that the signal often comes while one ends and brings the next.
      jobs: fc.array(fc.record({ readingMs: upTo(3), ms: upTo(3) }), {
        minLength: 100,
        maxLength: 400,
      }),
      waitMs: upTo(100),
    });
    const property = fc.asyncProperty(jobsAndTime, async ({ jobs, waitMs }) => {
      const { waiting, ...others } = await ended(jobs, { taken: 1, waitMs });
      expect(others).toEqual({ lost: 0, failed: 0, completed: jobs.length - waiting });
    });
    await fc.assert(property, { numRuns: 8, endOnFailure: true });
  });
});
