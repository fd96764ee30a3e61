import fc from 'fast-check';
import { bottleneck, rank } from '../../../../cli/src/analysis/limits/bottleneck';
import type { LimitsInForce } from '../../../../cli/src/analysis/limits/facts';
import {
  isOfCpu,
  isOfMemory,
  limitName,
  LIMITS,
  rowOf,
} from '../../../../cli/src/analysis/limits/table';
import type { SampledRole } from '../../../../cli/src/analysis/metrics';
import type { Metric } from '../../../../cli/src/record/metrics';
import type {
  LimitedBy,
  MetricSample,
  RunEvent,
  Summary,
} from '../../../../cli/src/record/run-record';
import { sampleRun } from '../../../support/sample-run';

/** 30 s, a sample per second. */
const samplesOf = (
  role: SampledRole,
  metric: Metric,
  each: number | ((second: number) => number),
  instance: string = role,
): MetricSample[] =>
  Array.from({ length: 30 }, (_, second) => ({
    tMs: second * 1_000 + 3,
    role,
    instance,
    metric,
    value: typeof each === 'number' ? each : each(second),
  }));

const known: LimitsInForce = {
  measured: { fromMs: 0, toMs: 30_000 },
  hostCores: 2,
  hostMemoryMiB: 8_000,
  cpuCores: {},
  memoryMiB: {},
  heapMiB: {},
  workerSlots: null,
  executionSlots: null,
  runnerSlots: null,
  holdMs: 0,
};

const summary = (changes: Partial<Summary> = {}): Summary => ({
  ...sampleRun().record.summary,
  ...changes,
});

function limit(
  samples: MetricSample[],
  limits: Partial<LimitsInForce> = {},
  {
    healthy = false,
    changes = {},
    events = [],
  }: { healthy?: boolean; changes?: Partial<Summary>; events?: RunEvent[] } = {},
): LimitedBy {
  const facts = {
    samples,
    summary: summary(changes),
    limits: { ...known, ...limits },
    events,
  };
  return bottleneck(facts, healthy);
}

const waits = (ratePerSecond: number): Partial<Summary> => ({
  achieved: { requests: 60, ratePerSecond, shareOfOffered: 0.6 },
});

type Planted = [string, MetricSample[], Partial<LimitsInForce>, Partial<Summary>];

