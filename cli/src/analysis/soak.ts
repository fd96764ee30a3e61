/** What grows while the load stays the same: memory, latency, the database. */
import { LOADED_ROLES } from '../plan/roles';
import type { Metric } from '../record/metrics';
import type { MetricSample, RequestSample, SoakTrend } from '../record/run-record';
import { totals, type Window } from './metrics';
import { EXACT_UP_TO, Values } from './requests/values';
import { mean, medianOf } from './statistics/statistics';
import { slope, type TrendPoint } from './statistics/trend';

/** Caches and V8's heap fill first: growth there is no leak. */
const SETTLING_SHARE = 1 / 3;
/** Number of windows from which a trend is computed, however long the run was. */
const WINDOWS = 120;
/** Growth over the length of the run that is worth a word, as a share of the mean. */
const WORTH = 0.05;
/** Size from which a table is reported even if it does not grow. */
const LARGE_MIB = 1;
const MS_PER_HOUR = 3_600_000;

const settledPart = ({ fromMs, toMs }: Window): Window => ({
  fromMs: fromMs + SETTLING_SHARE * (toMs - fromMs),
  toMs,
});

/** The median latency over time, from requests of which each is seen once. */
export class LatencyOverTime {
  private readonly settled: Window;
  private readonly windows = new Map<number, Values>();

  constructor(
    measured: Window,
    private readonly exactUpTo = EXACT_UP_TO.perWindow,
  ) {
    this.settled = settledPart(measured);
  }

  add({ ok, tMs, durationMs }: Pick<RequestSample, 'ok' | 'tMs' | 'durationMs'>): void {
    if (!ok || tMs < this.settled.fromMs || tMs >= this.settled.toMs) return;
    const index = indexOf(tMs, this.settled);
    const window = this.windows.get(index);
    if (window !== undefined) window.add(durationMs);
    else this.begin(index).add(durationMs);
  }

  points(): TrendPoint[] {
    return [...this.windows]
      .sort(([one], [other]) => one - other)
      .map(([index, values]) => ({
        x: middleOf(index, this.settled),
        y: medianOf(values.ordered()),
      }));
  }

  private begin(index: number): Values {
    const window = new Values(this.exactUpTo);
    this.windows.set(index, window);
    return window;
  }
}

export function soakTrends(
  latencies: LatencyOverTime,
  samples: readonly MetricSample[],
  measured: Window,
): SoakTrend[] {
  const settled = settledPart(measured);
  const memory = LOADED_ROLES.map((role) => totals(samples, { metric: 'rssMiB', role }, settled))
    .filter((series) => series.length > 0)
    .map((series) => meanByWindow(series, settled));
  const sized = (name: SoakTrend['name'], metric: Metric, instance?: string): SoakTrend | null =>
    trend(name, 'MiB', meanByWindow(sizes(samples, metric, settled, instance), settled), settled);
  return [
    trend('memory', 'MiB', summed(memory), settled),
    trend('latency', 'ms', latencies.points(), settled),
    sized('database', 'dbSizeMiB'),
    sized('WAL', 'dbWalMiB'),
    ...tablesIn(samples).flatMap(({ name, instance }) => {
      const found = sized(`table ${name}`, 'tableSizeMiB', instance);
      const isLarge = sizes(samples, 'tableSizeMiB', settled, instance).some(
        ({ value }) => value >= LARGE_MIB,
      );
      return found?.answer === 'grows' || isLarge ? [found] : [];
    }),
  ].filter((one) => one !== null);
}

/** Each table that was seen, by its instance `postgresql/TABLE` or `sqlite/TABLE`. */
function tablesIn(samples: readonly MetricSample[]): { name: string; instance: string }[] {
  const instances = new Set(
    samples.filter(({ metric }) => metric === 'tableSizeMiB').map(({ instance }) => instance),
  );
  return [...instances].map((instance) => ({
    name: instance.slice(instance.indexOf('/') + 1),
    instance,
  }));
}

const sizes = (
  samples: readonly MetricSample[],
  metric: Metric,
  { fromMs, toMs }: Window,
  instance?: string,
): MetricSample[] =>
  samples.filter(
    (sample) =>
      sample.metric === metric &&
      (instance === undefined || sample.instance === instance) &&
      sample.tMs >= fromMs &&
      sample.tMs < toMs,
  );

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

/** One point per window; x in hours, so that slopes are per hour. */
function meanByWindow(
  series: Iterable<{ tMs: number; value: number }>,
  settled: Window,
): TrendPoint[] {
  const windows = new Map<number, number[]>();
  for (const { tMs, value } of series) {
    const index = indexOf(tMs, settled);
    const window = windows.get(index);
    if (window === undefined) windows.set(index, [value]);
    else window.push(value);
  }
  return [...windows]
    .sort(([one], [other]) => one - other)
    .map(([index, values]) => ({ x: middleOf(index, settled), y: mean(values) }));
}

const widthOf = ({ fromMs, toMs }: Window): number => (toMs - fromMs) / WINDOWS;

const indexOf = (tMs: number, settled: Window): number =>
  Math.floor((tMs - settled.fromMs) / widthOf(settled));

const middleOf = (index: number, settled: Window): number =>
  (settled.fromMs + (index + 0.5) * widthOf(settled)) / MS_PER_HOUR;

/** Sums the points at times at which every role has one. */
function summed(roles: readonly TrendPoint[][]): TrendPoint[] {
  const at = new Map<number, number[]>();
  for (const { x, y } of roles.flat()) at.set(x, [...(at.get(x) ?? []), y]);
  return [...at]
    .filter(([, ys]) => ys.length === roles.length)
    .map(([x, ys]) => ({ x, y: ys.reduce((sum, y) => sum + y, 0) }));
}
