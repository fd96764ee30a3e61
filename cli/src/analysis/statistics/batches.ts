/**
 * How much a series says whose values depend on each other. A queue near saturation makes all requests of a busy moment
 * late together: 2,700 of them say as much about a percentile as a few dozen independent ones.
 */
import { chiSquaredQuantile, studentQuantile } from './distributions';

/** One of several parts of equal length of a series, in order. */
export interface Batch {
  length: number;
  /** A sum over the values of the batch, such as how many of them exceed a bound. */
  sum: number;
}

/** Parts into which a series is divided; the coarser ones are sums of the finer. */
export const BATCHES = 16;
const DIVISIONS = [4, 8, BATCHES] as const;
/** Of four parts, the correlation of neighbours cannot be told. */
const MIN_FOR_CORRELATION = 8;
const MAX_CORRELATION = 0.8;
const CONFIDENCE = 0.975;
const NORMAL_REACH = 1.96;

/**
 * As many independent values would say as much about the mean as these do. `variance` is that of a single value. If the
 * parts differ no more than chance makes them, all values count.
 */
export function independentValues(batches: readonly Batch[], variance: number): number {
  const length = batches.reduce((sum, batch) => sum + batch.length, 0);
  if (!DIVISIONS.some((parts) => differ(joined(batches, parts), variance))) return length;
  return Math.min(length, Math.max(1, Math.floor(variance / varianceOfMean(batches))));
}

/** Whether the means of the parts differ by more than independent values would, with 95% confidence. */
function differ(batches: readonly Batch[], variance: number): boolean {
  const length = batches.reduce((sum, batch) => sum + batch.length, 0);
  const squares = squaresOf(awayFromMean(batches));
  const degrees = batches.length - 1;
  return squares / ((variance * length) / batches.length) > chiSquaredQuantile(0.95, degrees);
}

function awayFromMean(batches: readonly Batch[]): number[] {
  const length = batches.reduce((sum, batch) => sum + batch.length, 0);
  const mean = batches.reduce((sum, batch) => sum + batch.sum, 0) / length;
  return batches.map((batch) => batch.sum - mean * batch.length);
}

const squaresOf = (away: readonly number[]): number => away.reduce((sum, one) => sum + one ** 2, 0);

/**
 * Variance of the mean over all values, if only the parts are independent. Which division shows the dependence is not
 * known beforehand, so the largest variance counts. It allows for the few parts by which it is estimated.
 */
function varianceOfMean(batches: readonly Batch[]): number {
  const length = batches.reduce((sum, batch) => sum + batch.length, 0);
  const variances = DIVISIONS.map((parts) => varianceOfSum(joined(batches, parts)));
  return Math.max(...variances) / length ** 2;
}

function joined(batches: readonly Batch[], parts: number): Batch[] {
  const each = batches.length / parts;
  return Array.from({ length: parts }, (_, part) =>
    batches
      .slice(part * each, (part + 1) * each)
      .reduce((all, batch) => ({ length: all.length + batch.length, sum: all.sum + batch.sum }), {
        length: 0,
        sum: 0,
      }),
  );
}

function varianceOfSum(batches: readonly Batch[]): number {
  const parts = batches.length;
  const away = awayFromMean(batches);
  const squares = squaresOf(away);
  const reach = studentQuantile(CONFIDENCE, parts - 1) / NORMAL_REACH;
  return ((parts * squares) / (parts - 1)) * inflation(away, squares) * reach ** 2;
}

/** By how much neighbours that go up and down together make the variance larger. */
function inflation(away: readonly number[], squares: number): number {
  if (away.length < MIN_FOR_CORRELATION || squares === 0) return 1;
  const products = away.reduce((sum, one, i) => sum + one * (away[i - 1] ?? 0), 0);
  // The estimate from few parts is too low by about one part.
  const correlation = products / squares + 1 / away.length;
  const bounded = Math.min(MAX_CORRELATION, Math.max(0, correlation));
  return (1 + bounded) / (1 - bounded);
}
