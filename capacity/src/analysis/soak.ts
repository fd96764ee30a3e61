/** What grows while the load stays the same: memory, latency, the database. */
import type { MetricSample, RequestSample, SoakTrend } from '../record/record';
import { figures } from './figures';
import { totals, type SampledRole, type Window } from './metrics';
import { mean, median } from './statistics';
import { slope, type TrendPoint } from './trend';

/** Caches and V8's heap fill first: growth there is no leak. */
const SETTLING_SHARE = 1 / 3;
/** As many as a trend is read from, however long it took. */
const WINDOWS = 120;
/** Growth over the length of the run that is worth a word, as a share of the mean. */
const WORTH = 0.05;
const N8N: SampledRole[] = ['main', 'worker', 'webhook', 'runner'];
const MS_PER_HOUR = 3_600_000;

export function soakTrends(
  requests: Iterable<RequestSample>,
  samples: readonly MetricSample[],
  { fromMs, toMs }: Window,
): SoakTrend[] {
  const settled = { fromMs: fromMs + SETTLING_SHARE * (toMs - fromMs), toMs };
  const memory = N8N.map((role) => totals(samples, { metric: 'rssMiB', role }, settled))
    .filter((series) => series.length > 0)
    .map((series) => byWindow(series, settled, mean));
  const database = samples
    .filter(({ metric, tMs }) => metric === 'dbSizeMiB' && tMs >= settled.fromMs && tMs < toMs)
    .map(({ tMs, value }) => ({ tMs, value }));
  return [
    trend('memory', 'MiB', summed(memory), settled),
    trend('latency', 'ms', byWindow(latencies(requests, settled), settled, median), settled),
    trend('database', 'MiB', byWindow(database, settled, mean), settled),
  ].filter((one) => one !== null);
}

/** Of the whole run: the memory's trend decides, as the tables are pruned by age. */
export function soakSentence(trends: readonly SoakTrend[]): string | null {
  const memory = trends.find(({ name }) => name === 'memory');
  if (memory === undefined) return null;
  const { low, high } = memory.perHour;
  const range = `${figures(memory.perHour.value)} MiB per hour (between ${figures(low)} and ${figures(high)})`;
  if (memory.answer === 'grows') return `Leak: memory grew by ${range} after it had settled.`;
  if (memory.answer === 'steady')
    return `No leak: memory changed by ${range} after it had settled.`;
  return `It is not known whether memory leaks: it changed by ${range}; soak for longer.`;
}

/** Null of less than it takes for an interval. */
function trend(
  name: SoakTrend['name'],
  unit: SoakTrend['unit'],
  points: readonly TrendPoint[],
  { fromMs, toMs }: Window,
): SoakTrend | null {
  if (points.length < 6) return null;
  const { value, low, high } = slope(points);
  const hours = (toMs - fromMs) / MS_PER_HOUR;
  const worth = (WORTH * Math.abs(mean(points.map(({ y }) => y)))) / hours;
  const answer = low > 0 && value > worth ? 'grows' : high <= worth ? 'steady' : 'unknown';
  return { name, unit, perHour: { value, low, high }, answer };
}

function* latencies(
  requests: Iterable<RequestSample>,
  { fromMs, toMs }: Window,
): Generator<{ tMs: number; value: number }> {
  for (const { ok, tMs, durationMs } of requests) {
    if (ok && tMs >= fromMs && tMs < toMs) yield { tMs, value: durationMs };
  }
}

/** One point per window; x in hours, so that slopes are per hour. */
function byWindow(
  series: Iterable<{ tMs: number; value: number }>,
  { fromMs, toMs }: Window,
  of: (values: number[]) => number,
): TrendPoint[] {
  const width = (toMs - fromMs) / WINDOWS;
  const windows = new Map<number, number[]>();
  for (const { tMs, value } of series) {
    const index = Math.floor((tMs - fromMs) / width);
    const window = windows.get(index);
    if (window === undefined) windows.set(index, [value]);
    else window.push(value);
  }
  return [...windows]
    .sort(([one], [other]) => one - other)
    .map(([index, values]) => ({
      x: (fromMs + (index + 0.5) * width) / MS_PER_HOUR,
      y: of(values),
    }));
}

/** Where every role has a point. */
function summed(roles: readonly TrendPoint[][]): TrendPoint[] {
  const at = new Map<number, number[]>();
  for (const { x, y } of roles.flat()) at.set(x, [...(at.get(x) ?? []), y]);
  return [...at]
    .filter(([, ys]) => ys.length === roles.length)
    .map(([x, ys]) => ({ x, y: ys.reduce((sum, y) => sum + y, 0) }));
}
