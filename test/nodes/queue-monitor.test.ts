import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import Bull from 'bull';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { freePort } from '../../cli/src/targets/process/ports';
import { CLUSTER_READER_RIGHTS, READER_RIGHTS } from '../../credentials/QueueRedisApi.credentials';
import { Engine, type RunResult } from './support/engine';
import { certificates, credential, RedisServers } from './support/redis';
import { eventually, pause } from '../support/wait';

// Real servers on a machine that may be busy.
jest.setTimeout(60_000);

const servers = new RedisServers();
let engine: Engine;
/** The same, as a worker of n8n: its executions are jobs. */
let worker: Engine;
let port: number;

beforeAll(async () => {
  engine = await Engine.start();
  worker = await Engine.start([], 'inherit', { N8N_COMMAND: 'worker' });
  port = await servers.start();
}, 60_000);
afterAll(async () => {
  await engine.stop();
  await worker.stop();
  await servers.stopAll();
});

const read = (more: Record<string, unknown> = {}, parameters = {}): Promise<RunResult> =>
  engine.run({ node: 'queueMonitor', parameters, credential: credential({ port, ...more }) });

/** Fills a queue as n8n does, and gives it to the test; everything is closed at the end. */
async function withQueue(
  options: { prefix?: string; redis?: RedisOptions; createClient?: () => Cluster },
  use: (queue: Bull.Queue) => Promise<void>,
): Promise<void> {
  const { prefix = 'bull', redis = { port }, createClient } = options;
  const clients: (Redis | Cluster)[] = [];
  const queue = new Bull('jobs', {
    prefix,
    createClient: () => {
      const client =
        createClient?.() ??
        new Redis({ ...redis, maxRetriesPerRequest: null, enableReadyCheck: false });
      clients.push(client);
      return client as Redis;
    },
  });
  try {
    await use(queue);
  } finally {
    await queue.close(true);
    for (const client of clients) client.disconnect();
  }
}

const addJobs = async (
  queue: Bull.Queue,
  count: number,
  opts: Bull.JobOptions & { timestamp?: number } = {},
): Promise<void> => {
  const jobs = Array.from({ length: count }, (_, index) => ({
    name: 'job',
    data: { workflowId: 'w', executionId: String(101 + index), loadStaticData: false },
    opts: { priority: 50, ...opts },
  }));
  // All at one moment: whoever looks at the queue meanwhile sees none or all of them.
  await queue.addBulk(jobs);
};

describe('what it reads is what is in Redis', () => {
  const prefix = 'full';

  test('it counts jobs by kind and workers, and says how long the oldest job has waited', async () => {
    await withQueue({ prefix }, async (queue) => {
      await addJobs(queue, 2, { timestamp: Date.now() - 90_000 });
      await addJobs(queue, 3, { priority: 10 });
      await addJobs(queue, 4, { delay: 600_000 });
      const [first] = (await read({ prefix })).items;
      expect(first?.json).toEqual({
        queue: 'jobs',
        prefix,
        waiting: 5,
        active: 0,
        delayed: 4,
        failed: 0,
        completed: 0,
        paused: 0,
        isPaused: false,
        oldestWaitingSeconds: expect.any(Number) as number,
        workers: 0,
        ownJobActive: false,
        jobsBeforeOwn: null,
      });
      expect(first?.json['oldestWaitingSeconds']).toBeGreaterThanOrEqual(90);
      expect(first?.json['oldestWaitingSeconds']).toBeLessThan(150);
    });
  });

  test('it counts active, completed and failed jobs while a worker works, and paused ones after that', async () => {
    await withQueue({ prefix: 'busy' }, async (queue) => {
      let finish = (): void => undefined;
      const held = new Promise<void>((resolve) => (finish = resolve));
      await addJobs(queue, 4);
      void queue.process('job', 2, async (job) => {
        const { executionId } = job.data as { executionId: string };
        if (executionId === '101') throw new Error('as asked');
        if (executionId !== '102') await held;
      });
      await eventually(
        async () => (await queue.getActiveCount()) === 2 && (await queue.getFailedCount()) === 1,
      );
      const during = (await read({ prefix: 'busy' })).items[0]?.json;
      expect(during).toMatchObject({ active: 2, failed: 1, completed: 1, waiting: 0, workers: 1 });
      finish();
      await eventually(async () => (await queue.getActiveCount()) === 0);
      await queue.pause();
      await addJobs(queue, 2);
      const paused = (await read({ prefix: 'busy' })).items[0]?.json;
      expect(paused).toMatchObject({ isPaused: true, paused: 2, waiting: 0, completed: 3 });
    });
  });

  test('each item is paired with its input', async () => {
    const { items } = await engine.run({
      node: 'queueMonitor',
      parameters: {},
      credential: credential({ port, prefix }),
      items: [{ json: {} }, { json: {} }],
    });
    expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
  });
});