const planted = (
  [
    ['main event loop', samplesOf('main', 'loopCores', 0.97)],
    ['worker event loop', samplesOf('worker', 'loopCores', 0.95, 'worker-2')],
    ['webhook processor event loop', samplesOf('webhook', 'loopCores', 0.95)],
    ['runner event loop', samplesOf('runner', 'loopCores', 0.99, 'main')],
    ['upstream event loop', samplesOf('upstream', 'cpuCores', 0.96)],
    ['server event loop', samplesOf('server', 'loopCores', 0.97, 'server/4711')],
    [
      'main event loop',
      [...samplesOf('main', 'loopCores', 0.8), ...samplesOf('main', 'eventLoopLagMs', 300)],
    ],
    ['Redis thread', samplesOf('redis', 'loopCores', 0.95)],
    [
      'main CPU limit',
      [
        ...samplesOf('main', 'groupCpuCores', 0.198),
        ...samplesOf('main', 'groupCpuLimitCores', 0.2),
        ...samplesOf('main', 'throttledShare', 0.97),
        ...samplesOf('main', 'loopCores', 0.19),
      ],
    ],
    ['main CPU limit', samplesOf('main', 'cpuCores', 0.48), { cpuCores: { main: 0.5 } }],
    [
      'worker CPU limit',
      [
        ...samplesOf('worker', 'cpuCores', 0.3, 'worker-1'),
        ...samplesOf('runner', 'cpuCores', 0.18, 'worker-1'),
      ],
      { cpuCores: { worker: 0.5 } },
    ],
    [
      'PostgreSQL CPU limit',
      [
        ...samplesOf('postgresql', 'groupCpuCores', 0.1),
        ...samplesOf('postgresql', 'groupCpuLimitCores', 0.1),
      ],
    ],
    [
      'Redis CPU limit',
      [
        ...samplesOf('redis', 'groupCpuCores', 0.02),
        ...samplesOf('redis', 'groupCpuLimitCores', 0.02),
        ...samplesOf('redis', 'throttledShare', 0.9),
      ],
    ],
    ['host CPU', samplesOf('host', 'cpuCores', 1.95)],
    ['host CPU', samplesOf('host', 'cpuCores', (s) => (s % 10 < 5 ? 1.95 : 0.3))],
    [
      'host CPU',
      [
        ...samplesOf('host', 'cpuCores', 1.6),
        ...samplesOf('main', 'loopCores', 0.6),
        ...samplesOf('main', 'loopWaitShare', 0.3),
      ],
    ],
    [
      'host disk',
      [...samplesOf('host', 'ioPressureShare', 0.8), ...samplesOf('host', 'diskBusyShare', 0.99)],
    ],
    ['host memory', samplesOf('host', 'memoryAvailableMiB', 100)],
    [
      'worker slots',
      [
        ...samplesOf('redis', 'queueActive', 10),
        ...samplesOf('redis', 'queueWaiting', (s) => s * 4),
      ],
      { workerSlots: 10 },
    ],
    ['runner slots', [], { runnerSlots: 10, holdMs: 5_000 }, waits(2)],
    ['execution slots', [], { executionSlots: 5, holdMs: 5_000 }, waits(1)],
    [
      'main database pool',
      [
        ...samplesOf('main', 'dbPoolActive', 2),
        ...samplesOf('main', 'dbPoolMax', 2),
        ...samplesOf('main', 'dbPoolPending', 9),
      ],
    ],
    [
      'PostgreSQL connections',
      [
        ...samplesOf('postgresql', 'dbConnections', 12),
        ...samplesOf('postgresql', 'dbConnectionsMax', 12),
      ],
    ],
    [
      'PostgreSQL locks',
      [
        ...samplesOf('postgresql', 'dbLocksWaiting', 3),
        ...samplesOf('postgresql', 'dbActiveConnections', 4),
        ...samplesOf('main', 'dbPoolActive', 4),
        ...samplesOf('main', 'dbPoolMax', 4),
        ...samplesOf('main', 'dbPoolPending', 9),
      ],
    ],
    ['main memory', samplesOf('main', 'oomKills', (s) => (s > 15 ? 1 : 0))],
    [
      'worker memory',
      [
        ...samplesOf('worker', 'groupWorkingSetMiB', 500, 'worker-1'),
        ...samplesOf('worker', 'groupMemoryLimitMiB', 512, 'worker-1'),
      ],
    ],
    // A process and its runner share the limit, though neither fills it.
    [
      'main memory',
      [...samplesOf('main', 'rssMiB', 600), ...samplesOf('runner', 'rssMiB', 400, 'main')],
      { memoryMiB: { main: 1_024 } },
    ],
    [
      'main heap',
      samplesOf('main', 'heapUsedMiB', (s) => 200 + s * 11),
      { heapMiB: { main: 512 } },
    ],
    [
      'main open files',
      [...samplesOf('main', 'openFiles', 1_020), ...samplesOf('main', 'openFilesMax', 1_024)],
    ],
    [
      'Redis maxmemory',
      [...samplesOf('redis', 'redisMemoryMiB', 10), ...samplesOf('redis', 'redisMemoryMaxMiB', 10)],
    ],
  ] satisfies [string, MetricSample[], Partial<LimitsInForce>?, Partial<Summary>?][]
).map(([name, samples, limits = {}, changes = {}]): Planted => [name, samples, limits, changes]);

test.each(planted)('%s is named where it alone is used up', (name, samples, limits, changes) => {
  const found = limit(samples, limits, { changes });
  expect(limitName(found.limit)).toBe(name);
  expect(found.utilisation).toEqual(expect.any(Number));
  expect(found.evidence).toMatch(/\d|once/);
  expect(found.evidence).not.toMatch(/NaN|Infinity|undefined|null/);
  expect(found.ranked?.[0]).toMatchObject({ ...found.limit, isUsedUp: true });
});

