import { binomialCdf, normalQuantile } from './distributions';

/** An estimate between two bounds that hold the true value with the stated confidence. */
export interface Interval {
  value: number;
  low: number;
  high: number;
}

/** Values from the smallest to the largest: a sorted array, or whatever else knows its i-th value, i from 0. */
export interface Ordered {
  readonly length: number;
  at(i: number): number | undefined;
}

export interface Moments {
  readonly length: number;
  readonly mean: number;
  /** Sample standard deviation (n - 1). */
  readonly standardDeviation: number;
}

export function sorted(values: Iterable<number>): Float64Array {
  return Float64Array.from(values).sort();
}

/** The i-th of an ordered list, i from 0; the ends where i lies outside. */
function ordered(values: Ordered, i: number): number {
  return values.at(Math.min(Math.max(i, 0), values.length - 1)) ?? NaN;
}

export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i += 1) sum += values[i] ?? NaN;
  return sum / values.length;
}

/** Sample standard deviation (n - 1). */
export function standardDeviation(values: ArrayLike<number>): number {
  const centre = mean(values);
  let sum = 0;
  for (let i = 0; i < values.length; i += 1) sum += ((values[i] ?? NaN) - centre) ** 2;
  return Math.sqrt(sum / (values.length - 1));
}

/**
 * Percentile by nearest rank: the smallest observed value that at least a share p of all values
 * does not exceed. So `p95 < 6 s` says exactly that 95% of the requests took less than 6 s, and a
 * percentile is always a latency that somebody had, never one made by interpolation.
 */
export function percentile(ordered_: Ordered, p: number): number {
  // The tiny allowance keeps 0.95 * 20 = 19.000000000000004 at rank 19.
  return ordered(ordered_, Math.ceil(p * ordered_.length - 1e-9) - 1);
}

/** The maximum of any number of values; `Math.max(...values)` throws from about 125,000 on. */
export function largest(values: Iterable<number>): number {
  let most = -Infinity;
  for (const value of values) most = Math.max(most, value);
  return most;
}

/** The middle value; of an even number of values, the mean of the two in the middle. */
export const median = (values: Iterable<number>): number => medianOf(sorted(values));

export function medianOf(inOrder: Ordered): number {
  const half = inOrder.length / 2;
  return (ordered(inOrder, Math.ceil(half) - 1) + ordered(inOrder, Math.floor(half))) / 2;
}

/**
 * Interval of a percentile from order statistics: exact for independent values of any distribution. Values that depend on
 * each other say as much as `independent` values would. With too few for the confidence asked, the bound is infinite.
 */
export function percentileInterval(
  ordered_: Ordered,
  p: number,
  { confidence = 0.95, independent = ordered_.length }: IntervalOptions = {},
): Interval {
  const n = independent;
  const tail = (1 - confidence) / 2;
  const guess = normalQuantile(tail) * Math.sqrt(n * p * (1 - p));
  let low = Math.max(0, Math.floor(n * p + guess));
  while (low > 0 && binomialCdf(low - 1, n, p) > tail) low -= 1;
  while (low < n && binomialCdf(low, n, p) <= tail) low += 1;
  let high = Math.min(n, Math.ceil(n * p - guess));
  while (high < n && 1 - binomialCdf(high - 1, n, p) > tail) high += 1;
  while (high > low + 1 && 1 - binomialCdf(high - 2, n, p) <= tail) high -= 1;
  const rankOf = (one: number): number => Math.ceil((one / n) * ordered_.length - 1e-9) - 1;
  return {
    value: percentile(ordered_, p),
    low: low === 0 ? -Infinity : ordered(ordered_, rankOf(low)),
    high: p ** n > tail ? Infinity : ordered(ordered_, rankOf(high)),
  };
}

interface IntervalOptions {
  confidence?: number;
  /** How many independent values would say as much. */
  independent?: number;
}

/** From so many values on, a mean is about normally distributed, whatever they are. */
export const MIN_FOR_A_MEAN = 30;

/** From what is known of the values, which nobody need have any more. */
export function meanInterval(
  { length, mean: value, standardDeviation: deviation }: Moments,
  { confidence = 0.95, independent = length }: IntervalOptions = {},
): Interval {
  if (length < MIN_FOR_A_MEAN) return { value, low: -Infinity, high: Infinity };
  const half = (normalQuantile((1 + confidence) / 2) * deviation) / Math.sqrt(independent);
  return { value, low: value - half, high: value + half };
}

/** Wilson's interval of a share: sound for few trials and for shares near 0 and 1. */
export function shareInterval(hits: number, trials: number, confidence = 0.95): Interval {
  if (trials === 0) return { value: NaN, low: 0, high: 1 };
  const z = normalQuantile((1 + confidence) / 2);
  const share = hits / trials;
  const centre = share + (z * z) / (2 * trials);
  const half = z * Math.sqrt((share * (1 - share)) / trials + (z * z) / (4 * trials * trials));
  const scale = 1 + (z * z) / trials;
  return {
    value: share,
    // Rounding leaves about 1e-18 where nothing, or everything, was hit.
    low: hits === 0 ? 0 : Math.max(0, (centre - half) / scale),
    high: hits === trials ? 1 : Math.min(1, (centre + half) / scale),
  };
}

/** Interval of the expected number of events that come at random, from one count; Wilson and Hilferty's formula. */
export function poissonInterval(count: number, confidence = 0.95): Interval {
  const z = normalQuantile((1 + confidence) / 2);
  // The quantile of a chi-squared variable with 2n degrees of freedom, halved.
  const quantile = (n: number, deviates: number): number =>
    n === 0 ? 0 : n * Math.max(0, 1 - 1 / (9 * n) + deviates / (3 * Math.sqrt(n))) ** 3;
  return { value: count, low: quantile(count, -z), high: quantile(count + 1, z) };
}