test('not one command that it sends writes', async () => {
  const prefix = 'watched';
  await withQueue({ prefix }, async (queue) => {
    await addJobs(queue, 3);
    const watcher = new Redis({ port });
    const info = new Redis({ port });
    try {
      const seen = new Set<string>();
      const monitor = await watcher.monitor();
      monitor.on('monitor', (_time, args: string[]) => seen.add((args[0] ?? '').toLowerCase()));
      expect((await read({ prefix })).status).toBe('success');
      await read({ prefix }, { operation: 'waitUntilDrained', timeoutSeconds: 1, pollMs: 200 });
      await eventually(() => seen.has('exec'));
      monitor.disconnect();
      const described = (await info.call('COMMAND', 'INFO', ...seen)) as [
        string,
        number,
        string[],
      ][];
      const writing = described
        .filter(([, , flags]) => flags.includes('write'))
        .map(([name]) => name);
      expect(seen.size).toBeGreaterThan(4);
      expect(writing).toEqual([]);
      expect([...seen].filter((name) => name.startsWith('eval'))).toEqual([]);
    } finally {
      watcher.disconnect();
      info.disconnect();
    }
  });
});

describe('Wait Until Drained', () => {
  const drain = (prefix: string, more = {}, executionId = '1'): Promise<RunResult> =>
    engine.run({
      node: 'queueMonitor',
      parameters: { operation: 'waitUntilDrained', pollMs: 100, timeoutSeconds: 30, ...more },
      credential: credential({ port, prefix }),
      executionId,
    });

  test('goes on when a worker has done the last job', async () => {
    await withQueue({ prefix: 'drain' }, async (queue) => {
      await addJobs(queue, 5);
      let done = 0;
      const drained = drain('drain');
      void queue.process('job', 1, () => pause(100, 'each job takes so long'));
      queue.on('completed', () => (done += 1));
      const { items } = await drained;
      expect(items[0]?.json).toMatchObject({ waiting: 0, active: 0, delayed: 0 });
      await eventually(() => done === 5);
    });
  });

  test('a job waits for those that came before it alone, so two that wait at once both end', async () => {
    await withQueue({ prefix: 'overlap' }, async (queue) => {
      await addJobs(queue, 4);
      // Jobs 102 and 103 are executions that wait until the queue is drained; 101 and 104 are others.
      const ended: string[] = [];
      let finishFirst = (): void => undefined;
      const first = new Promise<void>((resolve) => (finishFirst = resolve));
      void queue.process('job', 4, async (job) => {
        const { executionId } = job.data as { executionId: string };
        if (executionId === '101') await first;
        else if (executionId === '104') await new Promise(() => undefined);
        else {
          const { items, error } = await worker.run({
            node: 'queueMonitor',
            parameters: { operation: 'waitUntilDrained', pollMs: 100, timeoutSeconds: 50 },
            credential: credential({ port, prefix: 'overlap' }),
            executionId,
          });
          if (error) throw new Error(error.message);
          expect(items[0]?.json).toMatchObject({ ownJobActive: true, jobsBeforeOwn: 0 });
        }
        ended.push(executionId);
      });
      await eventually(async () => (await queue.getActiveCount()) === 4);
      finishFirst();
      await eventually(() => ended.length === 3);
      expect(ended).toEqual(['101', '102', '103']);
      expect(await queue.getFailedCount()).toBe(0);
    });
  });

  test('fails after the timeout and tells what is left', async () => {
    await withQueue({ prefix: 'stuck' }, async (queue) => {
      await addJobs(queue, 2);
      const { error } = await drain('stuck', { timeoutSeconds: 1 });
      expect(error).toMatchObject({
        name: 'NodeOperationError',
        message: expect.stringMatching(/^The queue 'jobs' is not drained after \d+ s$/) as string,
        description: 'Left: 2 waiting, 0 active, 0 delayed, 0 paused.',
      });
    });
  });

  test('ends at once when the execution is cancelled', async () => {
    await withQueue({ prefix: 'cancelled' }, async (queue) => {
      await addJobs(queue, 1);
      const { status } = await engine.run({
        node: 'queueMonitor',
        parameters: { operation: 'waitUntilDrained', pollMs: 60_000, timeoutSeconds: 600 },
        credential: credential({ port, prefix: 'cancelled' }),
        cancelAfterMs: 500,
      });
      expect(status).toBe('canceled');
    });
  });
});

