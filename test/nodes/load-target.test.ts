import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import {
  Engine,
  reportOf,
  type Item,
  type Report,
  type RunRequest,
  type RunResult,
} from './support/engine';
import { N8N_VERSION } from '../support/versions';
import { eventually, pause } from '../support/wait';

// A real engine on a machine that may be busy.
jest.setTimeout(60_000);

let engine: Engine;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-load-target-test-'));
  engine = await Engine.start(['--expose-gc', '--max-old-space-size=700']);
}, 60_000);
afterAll(async () => {
  await engine.stop();
  rmSync(folder, { recursive: true });
});

const run = (
  parameters: Record<string, unknown>,
  more: Partial<RunRequest> = {},
): Promise<RunResult> => engine.run({ node: 'loadTarget', parameters, ...more });

const report = async (parameters: Record<string, unknown>): Promise<Report> => {
  const result = await run(parameters);
  expect(result.error).toBeUndefined();
  return reportOf(result);
};

const memoryNow = async (): Promise<NodeJS.MemoryUsage> => {
  await engine.ask('collectGarbage');
  return (await engine.ask('memory')) as NodeJS.MemoryUsage;
};

const MIB = 1024 * 1024;

test('each package loads as n8n loads it, with its own nodes alone', async () => {
  const versioned = (...names: string[]): object[] => names.map((name) => ({ name, version: 1 }));
  expect(await engine.ask('load')).toEqual([
    { name: 'n8n-nodes-load-target', nodes: versioned('loadTarget'), credentials: [] },
    {
      name: 'n8n-nodes-queue-monitor',
      nodes: versioned('once', 'queueMonitor', 'queueMonitorTrigger'),
      credentials: ['queueRedisApi'],
    },
  ]);
});

test('every operation reports what was asked, what was achieved, how long and where', async () => {
  const all = [
    { operation: 'cpu', cpuTimeMs: 1 },
    { operation: 'diskRead', sizeKiB: 1, documents: 2, folder },
    { operation: 'diskWrite', sizeKiB: 1, folder },
    { operation: 'fail', probability: 0 },
    { operation: 'json', sizeKiB: 1 },
    { operation: 'memory', sizeMiB: 1, holdMs: 0 },
    { operation: 'payload', items: 1, itemBytes: 10 },
    { operation: 'wait', waitMs: 1 },
  ];
  for (const parameters of all) {
    const { operation, asked, achieved, durationMs, ranBy } = await report(parameters);
    expect(operation).toBe(parameters.operation);
    expect(Object.keys(asked)).not.toHaveLength(0);
    expect(Object.keys(achieved)).not.toHaveLength(0);
    expect(durationMs).toBeGreaterThanOrEqual(0);
    expect(ranBy).toEqual({
      host: hostname(),
      pid: expect.any(Number) as number,
      role: 'main',
      n8nVersion: N8N_VERSION,
      nodeVersion: expect.stringMatching(/^24\./) as string,
      packageVersion: '0.1.0',
      rssMiB: expect.any(Number) as number,
      heapUsedMiB: expect.any(Number) as number,
      heapLimitMiB: expect.any(Number) as number,
      ...{ eventLoopDelayMs: ranBy['eventLoopDelayMs'] },
    });
  }
  await pause(100, 'by the eighth execution the event loop has been measured');
  expect((await report({ operation: 'wait', waitMs: 1 })).ranBy['eventLoopDelayMs']).toEqual({
    mean: expect.any(Number) as number,
    p99: expect.any(Number) as number,
    max: expect.any(Number) as number,
  });
});

