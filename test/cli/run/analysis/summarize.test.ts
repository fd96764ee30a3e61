import { growth, totals } from '../../../../cli/src/analysis/metrics';
import { assess, breachOf } from '../../../../cli/src/analysis/slo/slo';
import { RequestFigures } from '../../../../cli/src/analysis/requests/figures';
import { latency } from '../../../../cli/src/analysis/requests/latency';
import {
  summarize as summarizeFigures,
  type RunFacts,
  meanCores,
} from '../../../../cli/src/run/analysis/summarize';
import { verdict, type VerdictFacts } from '../../../../cli/src/run/analysis/verdict';
import { parseSlos, type Slo } from '../../../../loadtests/lib/slo';
import type {
  LimitedBy,
  MetricSample,
  RequestSample,
  Summary,
} from '../../../../cli/src/record/run-record';

const request = (tMs: number, durationMs: number, errorKind = ''): RequestSample => ({
  tMs,
  durationMs,
  status: errorKind ? 500 : 200,
  ok: errorKind === '',
  errorKind,
  id: String(tMs),
  workload: 'last-node',
  ranBy: errorKind ? '' : 'host-1/42/main',
});

type Facts = RunFacts & { thinkTimeMs?: number };

function summarize(
  requests: readonly RequestSample[],
  samples: readonly MetricSample[],
  given: Facts,
): Summary {
  const figures = new RequestFigures(given);
  for (const each of requests) figures.add(each);
  return summarizeFigures(figures, samples, given);
}

const facts = (changes: Partial<Facts> = {}): Facts => ({
  measured: { fromMs: 5_000, toMs: 35_000 },
  loop: 'open',
  slos: [],
  generator: { cpuCoresMean: 0.2, coresAvailable: 2, notSent: 0 },
  executions: null,
  queueDrained: null,
  ...changes,
});

/** 50 a second for 35 s, 20 ms each, every 20th an error. */
const steady = Array.from({ length: 1_750 }, (_, i) =>
  request(i * 20, 20, i % 20 === 7 ? 'status 500' : ''),
);

const samplesOf = (
  role: string,
  metric: string,
  each: (second: number) => number,
  instance = '1',
) =>
  Array.from({ length: 36 }, (_, second): MetricSample => ({
    tMs: second * 1_000 + 3,
    role,
    instance,
    metric,
    value: each(second),
  }));

