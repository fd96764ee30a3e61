import { outcomeOf, probeOf } from '../../../../../cli/src/features/find/analysis/outcome';
import { findProbeSchema, type FindProbe } from '../../../../../cli/src/features/find/record';
import { keptOf } from '../../../../../cli/src/features/find/traces/kept';
import { LeftOut } from '../../../../../cli/src/features/find/quiet/left-out';
import { plannedDueMs } from '../../../../../cli/src/features/find/traces/requests';
import { criticalOf, traceOf } from '../../../../../cli/src/features/find/traces/trace-of';
import type { MetricSample, RecordedProfile } from '../../../../../cli/src/record/run-record';
import { BREACH } from '../../../../../cli/src/run/analysis/verdict';
import { planOf } from '../../../../../loadtests/lib/profile';
import { sampleRun } from '../../../../support/sample-run';

const { record } = sampleRun();

const { profile: name, ...plan } = planOf('load', {
  ...{ ratePerSecond: 40, durationSeconds: 16, warmupSeconds: 4, arrivals: 'random', seed: 99 },
});
const profile: RecordedProfile = { name, ...plan };
const DUE = [...(plannedDueMs(profile, 1) ?? [])];
const LATENCY_MS = 42;

const sampled = (role: string, metric: string, value: number): MetricSample[] =>
  Array.from({ length: 21 }, (_, second) => ({
    ...{ tMs: 1_000 * second, role, metric, value, instance: role },
  }));

const SAMPLES = [
  ...sampled('main', 'cpuCores', 0.7),
  ...sampled('main', 'loopCores', 0.6),
  ...sampled('postgresql', 'cpuCores', 0.25),
  ...sampled('generator', 'cpuCores', 0.4),
  ...sampled('host', 'cpuCores', 1.8),
];

const requests = DUE.map((dueMs) => ({
  ...{ dueMs, latencyMs: LATENCY_MS, endMs: dueMs + LATENCY_MS, isExpected: true },
}));

/** A probe as find.json holds it, after it was written and read. */
function kept(events = record.events, more: Partial<FindProbe> = {}): FindProbe {
  const run = { ...record, profile, events };
  const probe = {
    ...probeOf({ kind: 'narrow', ratePerSecond: 40, durationSeconds: 20 }, run, 'probes/x'),
    ...keptOf(run, {
      ...{ watch: { requests, isWhole: true }, samples: SAMPLES },
      ...{ generators: 1, others: null },
    }),
    cpuPerRequest: { allMs: 17.5, roles: [{ role: 'main' as const, instances: 1, ms: 17.5 }] },
    ...more,
  };
  return findProbeSchema.parse(JSON.parse(JSON.stringify(probe)));
}

describe('a probe in which others used the machine', () => {
  const bash = { pid: 4711, name: 'bash', cores: 1.2, isNice: false };
  const seen = [{ fromMs: 4_000, toMs: 9_000, cpuMs: 6_000, busiest: bash }];

  test.each([
    [
      10,
      'other programs used this machine for 6 s, mostly bash (pid 4711); these seconds do not count',
    ],
    [
      5,
      'other programs used this machine for 6 s, mostly bash (pid 4711); these seconds count, because at most half of the budget can be left out',
    ],
  ])('says whether these seconds count, with %p s that may be left out', (maxSeconds, doubt) => {
    const leftOut = new LeftOut({ cores: 2, othersCores: 0 }, maxSeconds);
    const told = keptOf(
      { ...record, profile },
      {
        ...{ watch: { requests, isWhole: true }, samples: SAMPLES, generators: 1 },
        others: { seen, leftOut },
      },
    );
    expect(told.doubts.map(({ text }) => text)).toEqual([doubt]);
    expect(told.leftOut).toEqual(maxSeconds === 10 ? [{ from: 4, to: 10 }] : undefined);
  });
});

const here = { topology: null, machine: { ...record.machine, cores: 2 } };
const byHost = {
  limitedBy: { limit: { role: 'host', resource: 'CPU' }, evidence: null, next: null },
} as const;