describe('Memory', () => {
  const memory = (more: Record<string, unknown>): Record<string, unknown> => ({
    ...{ operation: 'memory', sizeMiB: 64, holdMs: 0 },
    ...more,
  });

  test.each([
    ['strings', 'heapUsed'],
    ['objects', 'heapUsed'],
    ['buffers', 'arrayBuffers'],
  ] as const)('as %s it lies where it should, and its pages are real', async (heldAs, where) => {
    const before = await memoryNow();
    const { achieved } = await report(memory({ heldAs, afterwards: 'leak' }));
    const after = await memoryNow();
    expect(achieved['heldMiB']).toBe(64);
    const grownMiB = (after[where] - before[where]) / MIB;
    expect(grownMiB).toBeGreaterThan(62);
    expect(grownMiB).toBeLessThan(68);
    expect((after.rss - before.rss) / MIB).toBeGreaterThan(48);
  });

  test('what is released goes, what leaks adds up', async () => {
    const before = await memoryNow();
    await report(memory({ heldAs: 'buffers', sizeMiB: 32 }));
    // V8 frees buffers in the background, some time after it found them unreachable.
    await eventually(async () => (await memoryNow()).arrayBuffers - before.arrayBuffers < 2 * MIB);
    const released = await memoryNow();
    const first = await report(memory({ heldAs: 'buffers', sizeMiB: 16, afterwards: 'leak' }));
    const second = await report(memory({ heldAs: 'buffers', sizeMiB: 16, afterwards: 'leak' }));
    const leaked = await memoryNow();
    expect((leaked.arrayBuffers - released.arrayBuffers) / MIB).toBeCloseTo(32, 0);
    expect((second.achieved['leakedMiB'] ?? 0) - (first.achieved['leakedMiB'] ?? 0)).toBe(16);
  });

  test('in steps it takes the pauses between them', async () => {
    const steps = { growth: 'inSteps', stepMiB: 2, stepEveryMs: 30 };
    const { achieved, durationMs } = await report(memory({ sizeMiB: 8, ...steps }));
    expect(achieved['heldMiB']).toBe(8);
    expect(durationMs).toBeGreaterThanOrEqual(3 * 29);
  });

  test('what does not fit is refused before anything is made, unless it may crash', async () => {
    const { error } = await run(memory({ sizeMiB: 5000 }));
    expect(error).toMatchObject({
      name: 'NodeOperationError',
      message: expect.stringMatching(/^5000 MiB of strings do not fit: \d+ MiB are free/) as string,
      description: expect.stringContaining('May Crash n8n') as string,
      context: { itemIndex: 0 },
    });
    const bold = await Engine.start(['--max-old-space-size=120'], 'ignore');
    const dead = await bold
      .run({ node: 'loadTarget', parameters: memory({ sizeMiB: 1000, mayCrash: true }) })
      .then(
        () => 'alive',
        (error: unknown) => (error as Error).message,
      );
    expect(dead).toBe('the engine ended');
  }, 60_000);
});

describe('CPU', () => {
  test('a time is CPU time, not time on the clock', async () => {
    const { achieved, durationMs } = await report({ operation: 'cpu', cpuTimeMs: 60 });
    expect(achieved['cpuTimeMs']).toBeGreaterThanOrEqual(60);
    expect(durationMs).toBeGreaterThanOrEqual(59);
  });

  test.each([
    [0, 0],
    [500_000, (499_999 * 500_000) / 2],
  ])('the loop to %d adds up what the published one does', async (loopTo, sum) => {
    const { achieved } = await report({ operation: 'cpu', until: 'loop', loopTo });
    expect(achieved).toMatchObject({ iterations: loopTo, sum });
  });

  test('blocking lets nothing else run, yielding does', async () => {
    const alone = { operation: 'cpu', cpuTimeMs: 150 };
    const order: string[] = [];
    const both = async (eventLoop: string): Promise<void> => {
      const long = run({ ...alone, eventLoop, yieldEveryMs: 5 }).then(() => order.push('long'));
      const short = run({ operation: 'wait', waitMs: 1 }).then(() => order.push('short'));
      await Promise.all([long, short]);
    };
    await both('block');
    await both('yield');
    expect(order).toEqual(['long', 'short', 'short', 'long']);
  });
});

