import { normal, seededRandom } from '../../../capacity/src/analysis/random';
import { LatencyOverTime, soakSentence, soakTrends } from '../../../capacity/src/analysis/soak';
import type { MetricSample, RequestSample } from '../../../capacity/src/record/record';

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

test('no leak where memory only settled', () => {
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
