/** The last minute of what was sampled, for a live view. */
import type { Metric } from '../../../record/metrics';

export interface WatchPoint {
  atMs: number;
  value: number;
}

export interface Series {
  role: string;
  instance: string;
  metric: string;
  /** Oldest first; those of the last minute. */
  points: WatchPoint[];
}

export interface LastMinute {
  series(): Series[];
  readonly events: { atMs: number; text: string }[];
}

/** Older than this, it is no longer so: an instance has ended, or its sampler fails. */
const FRESH_MS = 3_500;
export const RATE_OVER_MS = 5_000;

export const isFresh = ({ points }: Series, nowMs: number): boolean =>
  (points.at(-1)?.atMs ?? 0) >= nowMs - FRESH_MS;

export const ofMetric = (series: readonly Series[], name: Metric, role?: string): Series[] =>
  series.filter(({ metric, role: of }) => metric === name && (role === undefined || of === role));

/** The last value of each instance. */
export function lastOf(
  series: readonly Series[],
  role: string | undefined,
  metric: Metric,
  nowMs: number,
): number[] {
  return ofMetric(series, metric, role)
    .filter((one) => isFresh(one, nowMs))
    .map(({ points }) => points.at(-1)?.value ?? 0);
}

/** Growth a second over the last seconds; a restart begins anew at 0. */
export function rateOf(points: readonly WatchPoint[], nowMs: number): number {
  const within = points.filter(({ atMs }) => atMs > nowMs - RATE_OVER_MS - 500 && atMs <= nowMs);
  const [first, last] = [within[0], within.at(-1)];
  if (first === undefined || last === undefined || last.atMs === first.atMs) return 0;
  return Math.max(0, (last.value - first.value) / ((last.atMs - first.atMs) / 1000));
}

export const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

export const sumOrNull = (values: readonly number[]): number | null =>
  values.length > 0 ? sum(values) : null;

export const maxOrNull = (values: readonly number[]): number | null =>
  values.length > 0 ? Math.max(...values) : null;