describe('CPU that blocks', () => {
  test('is not the default', async () => {
    const { asked } = await report({ operation: 'cpu', cpuTimeMs: 1 });
    expect(asked).toMatchObject({ eventLoop: 'yield' });
  });

  test('for longer than n8n can bear is refused before it begins', async () => {
    for (const more of [{ eventLoop: 'block' }, { eventLoop: 'yield', yieldEveryMs: 60_000 }]) {
      const parameters = { operation: 'cpu', cpuTimeMs: 3_600_000, ...more };
      const { error } = await run(parameters);
      expect(error?.message).toMatch(/^The work would block the event loop for \d+ s/);
      expect(error?.description).toContain('May Freeze n8n');
    }
  });

  test('can be cancelled as soon as it yields', async () => {
    const parameters = { operation: 'cpu', cpuTimeMs: 3_600_000 };
    const { status } = await run(parameters, { cancelAfterMs: 50 });
    expect(status).toBe('canceled');
  });
});

describe('Wait', () => {
  test('is never shorter than drawn and does not use the CPU', async () => {
    for (const waitMs of [0, 1, 20.7, 80]) {
      const { achieved } = await report({ operation: 'wait', waitMs });
      expect(achieved['drawnMs']).toBe(waitMs);
      expect(achieved['waitedMs']).toBeGreaterThanOrEqual(waitMs);
    }
  });

  test('ends at once when the execution is cancelled', async () => {
    const { status, durationMs } = await run(
      { operation: 'wait', waitMs: 60_000 },
      { cancelAfterMs: 50, settings: { onError: 'continueRegularOutput' } },
    );
    expect(status).toBe('canceled');
    expect(durationMs).toBeLessThan(30_000);
  });

  test('ends that lie the wrong way round are a mistake', async () => {
    const parameters = { operation: 'wait', distribution: 'uniform', minMs: 5, maxMs: 1 };
    expect((await run(parameters)).error?.message).toBe(
      "'Longest (Ms)' must not be below 'Shortest (Ms)': 1 < 5",
    );
  });
});

