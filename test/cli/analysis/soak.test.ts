import { normal, seededRandom } from '../../../cli/src/analysis/statistics/random';
import { LatencyOverTime, soakTrends } from '../../../cli/src/analysis/soak';
import { soakSentence } from '../../../cli/src/run/analysis/soak-sentence';
import type { MetricSample, RequestSample } from '../../../cli/src/record/run-record';

const HOURS = 2;
const measured = { fromMs: 60_000, toMs: 60_000 + HOURS * 3_600_000 };
const random = seededRandom(5);

/** Every 10 s, of two roles; `grows` in MiB per hour, all of it in the worker. */
const memory = (grows: number, noise = 8): MetricSample[] =>
  Array.from({ length: (HOURS * 3600) / 10 }, (_, i) => {
    const at = { tMs: measured.fromMs + i * 10_000, metric: 'rssMiB' };
    // Half an hour of caches that fill, and then no more.
    const settles = 200 * (1 - Math.exp(-i / 40));
    return [
      { ...at, role: 'main', instance: 'main', value: 400 + settles + noise * normal(random) },
      {
        ...{ ...at, role: 'worker', instance: 'worker-1' },
        value: 300 + (grows * i) / 360 + noise * normal(random),
      },
    ];
  }).flat();

const requests: RequestSample[] = Array.from({ length: HOURS * 3600 }, (_, i) => ({
  ...{ tMs: measured.fromMs + i * 1000, durationMs: 50 + 5 * normal(random), status: 200 },
  ...{ ok: true, errorKind: '', id: String(i), workload: 'x', ranBy: '' },
}));

const database = Array.from({ length: HOURS * 360 }, (_, i): MetricSample => ({
  ...{ tMs: measured.fromMs + i * 10_000, role: 'postgresql', instance: 'postgresql' },
  ...{ metric: 'dbSizeMiB', value: 100 + i / 3.6 },
}));

const latencies = new LatencyOverTime(measured);
for (const request of requests) latencies.add(request);

const named = (samples: MetricSample[], name: string) =>
  soakTrends(latencies, samples, measured).find((trend) => trend.name === name);

test('a leak is told from memory that settles, with its slope', () => {
  const leak = named(memory(60), 'memory');
  expect(leak?.answer).toBe('grows');
  expect(leak?.perHour.low).toBeLessThan(60);
  expect(leak?.perHour.high).toBeGreaterThan(59);
  expect(soakSentence(leak ? [leak] : [])).toMatch(/^Leak: memory grew by /);
});

test('no leak is found where memory only settled', () => {
  const steady = named(memory(0), 'memory');
  expect(steady?.answer).toBe('steady');
  expect(soakSentence(steady ? [steady] : [])).toMatch(/^No leak: /);
});

test('noise that hides a leak of this size is no proof of its absence', () => {
  expect(named(memory(0, 2_000), 'memory')?.answer).toBe('unknown');
});

test('latency that stays and tables that grow each have their own trend', () => {
  expect(named([], 'latency')?.answer).toBe('steady');
  expect(named(database, 'database')).toMatchObject({ answer: 'grows', unit: 'MiB' });
  expect(named(database, 'database')?.perHour.value).toBeCloseTo(100, 0);
  expect(named([], 'memory')).toBeUndefined();
});

describe('what grows in the database', () => {
  const none = new LatencyOverTime(measured);
  const every10s = (value: (hours: number) => number, sample: Partial<MetricSample>) =>
    Array.from({ length: HOURS * 360 }, (_, i): MetricSample => ({
      ...{ tMs: measured.fromMs + i * 10_000, role: 'sqlite', instance: 'sqlite' },
      ...{ metric: 'dbSizeMiB', value: value(i / 360) },
      ...sample,
    }));
  const table = (name: string, perHour: number) =>
    every10s((hours) => 10 + perHour * hours, {
      ...{ instance: `sqlite/${name}`, metric: 'tableSizeMiB' },
    });
  const samples = [
    ...every10s((hours) => 100 + 100 * hours, {}),
    // Back to nothing with every checkpoint, at whatever height it then is.
    ...every10s((hours) => 4 * ((hours * 37) % 1), { metric: 'dbWalMiB' }),
    ...table('execution_data', 90),
    ...table('execution_entity', 10),
    ...table('workflow_entity', 0),
  ];

  test('each table has its slope, and SQLite its log', () => {
    const trends = soakTrends(none, samples, measured);
    expect(trends.map(({ name, answer }) => [name, answer])).toEqual([
      ['database', 'grows'],
      // It swings more than it could matter; what counts is that nothing says it grows.
      ['WAL', 'unknown'],
      ['table execution_data', 'grows'],
      ['table execution_entity', 'grows'],
      ['table workflow_entity', 'steady'],
    ]);
    expect(trends.map(({ perHour }) => Math.round(perHour.value))).toEqual([100, 0, 90, 10, 0]);
  });

  test('is said with its tables and what a day of it takes, and is no leak of memory', () => {
    const trends = soakTrends(latencies, [...memory(0), ...samples], measured);
    const sentence = soakSentence(trends);
    expect(sentence).toMatch(/^No leak: memory changed by /);
    expect(sentence).toMatch(
      /The database grew by 100 MiB per hour \(between .*; its tables grew: /,
    );
    expect(sentence).toMatch(/execution_data by 90 MiB .*, execution_entity by 10 MiB /);
    expect(sentence).toContain('This growth is 2.34 GiB per day');
    expect(sentence).not.toContain('workflow_entity');
  });

  test('a log that no checkpoint takes back is told', () => {
    const log = every10s((hours) => 20 * hours, { metric: 'dbWalMiB' });
    expect(soakSentence(soakTrends(none, log, measured))).toMatch(
      /^The write-ahead log of SQLite grew by 20 MiB per hour/,
    );
  });
});