describe('the trace of a probe, from the record alone', () => {
  it('has the due times, the latencies and the CPU of each second of the busiest role, on all of its threads', () => {
    const probe = kept();
    const trace = traceOf(probe, criticalOf([probe], here));
    expect(trace).toMatchObject({
      ...{ ratePerSecond: 40, plannedSeconds: 20, seconds: 20, servers: 1 },
      ...{ resource: { role: 'main', resource: 'event loop' }, disturbed: [] },
    });
    expect(trace?.due).toHaveLength(DUE.length);
    trace?.due.forEach((seconds, index) => {
      expect(seconds).toBeCloseTo((DUE[index] ?? 0) / 1_000, 9);
      expect(Math.abs(1_000 * (trace.latency[index] ?? 0) - LATENCY_MS)).toBeLessThan(0.25);
    });
    expect([...(trace?.cpu ?? [])]).toEqual(new Array(20).fill(0.7));
    expect([...(trace?.done ?? [])].reduce((sum, done) => sum + done, 0)).toBeGreaterThan(
      DUE.length - 5,
    );
  });

  it('is of all that shares the cores with n8n where they are the limit', () => {
    const probe = kept(record.events, byHost);
    const trace = traceOf(probe, criticalOf([probe], here));
    expect(trace).toMatchObject({ servers: 2, resource: { role: 'host', resource: 'CPU' } });
    // n8n and its database on two cores; the generator is no part of them.
    expect(trace?.cpu[5]).toBeCloseTo((0.7 + 0.25) / 2, 9);
  });

  it('is of the cores that other programs leave, where these use some of the machine all the time', () => {
    const probe = kept(record.events, byHost);
    const beside = (ms: number, leftOut: FindProbe['leftOut'] = []): FindProbe => {
      const seconds = { ...probe.seconds, othersMs: new Array<number>(20).fill(ms) };
      return { ...probe, seconds, leftOut } as FindProbe;
    };
    const coresOf = (one: FindProbe) => {
      const critical = criticalOf([one], here);
      return [critical?.resource.role, critical?.servers, critical?.coresOfEach];
    };
    expect(coresOf(beside(900))).toEqual(['host', 1, 1.1]);
    const one = beside(900);
    expect(traceOf(one, criticalOf([one], here))?.cpu[5]).toBeCloseTo((0.7 + 0.25) / 1.1, 9);
    // Not where they use hardly anything, nor by what is left out.
    expect(coresOf(beside(100))).toEqual(['host', 2, 1]);
    expect(coresOf(beside(900, [{ from: 0, to: 20 }]))).toEqual(['host', 2, 1]);
    expect(coresOf(beside(1_990))).toEqual(['host', 1, 0.1]);
  });

  it('is of the busiest role where the cores were not used up, whatever a probe was limited by', () => {
    const probe = kept(record.events, byHost);
    const idle = { ...probe.seconds, hostCpuMs: new Array<number>(20).fill(1_500) };
    const critical = criticalOf([{ ...probe, seconds: idle } as FindProbe], here);
    expect(critical?.resource).toEqual({ role: 'main', resource: 'event loop' });
  });

  it('has a whole limit in place of a whole core where n8n has less than one', () => {
    const probe = kept();
    const topology = {
      ...record.topology,
      main: { ...record.topology?.main, cpuMillicores: 700 },
    } as never;
    const critical = criticalOf([probe], { ...here, topology });
    expect(critical?.resource).toEqual({ role: 'main', resource: 'CPU limit' });
    expect(traceOf(probe, critical)?.cpu[5]).toBeCloseTo(1, 9);
  });

  it('is as long as the load where that was ended early, and so is what the search spends on it', () => {
    const probe = kept([{ tMs: 9_000, kind: BREACH, text: 'too late' }], {
      endedAfterSeconds: 9,
      leftOut: [{ from: 2, to: 3 }],
    });
    expect(traceOf(probe, criticalOf([probe], here))).toMatchObject({
      ...{ plannedSeconds: 20, seconds: 9, disturbed: [{ from: 2, to: 3 }] },
    });
    expect(outcomeOf(probe, record.slo).spentSeconds).toBe(8);
  });

  it('does not exist where no CPU was seen, or in a record that keeps no requests', () => {
    const probe = kept();
    const critical = criticalOf([probe], here);
    expect(criticalOf([{ ...probe, cpuPerRequest: null }], here)).toBeNull();
    expect(traceOf(probe, null)).toBeNull();
    const without: Partial<FindProbe> = { ...probe };
    delete without.requests;
    expect(traceOf(without as FindProbe, critical)).toBeNull();
    const unseen = { due: [], done: [], p95Ms: [], cpuMs: {}, threadMs: {} };
    expect(traceOf({ ...probe, seconds: unseen }, critical)).toBeNull();
  });
});