describe('documents', () => {
  const documentOf = (report: Report): unknown =>
    (report as Report & { document: unknown }).document;

  test('JSON is fresh each time and of the asked size', async () => {
    const [one, two] = [
      await report({ operation: 'json', sizeKiB: 20 }),
      await report({ operation: 'json', sizeKiB: 20 }),
    ];
    expect(JSON.stringify(documentOf(one))).toHaveLength(20 * 1024);
    expect(one.achieved['sizeKiB']).toBe(20);
    expect(documentOf(one)).not.toEqual(documentOf(two));
  });

  test.each([
    { operation: 'json', sizeKiB: 40 * 256 },
    { operation: 'diskWrite', sizeKiB: 40 * 256 },
    { operation: 'diskRead', sizeKiB: 20 * 256, documents: 2 },
    { operation: 'payload', items: 40, itemBytes: 256 * 1024 },
    { operation: 'payload', payloadKind: 'binary', binaryMiB: 41 },
  ])(
    '$operation gives others their turn all along, and ends when it is cancelled',
    async (given) => {
      const parameters = { ...given, folder };
      const turns = (await engine.ask('turns')) as number;
      expect((await run(parameters)).error).toBeUndefined();
      expect(((await engine.ask('turns')) as number) - turns).toBeGreaterThanOrEqual(40);
      const { status } = await run(parameters, { cancelAfterMs: 0 });
      expect(status).toBe('canceled');
    },
  );

  const documentsIn = (where: string): string[] =>
    existsSync(where)
      ? readdirSync(where, { recursive: true, encoding: 'utf8' }).filter((name) =>
          name.endsWith('.json'),
        )
      : [];

  test('Disk Read prepares its documents once and reads one of them', async () => {
    const own = mkdtempSync(join(folder, 'read-'));
    const parameters = { operation: 'diskRead', sizeKiB: 4, documents: 3, folder: own };
    const names = new Set<unknown>();
    for (let i = 0; i < 30; i += 1) {
      const read = await report(parameters);
      expect(JSON.stringify(documentOf(read))).toHaveLength(4096);
      names.add((read.achieved as Record<string, unknown>)['path']);
    }
    expect(names.size).toBe(3);
    expect(documentsIn(own)).toHaveLength(3);
    rmSync(own, { recursive: true });
    await report(parameters);
    expect(documentsIn(own)).toHaveLength(3);
  });

  test('Disk Read removes its documents when n8n ends, and those of processes that were killed', async () => {
    const own = mkdtempSync(join(folder, 'cleanup-'));
    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    const leftover = join(own, `read-${hostname()}-${String(dead)}`);
    const foreign = join(own, `read-another-host-${String(dead)}`);
    // A pod that was killed has another host name than the one in its place.
    const forgotten = join(own, 'read-killed-pod-7');
    for (const each of [leftover, foreign, forgotten]) mkdirSync(each);
    const longAgo = new Date(Date.now() - 25 * 60 * 60_000);
    utimesSync(forgotten, longAgo, longAgo);
    const other = await Engine.start();
    const parameters = { operation: 'diskRead', sizeKiB: 1, documents: 2, folder: own };
    await other.run({ node: 'loadTarget', parameters });
    expect(documentsIn(own)).toHaveLength(2);
    expect(existsSync(leftover)).toBe(false);
    await other.stop();
    expect(readdirSync(own)).toEqual([basename(foreign)]);
  });

  test('Disk Read that is cancelled while it prepares leaves nothing behind', async () => {
    const own = mkdtempSync(join(folder, 'cancelled-'));
    const parameters = { operation: 'diskRead', sizeKiB: 1024, documents: 1000, folder: own };
    const { status } = await run(parameters, { cancelAfterMs: 100 });
    expect(status).toBe('canceled');
    await eventually(() => documentsIn(own).length === 0);
  });

  test('Disk Read of more than serves a test is a mistake', async () => {
    const parameters = { operation: 'diskRead', sizeKiB: 262_144, documents: 10_000, folder };
    expect((await run(parameters)).error?.message).toBe(
      "'Documents' times 'Size (KiB)' must not be above 16 GiB, but it is 2500 GiB",
    );
  });

  test.each([
    { operation: 'json', sizeKiB: 262_144 },
    { operation: 'diskWrite', sizeKiB: 262_144 },
    { operation: 'diskRead', sizeKiB: 262_144, documents: 1 },
    { operation: 'payload', items: 5000, itemBytes: 100_000 },
  ])('$operation that does not fit into the heap is refused like Memory', async (parameters) => {
    const { error } = await run({ ...parameters, folder });
    expect(error?.message).toMatch(/^\d+ MiB of objects do not fit: \d+ MiB are free/);
    expect(error?.description).toContain("turn on 'May Crash n8n'");
  });

  test('files lie only where n8n allows nodes to write', async () => {
    const allowed = mkdtempSync(join(folder, 'allowed-'));
    const outside = mkdtempSync(join(folder, 'outside-'));
    symlinkSync(outside, join(allowed, 'link'));
    const other = await Engine.start([], 'inherit', {
      N8N_RESTRICT_FILE_ACCESS_TO: `${join(folder, 'nowhere')}; ${allowed}`,
    });
    try {
      const write = (where: string): Promise<RunResult> =>
        other.run({
          node: 'loadTarget',
          parameters: { operation: 'diskWrite', sizeKiB: 1, folder: where },
        });
      for (const where of [outside, join(allowed, 'link'), join(allowed, '..', 'x'), '/etc/x']) {
        const { error } = await write(where);
        expect(error?.message).toBe(`'Folder' is ${where}, which n8n does not let nodes access`);
        expect(error?.description).toContain(allowed);
      }
      const path = (result: RunResult): unknown =>
        (reportOf(result).achieved as Record<string, unknown>)['path'];
      expect(path(await write(join(allowed, 'new/er')))).toContain(
        join(allowed, 'new/er/written-'),
      );
      expect(path(await write(''))).toContain(join(folder, 'nowhere/n8n-load-target/written-'));
      expect(readdirSync(outside)).toEqual([]);
    } finally {
      await other.stop();
    }
  });

  test('Disk Write returns what it wrote and removes it in the background', async () => {
    const own = mkdtempSync(join(folder, 'write-'));
    const wrote = await report({ operation: 'diskWrite', sizeKiB: 4, folder: own, flush: true });
    expect(wrote.achieved['sizeKiB']).toBe(4);
    expect(JSON.stringify(documentOf(wrote))).toHaveLength(4096);
    const path = String((wrote.achieved as Record<string, unknown>)['path']);
    expect(path.startsWith(own)).toBe(true);
    await eventually(() => !existsSync(path));
  });

  test('a folder that cannot be is a mistake', async () => {
    const message = async (where: string): Promise<string | undefined> =>
      (await run({ operation: 'diskWrite', folder: where })).error?.message;
    expect(await message('not/absolute')).toMatch(/^'Folder' must be an absolute path/);
    expect(await message('/etc/hostname/in')).toMatch(/^'Folder' cannot be used: ENOTDIR/);
  });
});

