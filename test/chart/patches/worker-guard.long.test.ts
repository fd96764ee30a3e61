// The guard of a worker, with the Bull of a real n8n, a real Redis, and links between them that can be cut.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { Link } from '../../../cli/src/targets/process/link';
import { freePort } from '../../../cli/src/targets/process/ports';
import { n8nFolder, node18, node24 } from '../../nodes/support/lab';
import { RedisServers } from '../../nodes/support/redis';
import { chart } from '../support/helm.ts';
import { N8N_LEGACY_VERSION, N8N_VERSION } from '../../support/versions';
import { eventually, pause } from '../../support/wait';

jest.setTimeout(180_000);

const GUARD = join(chart, 'files/preload/worker-guard.cjs');
const SECONDS = 2;

/** A queue as n8n makes it; a job works for as long as its data says. It waits for jobs over a link of its own. */
const WORKER = `
  const load = require('module').createRequire(process.argv[1]);
  const Redis = load('ioredis');
  import(load.resolve('bull')).then(({ default: Queue }) => {
    const queue = new Queue('jobs', {
      prefix: 'bull',
      settings: { maxStalledCount: 0, lockDuration: Number(process.env.LOCK_MS), lockRenewTime: 500 },
      createClient: (type) =>
        new Redis({
          port: process.argv[type === 'bclient' ? 3 : 2],
          enableReadyCheck: false,
          maxRetriesPerRequest: null,
        }),
    });
    void queue.process('job', 2, async (job) => {
      console.log('began ' + job.id);
      await new Promise((resolve) => setTimeout(resolve, job.data.ms));
    });
    process.on('SIGUSR2', () => void queue.pause(true, true).then(() => console.log('paused')));
    queue.isReady().then(() => console.log('ready'));
  });
`;

const servers = new RedisServers();
let store: number;
let redis: Redis;
/** That over which it waits for jobs is the second one. */
let links: [Link, Link];
let ports: [number, number];
let worker: ChildProcess;
let said = '';

beforeAll(async () => {
  store = await servers.start();
  redis = new Redis({ port: store });
});
afterAll(async () => {
  redis.disconnect();
  await servers.stopAll();
});
beforeEach(async () => {
  await redis.flushall();
  ports = [await freePort(), await freePort()];
  const to = { host: '127.0.0.1', port: store };
  links = [await Link.open(ports[0], to), await Link.open(ports[1], to)];
});
afterEach(async () => {
  worker.kill('SIGKILL');
  await Promise.all(links.map((link) => link.close()));
});

const lose = (): void => {
  for (const link of links) link.lose();
};