/** What would stop n8n, change something, or read what is not the queue's. */
const FORBIDDEN = [
  ...['CLIENT PAUSE 1', 'CLIENT KILL ID 1', 'CLIENT NO-EVICT on', 'CLIENT SETNAME bull:am9icw=='],
  ...[
    'KEYS *',
    'SCAN 0',
    'RANDOMKEY',
    'DBSIZE',
    'GET other',
    'HGET other:hash data',
    'EXISTS other',
  ],
  ...['SET other x', 'DEL bull:jobs:wait', 'HSET bull:jobs:1 data x', 'LPUSH bull:jobs:wait 1'],
  ...['LPOP bull:jobs:wait', 'ZADD bull:jobs:delayed 1 x', 'EXPIRE bull:jobs:wait 1'],
  ...['FLUSHALL', 'FLUSHDB', 'SHUTDOWN NOSAVE', 'CONFIG GET *', 'ACL LIST'],
  ...['EVAL return 0', 'FUNCTION LIST', 'MONITOR', 'SUBSCRIBE a', 'PUBLISH a b', 'INFO', 'SAVE'],
  ...['REPLICAOF NO ONE', 'SWAPDB 0 1', 'WAIT 1 0', 'XADD bull:jobs:events * a b'],
];

async function setReader(admin: Redis, rights: string): Promise<void> {
  const rule = `reset on >reader-secret ${rights}`;
  await admin.call('ACL', 'SETUSER', 'reader', ...rule.split(' '));
}