test('every row of the table has a planted limit here', () => {
  const named = new Set(planted.map(([name]) => name));
  // Those differ from a planted one by the role alone.
  const alike =
    /^(webhook processor|balancer|upstream|server|worker|PostgreSQL|Redis) (CPU limit|memory|heap|open files|database pool)$/;
  const missing = LIMITS.map(({ name }) => name).filter(
    (name) => !named.has(name) && !alike.test(name) && name !== 'load generator',
  );
  expect(missing).toEqual([]);
});

test('rows are told apart by role and resource, and by their names', () => {
  expect(new Set(LIMITS.map(({ role, resource }) => `${role} ${resource}`)).size).toBe(
    LIMITS.length,
  );
  expect(new Set(LIMITS.map(({ name }) => name)).size).toBe(LIMITS.length);
});

describe('which of several is the cause', () => {
  const slots = [
    ...samplesOf('redis', 'queueActive', 10),
    ...samplesOf('redis', 'queueWaiting', (s) => s * 4),
  ];

  test('full slots over a worker at its CPU limit: more slots would not help', () => {
    const found = limit([...slots, ...samplesOf('worker', 'cpuCores', 0.49)], {
      workerSlots: 10,
      cpuCores: { worker: 0.5 },
    });
    expect(limitName(found.limit)).toBe('worker CPU limit');
    expect(limitName(found.runnerUp ?? null)).toBe('worker slots');
  });

  test.each([0.1, 0.3, 0.4])(
    'full slots do not yield to a limit that is not reached: %d',
    (cores) => {
      const limits = { workerSlots: 10, cpuCores: { worker: 0.5 } };
      expect(
        limitName(limit([...slots, ...samplesOf('worker', 'cpuCores', cores)], limits).limit),
      ).toBe('worker slots');
    },
  );

  test('full slots do not yield to a busy main: its queue would not grow', () => {
    expect(
      limitName(
        limit([...slots, ...samplesOf('main', 'loopCores', 0.95)], { workerSlots: 10 }).limit,
      ),
    ).toBe('worker slots');
  });

  describe('slots that are full with no task held longer than the workload asks for', () => {
    const at = (cores: number, stopped: number): string =>
      limitName(
        limit(
          [
            ...samplesOf('main', 'cpuCores', cores),
            ...samplesOf('main', 'throttledShare', stopped),
          ],
          { runnerSlots: 10, holdMs: 5_000, cpuCores: { main: 1 } },
          { changes: waits(2) },
        ).limit,
      );

    test.each([0.1, 0.28, 0.6, 0.85])(
      'do not yield to a CPU limit reached in bursts: %d',
      (cores) => {
        expect(at(cores, 0.187)).toBe('runner slots');
        expect(at(cores, 0.6)).toBe('runner slots');
      },
    );

    test('yield to one that leaves nothing', () => {
      expect(at(0.97, 0.6)).toMatch(/^main /);
    });
  });

  test('a full pool over a PostgreSQL at its CPU limit is the fault of PostgreSQL', () => {
    const found = limit(
      [
        ...samplesOf('worker', 'dbPoolActive', 4),
        ...samplesOf('worker', 'dbPoolMax', 4),
        ...samplesOf('worker', 'dbPoolPending', 9),
        ...samplesOf('postgresql', 'groupCpuCores', 0.2),
        ...samplesOf('postgresql', 'groupCpuLimitCores', 0.2),
        ...slots,
      ],
      { workerSlots: 10 },
    );
    expect(found.ranked?.slice(0, 3).map(limitName)).toEqual([
      'PostgreSQL CPU limit',
      'worker slots',
      'worker database pool',
    ]);
  });

  test('a thread at its end comes before the machine that is busy too', () => {
    const found = limit([
      ...samplesOf('main', 'loopCores', 0.95),
      ...samplesOf('host', 'cpuCores', 1.99),
    ]);
    expect(found).toMatchObject({
      limit: { role: 'main', resource: 'event loop' },
      runnerUp: { role: 'host', resource: 'CPU' },
    });
  });

  test('a thread that waits for a CPU is not the limit, the machine is', () => {
    const found = limit([
      ...samplesOf('main', 'loopCores', 0.65),
      ...samplesOf('main', 'loopWaitShare', 0.33),
      ...samplesOf('host', 'cpuCores', 1.98),
    ]);
    expect(limitName(found.limit)).toBe('host CPU');
    expect(found.evidence).toContain('waited for a CPU 33%');
  });

  test('the machine says who used it', () => {
    const found = limit([
      ...samplesOf('host', 'cpuCores', 1.98),
      ...samplesOf('main', 'cpuCores', 0.5),
      ...samplesOf('postgresql', 'cpuCores', 0.7, 'postgresql/7'),
    ]);
    expect(found.evidence).toContain('(PostgreSQL 0.7, something else 0.58, main 0.5');
  });

  test('a saturated generator comes before everything else', () => {
    const generator = {
      ...{ cpuCores: 1.9, coresAvailable: 2, notSent: 40, latenessMs: null, newConnections: null },
      ...{
        faults: [{ kind: 'busy', text: 'k6 used 1.9 of the 2 cores it may use' }],
        saturated: true,
      },
    };
    const found = limit(samplesOf('main', 'loopCores', 0.99), {}, { changes: { generator } });
    expect(limitName(found.limit)).toBe('load generator');
    expect(found.evidence).toContain('1.9 of the 2 cores');
  });
});

