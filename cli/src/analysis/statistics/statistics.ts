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
export const percentile = (ordered_: Ordered, p: number): number =>
  ordered(ordered_, rankAt(p, ordered_.length) - 1);

/** The place of a percentile among that many values, from 1; the tiny allowance keeps 0.95 * 20 = 19.000000000000004 at 19. */
export const rankAt = (p: number, count: number): number => Math.ceil(p * count - 1e-9);

/** The maximum of any number of values; `Math.max(...values)` throws from about 125,000 on. */
export function largest(values: Iterable<number>): number {
  let max = -Infinity;
  for (const value of values) max = Math.max(max, value);
  return max;
}

/** The middle value; of an even number of values, the mean of the two in the middle. */
export const median = (values: Iterable<number>): number => medianOf(sorted(values));

export function medianOf(inOrder: Ordered): number {
  const half = inOrder.length / 2;
  return (ordered(inOrder, Math.ceil(half) - 1) + ordered(inOrder, Math.floor(half))) / 2;
}

/**
 * Interval of a percentile from order statistics: exact for independent values of any distribution. Values that depend on
 * each other say as much as `independentAt` values would about what share lies above a value. With too few for the
 * confidence asked, the bound is infinite.
 */
export function percentileInterval(
  values: Ordered,
  p: number,
  { confidence = 0.95, independentAt }: PercentileOptions = {},
): Interval {
  const tail = (1 - confidence) / 2;
  const value = percentile(values, p);
  const n = independentAt?.(value) ?? values.length;
  const low = lowRank(n, p, tail);
  const rankOf = (one: number): number => Math.ceil((one / n) * values.length - 1e-9) - 1;
  const high = highRank(values.length, p, tail);
  return {
    value,
    low: low === 0 ? -Infinity : ordered(values, rankOf(low)),
    high:
      high === null
        ? Infinity
        : highBound(values, { atLeast: ordered(values, high - 1), p, tail, independentAt }),
  };
}

interface PercentileOptions {
  confidence?: number;
  /** How many independent values would say as much about the share of values above this one. */
  independentAt?: ((value: number) => number) | undefined;
}

/** The lower bound's rank among n independent values, from 1; 0 if there is none. */
function lowRank(n: number, p: number, tail: number): number {
  let low = Math.max(0, Math.floor(n * p + normalQuantile(tail) * Math.sqrt(n * p * (1 - p))));
  while (low > 0 && binomialCdf(low - 1, n, p) > tail) low -= 1;
  while (low < n && binomialCdf(low, n, p) <= tail) low += 1;
  return low;
}

/** The upper bound's; null if there is none. */
function highRank(n: number, p: number, tail: number): number | null {
  if (p ** n > tail) return null;
  let high = Math.min(n, Math.ceil(n * p - normalQuantile(tail) * Math.sqrt(n * p * (1 - p))));
  while (high < n && 1 - binomialCdf(high - 1, n, p) > tail) high += 1;
  while (high > 1 && 1 - binomialCdf(high - 2, n, p) <= tail) high -= 1;
  return high;
}

/**
 * The lowest value from which on the share above says that the percentile lies below: counted by as many values as are
 * independent there, or well below it, where more of them are seen. What was never exceeded by far is a bound too.
 */
function highBound(
  values: Ordered,
  {
    atLeast,
    p,
    tail,
    independentAt,
  }: {
    atLeast: number;
    p: number;
    tail: number;
    independentAt: PercentileOptions['independentAt'];
  },
): number {
  if (independentAt === undefined) return atLeast;
  const isBound = (value: number): boolean => {
    const n = Math.min(independentAt(value), independentAt(WELL_BELOW * value));
    const below = Math.floor((n * rankOf(values, value)) / values.length + 1e-9);
    return 1 - binomialCdf(below - 1, n, p) <= tail;
  };
  const far = ordered(values, values.length - 1) / WELL_BELOW;
  let bound = Infinity;
  for (let step = STEPS_TO_FAR; step >= 0; step -= 1) {
    const value = atLeast * (far / atLeast) ** (step / STEPS_TO_FAR);
    if (!isBound(value)) break;
    bound = value;
  }
  return bound;
}

/** Chosen by simulation of queues near saturation: of 0.45 to 0.6 the highest that holds what it states. */
const WELL_BELOW = 0.55;
const STEPS_TO_FAR = 48;

/** How many values are not above this one. */
export function rankOf(values: Ordered, value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values.at(middle) ?? Infinity) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The number of values from which on a mean is about normally distributed, whatever they are. */
export const MIN_FOR_A_MEAN = 30;

interface MeanOptions {
  confidence?: number;
  /** How many independent values would say as much. */
  independent?: number;
}

/** From what is known of the values, which nobody need have any more. */
export function meanInterval(
  { length, mean: value, standardDeviation: deviation }: Moments,
  { confidence = 0.95, independent = length }: MeanOptions = {},
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