describe('Payload', () => {
  test('items have the asked number and length, all paired with their input', async () => {
    const { items } = await run(
      { operation: 'payload', items: 3, itemBytes: 1000 },
      { items: [{ json: {} }, { json: {} }] },
    );
    expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
      [0, 0, 0, 1, 1, 1].map((item) => ({ item })),
    );
    for (const { json } of items) expect(json['text']).toHaveLength(1000);
  });

  test('binary data has the asked size', async () => {
    const result = await run({ operation: 'payload', payloadKind: 'binary', binaryMiB: 1 });
    expect(reportOf(result).achieved['bytes']).toBe(MIB);
    expect(Buffer.from(result.items[0]?.binary?.['data']?.data ?? '', 'base64')).toHaveLength(MIB);
  });

  test('too much in all is a mistake', async () => {
    const { error } = await run({ operation: 'payload', items: 1000, itemBytes: 1_000_000 });
    expect(error?.message).toMatch(/must not be above 536870912 bytes, but it is 1000000000$/);
  });
});

/** What a workflow can ask of an item of an error: its keys, the status, and n8n's words for it. */
function essence({ json, pairedItem }: Item): object {
  const { error, details } = json as { error: Record<string, unknown>; details: Report['asked'] };
  return {
    ...{ keys: Object.keys(json).sort(), pairedItem, status: error['status'], code: error['code'] },
    ...{ name: error['name'], httpCode: details['httpCode'], message: details['message'] },
  };
}