describe.each([
  [N8N_VERSION, node24],
  [N8N_LEGACY_VERSION, node18],
])('with the Bull of n8n %s', (version, node) => {
  async function start(env: Record<string, string> = {}): Promise<void> {
    said = '';
    worker = spawn(
      node(),
      [
        ...['--require', GUARD, '-e', WORKER, join(n8nFolder(version), 'package.json')],
        ...ports.map(String),
      ],
      // A worker that stalls for a moment loses no lock that is longer.
      { env: { N8N_TUNED_GUARD_SECONDS: String(SECONDS), LOCK_MS: '60000', ...env } },
    );
    for (const stream of [worker.stdout, worker.stderr]) {
      stream?.setEncoding('utf8').on('data', (part: string) => (said += part));
    }
    await says('ready');
  }
  const says = (text: string): Promise<void> =>
    eventually(() => Promise.resolve(said.includes(text)));

  /** Adds one as Bull does. */
  async function add(ms: number): Promise<void> {
    const id = String(await redis.incr('bull:jobs:id'));
    const data = { name: 'job', data: JSON.stringify({ ms }), opts: '{}', timestamp: Date.now() };
    await redis.hset(`bull:jobs:${id}`, { ...data, delay: 0, priority: 0 });
    await redis.lpush('bull:jobs:wait', id);
  }

  const exit = async (): Promise<number | null> =>
    worker.exitCode ?? ((await once(worker, 'exit')) as [number | null])[0];

  async function staysUp(): Promise<void> {
    await pause(2500 * SECONDS, 'more than twice as long as the guard waits');
    expect([worker.exitCode, said]).toEqual([null, expect.not.stringContaining('worker-guard')]);
  }

  test('one that no job reaches any more ends with what it saw, and the next one goes on', async () => {
    await start();
    await add(0);
    await says('began 1');
    lose();
    await Promise.all([add(0), add(0), add(0)]);
    expect(await exit()).toBe(1);
    expect(said).toMatch(
      /worker-guard: [123] jobs wait in jobs, and this worker took none for \d+ s;/,
    );
    expect(said).toContain('it has 0 of 2 slots in use and renews the lock of no job;');
    expect(said).toContain('its connection to Redis does not answer, a new one does;');
    await start();
    await says('began 4');
  });

  test.each([
    // They run out before the worker ends.
    ['1500', true],
    // They do not, but nobody renews them.
    ['60000', false],
  ])('so does one whose jobs are lost to it, with locks of %s ms', async (lock, runOut) => {
    await start({ LOCK_MS: lock });
    await Promise.all([add(600_000), add(600_000)]);
    await says('began 2');
    lose();
    await add(0);
    expect(await exit()).toBe(1);
    expect((await redis.pttl('bull:jobs:1:lock')) < 0).toBe(runOut);
    expect(said).toContain('it has 2 of 2 slots in use and renews the lock of no job;');
  });

  // The others are about the guard alone.
  if (version !== N8N_VERSION) return;

  test('one that has lost its connection ends in the time that it is given, and two looks', async () => {
    // A look asks its dead connection for as long as there is between two looks.
    await start({ N8N_TUNED_GUARD_SECONDS: '6' });
    await add(0);
    await says('began 1');
    lose();
    await Promise.all([add(0), add(0), add(0)]);
    expect(await exit()).toBe(1);
    const [, seconds] = /took none for (\d+) s/.exec(said) ?? [];
    expect(Number(seconds)).toBeLessThan(10);
  });

  test('one that no job reaches any more stays while it renews the lock of one', async () => {
    await start();
    await add(600_000);
    await says('began 1');
    links[1].lose();
    await Promise.all([add(0), add(0), add(0)]);
    await staysUp();
  });

  test('one that is busy stays, however many jobs wait', async () => {
    await start();
    await Promise.all([add(600_000), add(600_000), add(0)]);
    await says('began 2');
    await staysUp();
  });

  test('one without jobs stays, and looks over one connection', async () => {
    await start({ N8N_TUNED_GUARD_SECONDS: '30' });
    const counted = async (part: string, of: RegExp): Promise<number> =>
      Number(of.exec(await redis.info(part))?.[1] ?? 0);
    const connections = (): Promise<number> => counted('stats', /total_connections_received:(\d+)/);
    const looks = (): Promise<number> => counted('commandstats', /cmdstat_llen:calls=(\d+)/);
    // The worker has connected by then, and the guard for its first look.
    const first = await looks();
    await eventually(async () => (await looks()) > first, 120_000);
    const [before, looked] = [await connections(), await looks()];
    await eventually(async () => (await looks()) >= looked + 3, 120_000);
    // A new one for each look would be three; one that a busy machine kept waiting is asked for again.
    expect((await connections()) - before).toBeLessThan(3);
    expect([worker.exitCode, said]).toEqual([null, expect.not.stringContaining('worker-guard')]);
    await add(0);
    await says('began 1');
  });

  test('one that n8n has paused to end stays', async () => {
    await start();
    worker.kill('SIGUSR2');
    await says('paused');
    await add(0);
    await staysUp();
  });

  test('one that no new connection brings to Redis either stays', async () => {
    await start();
    for (const link of links) link.freeze();
    await add(0);
    await staysUp();
    for (const link of links) link.thaw();
    await says('began 1');
  });

  test.each([
    [{ N8N_TUNED_GUARD_SECONDS: '0' }],
    [{ N8N_TUNED_WITHOUT: 'session-once,worker-guard' }],
  ])('it can be switched off: %j', async (env) => {
    await start(env);
    lose();
    await add(0);
    await staysUp();
  });
});