describe('a process that ended for want of memory', () => {
  const ended = (resource: 'memory' | 'heap'): RunEvent => ({
    tMs: 9_000,
    kind: resource === 'heap' ? 'exit' : 'oom-kill',
    text: 'worker-1 ended',
    exhausted: { role: 'worker', resource },
  });
  const busy = samplesOf('worker', 'loopCores', 0.99);

  test.each(['memory', 'heap'] as const)('comes before a busy CPU: %s', (resource) => {
    const found = limit(busy, { heapMiB: { worker: 256 } }, { events: [ended(resource)] });
    expect(limitName(found.limit)).toBe(`worker ${resource}`);
    expect(limitName(found.runnerUp ?? null)).toBe('worker event loop');
  });

  test('one that ended for another reason explains nothing', () => {
    const event = { tMs: 9_000, kind: 'exit', text: 'worker-1 ended: signal SIGKILL' };
    expect(limitName(limit(busy, {}, { events: [event] }).limit)).toBe('worker event loop');
  });
});

describe('where nothing was used up', () => {
  test('a healthy run was limited by nothing, and says what would come next', () => {
    const found = limit(samplesOf('main', 'loopCores', 0.5), {}, { healthy: true });
    expect(found).toMatchObject({
      limit: null,
      runnerUp: { role: 'main', resource: 'event loop' },
    });
  });

  test('a failed run is put down to what came nearest', () => {
    const found = limit([
      ...samplesOf('runner', 'loopCores', 0.84, 'main'),
      ...samplesOf('main', 'loopCores', 0.4),
    ]);
    expect(limitName(found.limit)).toBe('runner event loop');
    expect(found.evidence).toContain('closer to its limit than any other resource');
    expect(limitName(found.runnerUp ?? null)).toBe('main event loop');
  });

  test('a failed run with much memory in use is not put down to it', () => {
    const memory = samplesOf('host', 'memoryAvailableMiB', 1_000);
    expect(limit(memory).limit).toBeNull();
    const found = limit([...memory, ...samplesOf('main', 'loopCores', 0.75)]);
    expect(found).toMatchObject({
      limit: { role: 'main', resource: 'event loop' },
      runnerUp: { role: 'host', resource: 'memory' },
    });
    expect(found.evidence).toContain('any other resource that slows requests');
  });

  test('a failed run with an idle machine has an unknown limit, and the list', () => {
    const found = limit(samplesOf('main', 'loopCores', 0.2));
    expect(found).toMatchObject({
      limit: null,
      runnerUp: { role: 'main', resource: 'event loop' },
    });
    expect(found.evidence).toContain('20% of main event loop');
  });

  test('a run without samples has no limit', () => {
    expect(limit([]).limit).toBeNull();
  });
});

test('only the part that is looked at counts', () => {
  const samples = samplesOf('main', 'loopCores', (s) => (s < 20 ? 0.1 : 0.99));
  expect(limit(samples).limit).toBeNull();
  expect(limitName(limit(samples, { measured: { fromMs: 20_000, toMs: 30_000 } }).limit)).toBe(
    'main event loop',
  );
});