describe('what an administrator has not allowed', () => {
  const dangerous = [
    { operation: 'memory', sizeMiB: 1, holdMs: 0, mayCrash: true },
    { operation: 'memory', sizeMiB: 1, holdMs: 0, afterwards: 'leak' },
    { operation: 'json', sizeKiB: 1, mayCrash: true },
    { operation: 'payload', items: 1, mayCrash: true },
    { operation: 'diskWrite', sizeKiB: 1, mayCrash: true },
    { operation: 'diskRead', sizeKiB: 1, documents: 1, mayCrash: true },
    { operation: 'cpu', cpuTimeMs: 1, mayFreeze: true },
  ];
  const beyond = [
    [{ operation: 'memory', sizeMiB: 3, holdMs: 0 }, /2 MiB, but it asks for 3 MiB$/],
    [{ operation: 'json', sizeKiB: 2049 }, /2 MiB, but it asks for 3 MiB$/],
    [{ operation: 'diskWrite', sizeKiB: 2049 }, /2 MiB, but it asks for 3 MiB$/],
    [{ operation: 'diskRead', sizeKiB: 1024, documents: 3 }, /2 MiB, but it asks for 3 MiB$/],
    [{ operation: 'payload', items: 4, itemBytes: 800_000 }, /2 MiB, but it asks for 4 MiB$/],
    [
      { operation: 'payload', payloadKind: 'binary', binaryMiB: 3 },
      /2 MiB, but it asks for 3 MiB$/,
    ],
    [{ operation: 'cpu', cpuTimeMs: 41 }, /40 ms, but it asks for 41 ms$/],
    [{ operation: 'cpu', until: 'loop', loopTo: 4e9 }, /40 ms, but it asks for \d+ ms$/],
    [{ operation: 'wait', waitMs: 41 }, /40 ms, but it asks for 41 ms$/],
    [{ operation: 'wait', distribution: 'exponential', meanMs: 41 }, /40 ms, but it asks for/],
    [{ operation: 'memory', sizeMiB: 1, holdMs: 41 }, /40 ms, but it asks for 41 ms$/],
    [
      {
        ...{ operation: 'memory', sizeMiB: 2, holdMs: 0 },
        ...{ growth: 'inSteps', stepMiB: 1, stepEveryMs: 41 },
      },
      /40 ms, but it asks for 41 ms$/,
    ],
  ] as const;
  let limited: Engine;
  beforeAll(async () => {
    const caps = { LOAD_TARGET_MAX_MIB: '2', LOAD_TARGET_MAX_MS: '40' };
    limited = await Engine.start([], 'inherit', { LOAD_TARGET_DANGEROUS: '', ...caps });
  }, 60_000);
  afterAll(() => limited.stop());
  const asked = (parameters: object): Promise<RunResult> =>
    limited.run({ node: 'loadTarget', parameters: { folder, ...parameters } });

  test.each(dangerous)(
    '%j is refused without LOAD_TARGET_DANGEROUS, and runs with it',
    async (given) => {
      const { error } = await asked(given);
      expect(error?.message).toMatch(
        /^'(May Crash n8n|May Freeze n8n|Leak)' can crash or block n8n/,
      );
      expect(error?.description).toContain('LOAD_TARGET_DANGEROUS=true');
      expect((await run({ folder, ...given })).error).toBeUndefined();
    },
  );

  test.each(beyond)('%j is beyond a limit of the environment', async (given, message) => {
    expect((await asked(given)).error?.message).toMatch(message);
  });

  test('an exponential wait is never longer than the limit', async () => {
    const items = Array.from({ length: 30 }, () => ({ json: {} }));
    const { items: waited } = await limited.run({
      ...{ node: 'loadTarget', items },
      parameters: { operation: 'wait', distribution: 'exponential', meanMs: 30 },
    });
    const drawn = waited.map(({ json }) => (json as unknown as Report).achieved['drawnMs'] ?? NaN);
    expect(Math.max(...drawn)).toBeLessThanOrEqual(40);
  });
});