describe('summary', () => {
  test('tells each stall of the system once, during the warm-up too, and none of a steady one', () => {
    const stalled = (atMs: number, stallMs: number) =>
      steady
        .map((request) =>
          request.tMs >= atMs && request.tMs < atMs + stallMs
            ? { ...request, durationMs: atMs + stallMs + 20 - request.tMs }
            : request,
        )
        .sort((one, other) => one.tMs + one.durationMs - other.tMs - other.durationMs);
    const slos = parseSlos('p95<300ms,errors<10%');
    const told = (requests: typeof steady) =>
      summarize(requests, [], { ...facts(), slos }).stallsMs;
    expect(told(steady)).toEqual([]);
    for (const atMs of [2_000, 15_000]) {
      const [stall = 0, ...more] = told(stalled(atMs, 1_600)) ?? [];
      expect(Math.abs(stall - 1_600)).toBeLessThan(50);
      expect(more).toEqual([]);
    }
  });

  test('of a steady load states exactly what happened after the warm-up', () => {
    const summary = summarize(steady, [], facts());
    expect(summary.offered).toEqual({ requests: 1_500, ratePerSecond: 50 });
    expect(summary.achieved).toEqual({
      requests: 1_425,
      ratePerSecond: 47.5,
      shareOfOffered: 0.95,
    });
    expect(summary.errors).toEqual({
      ...{ requests: 75, share: 0.05, byKind: { 'status 500': 75 } },
      interval: {
        low: expect.closeTo(0.039, 3) as number,
        high: expect.closeTo(0.064, 3) as number,
      },
    });
    expect(summary.latencyMs).toMatchObject({ count: 1_425, p50: 20, p99: 20, max: 20 });
    expect(summary.littlesLaw?.ratio).toBeCloseTo(1, 2);
    expect(summary.spread).toEqual([{ host: 'host-1', pid: 42, role: 'main', requests: 1_425 }]);
    expect(summary.cpuMillisecondsPerRequest).toBeNull();
  });

  test('warm-up errors do not count', () => {
    const coldStart = steady.map((r) => (r.tMs < 3_000 ? request(r.tMs, 5, 'status 404') : r));
    expect(summarize(coldStart, [], facts()).errors.byKind).toEqual({ 'status 500': 75 });
  });

  test('a workload that takes 5 s by design loses nothing at the end of the window', () => {
    const waits = Array.from({ length: 300 }, (_, i) => request(i * 100, 5_000));
    const summary = summarize(waits, [], facts({ measured: { fromMs: 0, toMs: 30_000 } }));
    expect(summary.achieved.shareOfOffered).toBe(1);
  });

  test('an overloaded system is credited only with what it answered in time', () => {
    // 50 a second offered, 25 a second served: the n-th is answered at 40 ms x n.
    const late = Array.from({ length: 1_500 }, (_, i) => request(i * 20, (i + 1) * 40 - i * 20));
    const summary = summarize(late, [], facts({ measured: { fromMs: 0, toMs: 30_000 } }));
    expect(summary.achieved.ratePerSecond).toBeCloseTo(25, 1);
    expect(summary.achieved.shareOfOffered).toBeCloseTo(0.5, 2);
  });

  test('requests without an answer count as errors and as slow, with their age', () => {
    const hanging = [...steady.slice(0, 1_700), request(34_500, 30_000, 'unanswered')];
    const summary = summarize(hanging, [], facts());
    expect(summary.unanswered).toEqual({ requests: 1, oldestAgeMs: 30_000 });
    expect(summary.errors.byKind.unanswered).toBe(1);
    expect(summary.latencyMs?.max).toBe(30_000);
  });

  test('the p95 of all requests counts a rejected one as never answered, and one that hung by its age', () => {
    // 100 requests that took 1 to 100 ms; the slowest of them are answered otherwise.
    const p95 = (errorKinds: readonly string[]) =>
      summarize(
        Array.from({ length: 100 }, (_, i) => request(i * 10, i + 1, errorKinds[99 - i] ?? '')),
        [],
        facts({ measured: { fromMs: 0, toMs: 1_000 } }),
      ).p95OfAllMs;
    const times = (count: number, kind: string): string[] => Array<string>(count).fill(kind);
    expect(p95([])).toBe(95);
    expect(p95(['reset'])).toBe(95);
    expect(p95(times(5, 'refused'))).toBe(95);
    expect(p95(times(6, 'refused'))).toBeNull();
    expect(p95(times(6, 'timeout'))).toBe(95);
    // A fast rejection makes the others no faster.
    const first = Array.from({ length: 100 }, (_, i) => (i >= 97 ? 'reset' : ''));
    expect(p95(first)).toBe(98);
  });

  test('a quick error does not make a latency', () => {
    expect(latency([request(0, 1, 'refused'), request(0, 80)])).toMatchObject({
      count: 1,
      mean: 80,
    });
    expect(latency([request(0, 1, 'refused')])).toBeNull();
  });

  test("a closed loop's requests in flight are its clients", () => {
    const clients = Array.from({ length: 8 }, (_, client) =>
      Array.from({ length: 60 }, (_, i) => request(i * 600 + client * 75, 500)),
    ).flat();
    const summary = summarize(clients, [], facts({ loop: 'closed', clients: 8, thinkTimeMs: 100 }));
    expect(summary.littlesLaw?.observed).toBe(8);
    expect(summary.littlesLaw?.ratio).toBeCloseTo(1, 2);
  });

  test('requests that could not be sent were not offered, and make the run invalid', () => {
    const held = { cpuCoresMean: 0.2, coresAvailable: 2, notSent: 500 };
    const summary = summarize(steady, [], facts({ generator: held }));
    expect(summary.offered.requests).toBe(1_500);
    expect(summary.generator.saturated).toBe(true);
    expect(summary.generator.faults.map(({ text }) => text).join()).toContain(
      '500 due requests could not be sent',
    );
  });

  test('a role has the memory and CPU of all its instances together, and restarts from counters', () => {
    const samples = [
      ...samplesOf('worker', 'rssMiB', () => 300, 'worker-1'),
      ...samplesOf('worker', 'rssMiB', (s) => (s === 20 ? 700 : 500), 'worker-2'),
      ...samplesOf('worker', 'cpuCores', () => 0.3, 'worker-1'),
      ...samplesOf('worker', 'restarts', (s) => (s < 10 ? 0 : 2), 'worker-1'),
    ];
    const summary = summarize(steady, samples, facts());
    expect(summary.roles).toEqual([
      {
        role: 'worker',
        instances: 2,
        rssPeakMiB: 1_000,
        rssPeakOfOneMiB: 700,
        rssMedianMiB: 800,
        cpuCoresMean: expect.closeTo(0.3, 6) as number,
        processesPeak: null,
        restarts: 2,
        oomKills: 0,
        throttledShare: null,
      },
    ]);
    expect(summary.cpuMillisecondsPerRequest).toBeCloseTo(300 / 47.5, 6);
  });

  test('the peak of one instance counts its children, and is not the average of peaks that differ', () => {
    const samples = [
      ...samplesOf('worker', 'rssMiB', (s) => (s === 10 ? 1_400 : 600), 'worker-1'),
      ...samplesOf('worker', 'rssMiB', (s) => (s === 10 ? 100 : 50), 'worker-1/4711'),
      ...samplesOf('worker', 'rssMiB', () => 600, 'worker-2'),
      ...samplesOf('worker', 'rssMiB', () => 600, 'worker-3'),
    ];
    const [worker] = summarize(steady, samples, facts()).roles;
    expect(worker).toMatchObject({ instances: 3, rssPeakMiB: 2_700, rssPeakOfOneMiB: 1_500 });
  });

  test('CPU per request counts executions that were completed, not acceptances that wait in a backlog', () => {
    const samples = samplesOf('main', 'cpuCores', () => 0.6);
    const cpuMs = (requests: number): number | null => {
      const completions = {
        ...{ requests, ratePerSecond: requests / 30, shareOfOffered: requests / 1_500 },
        ...{ openAtEnd: 0, source: 'database' },
      };
      const completed = { completions, open: [] };
      return summarize(steady, samples, facts({ completed })).cpuMillisecondsPerRequest;
    };
    expect(cpuMs(600)).toBeCloseTo((600 * 30) / 600, 6);
    // What n8n had accepted before the measured part and completed in it was not offered in it.
    expect(cpuMs(1_500)).toBeCloseTo(600 / 47.5, 6);
    expect(cpuMs(0)).toBeNull();
  });

  test('a queue that grows has a slope, one that wavers has none', () => {
    const growing = samplesOf('redis', 'queueWaiting', (s) => s * 3);
    const wavering = samplesOf('redis', 'queueWaiting', (s) => [4, 6, 5, 4, 5][s % 5] ?? 0);
    const inQueue = facts({ queueDrained: { seconds: 12 } });
    expect(summarize(steady, growing, inQueue).backlog).toEqual({
      atEnd: 102,
      slopePerSecond: expect.closeTo(3, 6) as number,
      drainedAfterSeconds: 12,
    });
    expect(summarize(steady, wavering, inQueue).backlog?.slopePerSecond).toBe(0);
  });
});