describe('it connects as n8n does', () => {
  test('with user, password and database, as a user that may only read', async () => {
    const secure = await servers.start(['--requirepass', 'main-secret'], {
      password: 'main-secret',
    });
    const admin = new Redis({ port: secure, password: 'main-secret' });
    await setReader(admin, READER_RIGHTS);
    const redis = { port: secure, password: 'main-secret', db: 3 };
    await withQueue({ redis }, async (queue) => {
      await addJobs(queue, 2);
      const given = { port: secure, user: 'reader', password: 'reader-secret', database: 3 };
      const { items, error } = await read(given);
      expect(error).toBeUndefined();
      expect(items[0]?.json).toMatchObject({ waiting: 2, workers: 0 });
      // Without the right to list clients all the rest is still told.
      await admin.call('ACL', 'SETUSER', 'reader', '-client|list');
      expect((await read(given)).items[0]?.json).toMatchObject({ waiting: 2, workers: null });
    });
    admin.disconnect();
  });

  test('the documented user can read the queue and do nothing else', async () => {
    const own = await servers.start();
    const admin = new Redis({ port: own });
    await withQueue({ redis: { port: own } }, async (queue) => {
      await addJobs(queue, 1, { delay: 600_000 });
      await addJobs(queue, 2);
      void queue.process('job', 1, () => new Promise(() => undefined));
      await eventually(async () => (await queue.getActiveCount()) === 1);
      await admin.set('other', 'of somebody else');
      await admin.hset('other:hash', 'data', '{}');
      await setReader(admin, READER_RIGHTS);
      const given = { port: own, user: 'reader', password: 'reader-secret' };
      // It is the execution of an active job, so that it uses every command there is.
      const { items, error } = await worker.run({
        ...{ node: 'queueMonitor', parameters: {}, credential: credential(given) },
        executionId: '101',
      });
      expect(error).toBeUndefined();
      expect(items[0]?.json).toMatchObject({ waiting: 1, active: 1, delayed: 1, workers: 1 });
      expect(await admin.call('ACL', 'LOG')).toEqual([]);
    });
    const reader = new Redis({
      ...{ port: own, username: 'reader', password: 'reader-secret', enableReadyCheck: false },
    });
    try {
      for (const command of FORBIDDEN) {
        const [name = '', ...args] = command.split(' ');
        await expect(reader.call(name, ...args)).rejects.toThrow(/^NOPERM/);
      }
    } finally {
      reader.disconnect();
      admin.disconnect();
    }
  });

  test('with TLS and a CA of its own, and not without that CA', async () => {
    const { ca, cert, key } = await certificates(servers.folder);
    const tlsOptions = ['--tls-port', '--tls-cert-file', cert, '--tls-key-file', key];
    const text = readFileSync(ca, 'utf8');
    const options = [...tlsOptions, '--tls-ca-cert-file', ca, '--tls-auth-clients', 'no'];
    const secure = await servers.start(options, { tls: { ca: text } });
    await withQueue({ redis: { port: secure, tls: { ca: text } } }, async (queue) => {
      await addJobs(queue, 1);
      const given = { port: secure, tls: true };
      expect((await read({ ...given, ca: text })).items[0]?.json).toMatchObject({ waiting: 1 });
      const oneLine = text.replaceAll('\n', '\\n');
      expect((await read({ ...given, ca: oneLine })).items[0]?.json).toMatchObject({ waiting: 1 });
      expect((await read(given)).error?.message).toMatch(/has a certificate that is not trusted/);
      expect((await read({ port: secure })).error?.message).toMatch(
        /closed the connection: it may want TLS/,
      );
    });
    expect((await read({ tls: true })).error?.message).toMatch(
      /does not speak TLS|only one side speaks TLS/,
    );
  });

  test('through a Sentinel with a password of its own', async () => {
    const sentinel = await servers.startSentinel(port, 'sentinel-secret');
    const given = {
      ...{ mode: 'sentinel', nodes: `127.0.0.1:${String(sentinel)}`, prefix: 'full' },
      ...{ sentinelGroup: 'queue', sentinelPassword: 'sentinel-secret' },
    };
    const { items, error } = await read(given);
    expect(error).toBeUndefined();
    expect(items[0]?.json).toMatchObject({ waiting: 5, delayed: 4 });
    const wrong = await read({ ...given, sentinelGroup: 'other' });
    expect(wrong.error?.message).toMatch(
      /^Redis group 'other' through the Sentinels at .* cannot be found/,
    );
  });

  test('to a Cluster, where n8n puts the prefix in braces', async () => {
    const ports = await servers.startCluster();
    const nodes = ports.map((p) => ({ host: '127.0.0.1', port: p }));
    const createClient = (): Cluster =>
      new Cluster(nodes, { redisOptions: { maxRetriesPerRequest: null, enableReadyCheck: false } });
    await withQueue({ prefix: '{bull}', createClient }, async (queue) => {
      await addJobs(queue, 3);
      void queue.process('job', 1, () => new Promise(() => undefined));
      await eventually(async () => (await queue.getActiveCount()) === 1);
      const list = nodes.map(({ host, port: p }) => `${host}:${String(p)}`).join(', ');
      const { items, error } = await read({ mode: 'cluster', nodes: list });
      expect(error).toBeUndefined();
      expect(items[0]?.json).toMatchObject({ prefix: '{bull}', waiting: 2, active: 1, workers: 1 });
      // The documented user of a cluster, on each of its nodes.
      const admins = ports.map((p) => new Redis({ port: p }));
      for (const admin of admins) await setReader(admin, CLUSTER_READER_RIGHTS);
      const reader = { user: 'reader', password: 'reader-secret' };
      const asReader = await read({ mode: 'cluster', nodes: list, ...reader });
      expect(asReader.error).toBeUndefined();
      expect(asReader.items[0]?.json).toMatchObject({ waiting: 2, active: 1, workers: 1 });
      for (const admin of admins) {
        // The client would also give one of its connections a name, and goes on without.
        const refused = (await admin.call('ACL', 'LOG')) as string[][];
        expect(refused.filter((entry) => !entry.includes('client|setname'))).toEqual([]);
        admin.disconnect();
      }
    });
    // The keys of this prefix lie in one of the three; the other two know only where.
    const alone = await Promise.all(ports.map((p) => read({ port: p, prefix: '{other}' })));
    expect(alone.map(({ error }) => error?.message.replace(/^.* at \S+ /, '')).toSorted()).toEqual([
      expect.stringMatching(/^has no queue/),
      "is a cluster: choose 'Cluster' in the credential",
      "is a cluster: choose 'Cluster' in the credential",
    ]);
  }, 60_000);
});