describe('Fail', () => {
  const failing = { operation: 'fail', probability: 1 };

  test.each([
    [{ ...failing }, { operation: true, api: false, cancelled: false }],
    [
      { ...failing, failAs: 'httpStatus' },
      { operation: false, api: true, cancelled: false },
    ],
    [
      { operation: 'json', sizeKiB: -1 },
      { operation: true, api: false, cancelled: false },
    ],
  ])('%j throws an error of the class by which n8n knows it', async (parameters, known) => {
    expect((await run(parameters)).known).toEqual(known);
  });

  test('an execution that is cancelled ends with the error of which n8n reports nothing', async () => {
    const { known } = await run({ operation: 'wait', waitMs: 60_000 }, { cancelAfterMs: 50 });
    expect(known).toEqual({ operation: false, api: false, cancelled: true });
  });

  test('fails as a node error', async () => {
    const { status, error } = await run(failing);
    expect(status).toBe('error');
    expect(error).toMatchObject({ name: 'NodeOperationError', node: { name: 'Under Test' } });
  });

  test('fails as an HTTP status', async () => {
    const { error } = await run({ ...failing, failAs: 'httpStatus', httpStatus: 429 });
    expect(error).toMatchObject({ name: 'NodeApiError', httpCode: '429' });
  });

  test.each([429, 404, 503])(
    'as status %d goes on as HTTP Request does for a response of this status',
    async (httpStatus) => {
      const server = createServer((_request, response) => response.writeHead(httpStatus).end('{}'));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
      for (const onError of ['continueRegularOutput', 'continueErrorOutput', 'stopWorkflow']) {
        const settings = { onError };
        const real = await engine.run({
          ...{ node: 'httpRequest', parameters: { url } },
          settings: { ...settings, typeVersion: 4.5 },
        });
        const ours = await run({ ...failing, failAs: 'httpStatus', httpStatus }, { settings });
        const shown = ({ items, errorItems, error }: RunResult): object => ({
          items: items.map(essence),
          errorItems: errorItems.map(essence),
          error: error && { name: error.name, httpCode: error.httpCode, message: error.message },
        });
        expect(shown(ours)).toEqual(shown(real));
        expect(ours.items.length + ours.errorItems.length).toBe(onError === 'stopWorkflow' ? 0 : 1);
      }
      server.close();
    },
  );

  test('as something that is no error', async () => {
    const { status, error } = await run({ ...failing, failAs: 'thrownText' });
    expect(status).toBe('error');
    expect(error?.name).toBeUndefined();
  });

  test('fails with a probability, and as often as that', async () => {
    const items = Array.from({ length: 400 }, () => ({ json: {} }));
    const settings = { onError: 'continueRegularOutput' };
    const result = await run({ operation: 'fail', probability: 0.25 }, { items, settings });
    const failed = result.items.filter(({ json }) => 'error' in json).length;
    // 400 draws: 100 are expected, and 50 or 150 would be more than five standard deviations away.
    expect(failed).toBeGreaterThan(50);
    expect(failed).toBeLessThan(150);
  });
});

describe('items', () => {
  test('each item has its own parameters, by expression', async () => {
    const { items } = await run(
      { operation: 'wait', waitMs: '={{ $json.ms }}' },
      { items: [{ json: { ms: 1 } }, { json: { ms: '2' } }] },
    );
    expect(items.map(({ json }) => json['asked'])).toEqual([
      { distribution: 'fixed', ms: 1 },
      { distribution: 'fixed', ms: 2 },
    ]);
    expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
  });

  test('one that fails does not stop the others when the node is set to go on', async () => {
    const { status, items } = await run(
      { operation: 'json', sizeKiB: '={{ $json.size }}' },
      {
        items: [{ json: { size: 1 } }, { json: { size: -1 } }, { json: { size: 1 } }],
        settings: { onError: 'continueRegularOutput' },
      },
    );
    expect(status).toBe('success');
    expect(items[1]).toEqual({
      json: { error: "'Size (KiB)' must be from 1 to 262144, but it is -1" },
      pairedItem: { item: 1 },
    });
    expect(items[2]?.json).toHaveProperty('document');
  });

  test('the input is carried on when asked, and the report wins where names clash', async () => {
    const input = { headers: { 'x-load-id': 'a-1' }, operation: 'mine' };
    const { items } = await run(
      { operation: 'wait', waitMs: 0, includeInput: true },
      { items: [{ json: input }] },
    );
    expect(items[0]?.json).toMatchObject({ headers: { 'x-load-id': 'a-1' }, operation: 'wait' });
    const without = await run({ operation: 'wait', waitMs: 0 }, { items: [{ json: input }] });
    expect(without.items[0]?.json).not.toHaveProperty('headers');
  });
});