describe('series', () => {
  test('an instance that has ended no longer counts', () => {
    const two = [
      ...samplesOf('main', 'rssMiB', () => 100, 'a'),
      ...samplesOf('main', 'rssMiB', () => 50, 'b').filter(({ tMs }) => tMs < 10_000),
    ];
    const series = totals(two, { metric: 'rssMiB' });
    expect(series.find(({ tMs }) => tMs === 5_003)?.value).toBe(150);
    expect(series.find(({ tMs }) => tMs === 20_003)?.value).toBe(100);
  });

  test('a counter that begins again at 0 has not shrunk', () => {
    const counter = samplesOf('main', 'oomKills', (s) => [0, 1, 2, 0, 1][s] ?? 1);
    expect(growth(counter, { metric: 'oomKills' })).toBe(3);
  });
});

const slo = (metric: Slo['metric'], operator: Slo['operator'], bound: number): Slo => ({
  text: `${metric}${operator}${String(bound)}`,
  metric,
  operator,
  bound,
});

const breaches = (slos: Slo[], summary: Summary) =>
  slos
    .map((each) => assess(each, summary, { asSeen: true }))
    .filter(({ state }) => state !== 'met')
    .map(breachOf);

describe('SLOs', () => {
  const summary = summarize(steady, [], facts());

  test('hold at their bound or not, as they are written', () => {
    expect(breaches([slo('errors', '<', 0.05)], summary)).toHaveLength(1);
    expect(breaches([slo('errors', '<=', 0.05)], summary)).toHaveLength(0);
    expect(breaches([slo('p99.9', '<', 21), slo('throughput', '>=', 0.95)], summary)).toHaveLength(
      0,
    );
  });

  test('a breach says what was measured', () => {
    expect(breaches([slo('p95', '<', 10)], summary)).toEqual([
      { slo: 'p95<10', measured: 20, text: 'p95 20 ms, limit 10 ms' },
    ]);
  });

  test('a latency without any answer does not hold', () => {
    expect(breaches([slo('p95', '<', 10)], { ...summary, latencyMs: null })).toHaveLength(1);
  });

  test('a queue that did not drain breaks backlog=0', () => {
    const stuck = {
      ...summary,
      backlog: { atEnd: 7, slopePerSecond: 0, drainedAfterSeconds: null },
    };
    expect(breaches([slo('backlog', '=', 0)], stuck)[0]?.measured).toBe(7);
  });
});