test('forks that live shorter than a tick count: the group is what its limit is compared with', () => {
  const found = limit([
    ...samplesOf('main', 'cpuCores', 0.1),
    ...samplesOf('main', 'groupCpuCores', 0.99),
    ...samplesOf('main', 'groupCpuLimitCores', 1),
  ]);
  expect(limitName(found.limit)).toBe('main CPU limit');
});

test('300,000 samples are no problem', () => {
  const many = Array.from({ length: 300_000 }, (_, i): MetricSample => ({
    tMs: i / 10,
    role: 'main',
    instance: 'main',
    metric: i % 2 === 0 ? 'heapUsedMiB' : 'loopCores',
    value: i % 2 === 0 ? 100 : 0.95,
  }));
  expect(limitName(limit(many, { heapMiB: { main: 512 } }).limit)).toBe('main event loop');
});

test('limits of memory are known as such', () => {
  const limits = LIMITS.map(({ role, resource }) => ({ role, resource }));
  expect(limits.filter(isOfMemory).map(limitName)).toEqual(
    LIMITS.filter(({ kind }) => kind === 'space').map(({ name }) => name),
  );
  expect(isOfMemory(null)).toBe(false);
});

test('limits of CPU are threads and CPU limits of what is loaded, and the CPU of the machine', () => {
  expect(LIMITS.filter(isOfCpu).map(limitName)).toEqual([
    ...['main', 'webhook processor', 'worker', 'runner', 'server'].map(
      (one) => `${one} event loop`,
    ),
    ...['main', 'webhook processor', 'worker', 'server'].map((one) => `${one} CPU limit`),
    'host CPU',
  ]);
  expect(isOfCpu(null)).toBe(false);
});

const readings = fc.subarray([...LIMITS], { minLength: 1 }).chain((rows) =>
  fc.tuple(
    ...rows.map((row) =>
      fc
        .record({
          utilisation: fc.double({ min: 0, max: 1, noNaN: true }),
          isUsedUp: fc.boolean(),
        })
        .map((reading) => ({ row, reading: { ...reading, evidence: '' } })),
    ),
  ),
);

test('whatever was seen, the order is the same and has its reasons', () => {
  fc.assert(
    fc.property(readings, (all) => {
      const ranked = rank(all);
      expect(ranked.map(limitName).sort()).toEqual(all.map(({ row }) => row.name).sort());
      // Nothing with room left comes before something without.
      const firstWithRoom = ranked.findIndex(({ isUsedUp }) => !isUsedUp);
      if (firstWithRoom >= 0) {
        expect(ranked.slice(firstWithRoom).some(({ isUsedUp }) => isUsedUp)).toBe(false);
        const free = ranked.slice(firstWithRoom).map(({ utilisation }) => utilisation);
        expect([...free].sort((a, b) => b - a)).toEqual(free);
      }
      const first = ranked[0] && rowOf(ranked[0]);
      const usedUp = all.filter(({ reading }) => reading.isUsedUp);
      if (usedUp.some(({ row }) => row.kind === 'generator')) expect(first?.kind).toBe('generator');
      // What comes first is never explained by something else, unless all explain each other.
      const unexplained = usedUp
        .map(({ row }) => row)
        .filter(
          (row) =>
            !usedUp.some(
              (other) => other.row !== row && row.explainedBy?.(other.row, other.reading),
            ),
        );
      if (unexplained.length > 0) expect(unexplained).toContain(first);
      expect(rank([...all].reverse()).map(({ utilisation }) => utilisation)).toEqual(
        ranked.map(({ utilisation }) => utilisation),
      );
    }),
  );
});

test('no row explains another that explains it', () => {
  const reading = { utilisation: 1, isUsedUp: true, evidence: '' };
  for (const a of LIMITS) {
    for (const b of LIMITS) {
      if (a === b || a.explainedBy?.(b, reading) !== true) continue;
      expect(b.explainedBy?.(a, reading) ?? false).toBe(false);
    }
  }
});