describe('what is wrong is said soon, without a secret, and nothing is left open', () => {
  const silent: Server = createServer((socket) => sockets.add(socket));
  const sockets = new Set<Socket>();
  let silentPort: number;
  let lockedPort: number;
  beforeAll(async () => {
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    silentPort = (silent.address() as AddressInfo).port;
    lockedPort = await servers.start(['--requirepass', 'right-secret'], {
      password: 'right-secret',
    });
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  const cases: [
    string,
    () => Promise<Record<string, unknown>> | Record<string, unknown>,
    RegExp,
  ][] = [
    ['Redis away', async () => ({ port: await freePort() }), /refused the connection/],
    ['a host that does not answer', () => ({ port: silentPort }), /did not answer in time/],
    [
      'an unknown host',
      () => ({ host: 'no-such-host.invalid' }),
      /has a host name that cannot be resolved/,
    ],
    [
      'a wrong password',
      () => ({ port: lockedPort, password: 'wrong-secret' }),
      /refused the user or the password/,
    ],
    ['no password', () => ({ port: lockedPort }), /wants a password, but the credential has none/],
    ['a database that is not there', () => ({ database: 99 }), /has no database of that number/],
    ['a wrong prefix', () => ({ prefix: 'wrong' }), /has no queue 'jobs' under the prefix 'wrong'/],
    ['no host', () => ({ host: ' ' }), /'Host' is empty/],
    ['a port that is none', () => ({ port: 0 }), /'Port' must be from 1 to 65535/],
    [
      'a Sentinel away',
      async () => ({ mode: 'sentinel', nodes: `127.0.0.1:${String(await freePort())}` }),
      /cannot be found|refused the connection/,
    ],
    [
      'a Cluster away',
      async () => ({ mode: 'cluster', nodes: `127.0.0.1:${String(await freePort())}` }),
      /is not a working cluster|refused the connection/,
    ],
  ];

  test.each(cases)(
    '%s',
    async (_name, given, message) => {
      const wrong = await given();
      const result = await read(wrong);
      expect(result.error?.name).toBe('NodeOperationError');
      expect(result.error?.message).toMatch(message);
      // Within 5 s, and a machine that stalls; without a limit of ours ioredis tries on for ever.
      expect(result.durationMs).toBeLessThan(20_000);
      expect(JSON.stringify(result)).not.toMatch(/secret/);
      const tested = await engine.ask('testCredential', {
        credential: credential({ port, ...wrong }),
      });
      expect(tested).toEqual({ status: 'Error', message: result.error?.message });
      await eventually(async () => (await engine.ask('openSockets')) === 0);
    },
    60_000,
  );

  test('the credential test tells what it found', async () => {
    const given = credential({ port, prefix: 'full' });
    expect(await engine.ask('testCredential', { credential: given })).toEqual({
      status: 'OK',
      message: 'Found the queue: 5 waiting, 0 active, 0 workers',
    });
  });
});

describe('with a path of its own for errors', () => {
  const settings = { onError: 'continueErrorOutput' };
  const outputs = async (
    given: Record<string, unknown>,
    parameters: Record<string, unknown> = {},
  ): Promise<Pick<RunResult, 'items' | 'errorItems'>> => {
    const { items, errorItems } = await engine.run({
      ...{ node: 'queueMonitor', parameters, credential: credential({ port, ...given }), settings },
    });
    return { items, errorItems };
  };

  test('a timeout leaves through it, with what is left', async () => {
    await withQueue({ prefix: 'timeout' }, async (queue) => {
      await addJobs(queue, 2);
      const parameters = { operation: 'waitUntilDrained', pollMs: 100, timeoutSeconds: 1 };
      expect(await outputs({ prefix: 'timeout' }, parameters)).toEqual({
        items: [],
        errorItems: [
          {
            json: {
              error: expect.stringMatching(/^The queue 'jobs' is not drained/) as string,
              details: 'Left: 2 waiting, 0 active, 0 delayed, 0 paused.',
            },
            pairedItem: { item: 0 },
          },
        ],
      });
    });
  });

  test.each([
    ['a queue that is not there', { prefix: 'nowhere' }, /has no queue 'jobs'/],
    ['a Redis that does not answer as one', { port: 1 }, /refused the connection/],
    ['a credential that cannot be', { host: ' ' }, /'Host' is empty/],
  ])('%s leaves through it', async (_name, given, message) => {
    const { items, errorItems } = await outputs(given);
    expect(items).toEqual([]);
    expect(errorItems).toHaveLength(1);
    expect(errorItems[0]?.json['error']).toMatch(message);
  });

  test('what is read leaves through the other', async () => {
    const { items, errorItems } = await outputs({ prefix: 'full' });
    expect([items.length, errorItems.length]).toEqual([1, 0]);
  });
});

describe('Queue Monitor Trigger', () => {
  const start = (
    parameters: Record<string, unknown>,
    more = {},
    n8n: object = {},
  ): Promise<unknown> =>
    engine.ask('startTrigger', {
      ...n8n,
      node: 'queueMonitorTrigger',
      parameters: { threshold: 2, clearAt: 1, forSeconds: 0, pollSeconds: 1, ...parameters },
      credential: credential({ port, ...more }),
    });
  beforeEach(() => engine.emitted.splice(0));

  test('starts the workflow when over, once, and again when it clears', async () => {
    await withQueue({ prefix: 'alarm' }, async (queue) => {
      await addJobs(queue, 1);
      await start({ alsoWhenCleared: true }, { prefix: 'alarm' });
      await addJobs(queue, 3);
      await eventually(() => engine.emitted.length === 1);
      expect(engine.emitted[0]).toMatchObject({
        event: 'raised',
        measure: 'waiting',
        value: 4,
        threshold: 2,
        queue: { waiting: 4, prefix: 'alarm' },
      });
      await queue.empty();
      await eventually(() => engine.emitted.length === 2);
      expect(engine.emitted[1]).toMatchObject({ event: 'cleared', value: 0 });
      await engine.ask('stopTrigger');
    });
  });

  test('does not start the workflow again for the same alarm when n8n has started anew', async () => {
    await withQueue({ prefix: 'restart' }, async (queue) => {
      await addJobs(queue, 4);
      await start({ alsoWhenCleared: true }, { prefix: 'restart' });
      await eventually(() => engine.emitted.length === 1);
      await engine.ask('stopTrigger');
      const { staticData } = engine;
      const again = (activation: string, parameters = {}): Promise<unknown> =>
        start(
          { alsoWhenCleared: true, ...parameters },
          { prefix: 'restart' },
          {
            ...{ staticData, activation },
          },
        );
      for (const activation of ['init', 'leadershipChange']) {
        // The first look is over when the trigger has started.
        await again(activation);
        await engine.ask('stopTrigger');
        expect(engine.emitted).toHaveLength(1);
      }
      // Another rule, or a user who publishes it again, begins anew.
      await again('init', { threshold: 3 });
      await eventually(() => engine.emitted.length === 2);
      await engine.ask('stopTrigger');
      await again('activate');
      await eventually(() => engine.emitted.length === 3);
      await engine.ask('stopTrigger');
      await queue.empty();
      await again('init');
      await eventually(() => engine.emitted.length === 4);
      expect(engine.emitted[3]).toMatchObject({ event: 'cleared' });
      expect(engine.staticData).toEqual({ 'node:Under Test': {} });
      await engine.ask('stopTrigger');
    });
  });

  test('reads on by itself when Redis has been away', async () => {
    const own = await servers.start();
    const refill = (count: number): Promise<void> =>
      withQueue({ redis: { port: own } }, (queue) => addJobs(queue, count));
    await refill(1);
    await start({}, { port: own });
    await servers.stopOn(own);
    await pause(1500, 'Redis stays away for longer than one look');
    await servers.start([], {}, own);
    await refill(5);
    await eventually(() => engine.emitted.length === 1);
    expect(engine.emitted[0]).toMatchObject({ event: 'raised', value: 5 });
    await engine.ask('stopTrigger');
    await eventually(async () => (await engine.ask('openSockets')) === 0);
  });

  test('cannot be activated with what cannot be', async () => {
    await expect(start({}, { prefix: 'wrong' })).rejects.toThrow(
      /has no queue 'jobs' under the prefix/,
    );
    await expect(start({ clearAt: 3 }, { prefix: 'full' })).rejects.toThrow(
      /'Clears At' must not be above/,
    );
  });
});

test('an error of n8n itself, too, lets the workflow go on when the node is set to', async () => {
  const settings = { onError: 'continueRegularOutput' };
  const { status, items } = await engine.run({ node: 'queueMonitor', parameters: {}, settings });
  expect(status).toBe('success');
  expect(items).toEqual([
    {
      json: { error: expect.stringMatching(/credential/i) as string },
      pairedItem: { item: 0 },
    },
  ]);
});