describe('verdict', () => {
  const run: VerdictFacts = {
    workload: 'last-node',
    profile: 'load',
    lengthMs: 35_000,
    answers: 'when-done',
    executionsPerRequest: 1,
    aborted: null,
    failedSamplers: [],
    loop: 'open',
    events: [],
    stealShare: null,
    otherCores: null,
  };
  const none = (): LimitedBy => ({ limit: null, evidence: '' });
  const clean = summarize(
    steady.map((r) => request(r.tMs, r.durationMs)),
    [],
    facts(),
  );
  const judge = (summary: Summary, changes: Partial<VerdictFacts> = {}) =>
    verdict([slo('p95', '<', 300)], summary, none, { ...run, ...changes });

  test('is "sustained" in one sentence, and is without doubts', () => {
    expect(judge(clean)).toMatchObject({
      outcome: 'sustained',
      sentence: 'n8n sustained 50 req/s of last-node: p95 20 ms, no errors.',
      breaches: [],
      doubts: [],
    });
  });

  test('falling behind fails without being asked for', () => {
    const behind = {
      ...clean,
      achieved: { requests: 1_200, ratePerSecond: 40, shareOfOffered: 0.8 },
    };
    const limited = (): LimitedBy => ({
      limit: { role: 'main', resource: 'event loop' },
      evidence: 'main used 0.97 of its one thread',
    });
    expect(verdict([], behind, limited, run).sentence).toBe(
      'n8n did not sustain 50 req/s of last-node: 40 of 50 req/s got the expected response, limit 95%; limited by main event loop.',
    );
  });

  test('a restart fails the run', () => {
    const events = [{ tMs: 9_000, kind: 'restart', text: 'main restarted' }];
    expect(judge(clean, { events }).breaches).toEqual([
      { slo: 'no restart', measured: 1, text: 'main restarted, 9 s into the load' },
    ]);
  });

  test('a saturated generator is invalid, not failed', () => {
    const generator = {
      ...clean.generator,
      faults: [{ kind: 'late', text: 'it was late' }],
      saturated: true,
    };
    const slow = { ...clean, generator, achieved: { ...clean.achieved, shareOfOffered: 0.5 } };
    expect(judge(slow).outcome).toBe('invalid');
  });

  test('a run that was broken off says so', () => {
    expect(judge(clean, { aborted: 'k6 was killed' })).toMatchObject({
      outcome: 'aborted',
      sentence: 'The run of last-node was aborted: k6 was killed.',
    });
  });

  test('names every doubt', () => {
    const doubtful: Summary = {
      ...clean,
      latencyMs: clean.latencyMs && { ...clean.latencyMs, count: 12 },
      littlesLaw: { predicted: 4, observed: 9, ratio: 0.44 },
      executions: {
        succeeded: 900,
        failed: 0,
        unfinished: 0,
        source: 'database',
        requests: 1_500,
        expectedResponses: 1_500,
      },
    };
    const { doubts } = judge(doubtful, { failedSamplers: ['redis'], stealShare: 0.1 });
    expect(doubts).toHaveLength(5);
  });
});

describe('the CPU of a role', () => {
  const measured = { fromMs: 0, toMs: 36_000 };

  test('counts what its group used, so also forks that no tick saw', () => {
    const samples = [
      ...samplesOf('main', 'cpuCores', () => 0.2, 'main'),
      ...samplesOf('main', 'groupCpuCores', () => 0.9, 'main'),
    ];
    expect(meanCores(samples, 'main', measured)).toBeCloseTo(0.9);
  });

  test('leaves the task runner, a role of its own, out', () => {
    const samples = [
      ...samplesOf('main', 'groupCpuCores', () => 0.9, 'main'),
      ...samplesOf('runner', 'cpuCores', () => 0.3, 'main'),
      ...samplesOf('runner', 'cpuCores', () => 0.7, 'worker-1'),
    ];
    expect(meanCores(samples, 'main', measured)).toBeCloseTo(0.6);
    expect(meanCores(samples, 'runner', measured)).toBeCloseTo(1);
  });

  test('is the sum of its processes where there is no group, and null where it was not seen', () => {
    const samples = [
      ...samplesOf('main', 'cpuCores', () => 0.2, 'main'),
      ...samplesOf('main', 'cpuCores', () => 0.1, 'main/7'),
    ];
    expect(meanCores(samples, 'main', measured)).toBeCloseTo(0.3);
    expect(meanCores(samples, 'worker', measured)).toBeNull();
  });
});
