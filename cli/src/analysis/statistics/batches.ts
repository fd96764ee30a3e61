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
/** The number of parts: enough to show how long a dependence lasts, if it lasts no longer than a few of them. */
export const FINE_BATCHES = 64;
/** A series of fewer times as long as its dependence shows too little of it: the coarser parts count too. */
const MIN_TIMES_OF_DEPENDENCE = 32;
/** Four parts cannot tell the correlation of neighbours. */
const MIN_FOR_CORRELATION = 8;
const MAX_CORRELATION = 0.8;
const CONFIDENCE = 0.975;
const NORMAL_REACH = 1.96;
const MAX_HIDDEN = 0.9;
const MAX_REACH = 5;

/**
 * The number of independent values that would say as much about the mean as these do. `variance` is that of a single
 * value. If the parts differ no more than chance makes them, all values count.
 */
export function independentValues(batches: readonly Batch[], variance: number): number {
  const length = batches.reduce((sum, batch) => sum + batch.length, 0);
  const divisions = [...new Set([...DIVISIONS, batches.length])];
  const confidence = 1 - 0.05 / divisions.length;
  const isDependent = divisions.some((parts) =>
    differ(joined(batches, parts), variance, confidence),
  );
  if (!isDependent) return length;
  return Math.min(length, Math.max(1, Math.floor(variance / varianceOfMean(batches))));
}

/** Variance of the mean over all values, by how long the dependence lasts where enough parts show it. */
function varianceOfMean(batches: readonly Batch[]): number {
  if (batches.length < FINE_BATCHES) return varianceByDivisions(batches);
  const lasting = dependence(awayFromMean(batches));
  const fine = varianceByDependence(batches, lasting);
  if (batches.length >= MIN_TIMES_OF_DEPENDENCE * Math.max(1, lasting)) return fine;
  return Math.max(fine, varianceByDivisions(batches));
}

/**
 * By how many times the dependence of parts makes the variance of their sum larger: their correlations at all distances,
 * added in pairs up to the first pair that is not above 0, and none larger than the one before (Geyer's monotone
 * sequence, 1992).
 */
function dependence(away: readonly number[]): number {
  const covariance = (distance: number): number =>
    away.reduce((sum, one, i) => sum + one * (away[i - distance] ?? 0), 0);
  const variance = covariance(0);
  let sum = -1;
  let last = Infinity;
  for (let distance = 0; distance + 1 < away.length; distance += 2) {
    const pair = (covariance(distance) + covariance(distance + 1)) / variance;
    if (!(pair > 0)) break;
    last = Math.min(last, pair);
    sum += 2 * last;
  }
  return Math.max(0, sum);
}

/** The mean is estimated from the same parts, which hides a part of the dependence, and few parts make it uncertain. */
function varianceByDependence(batches: readonly Batch[], lasting: number): number {
  const length = batches.reduce((sum, batch) => sum + batch.length, 0);
  const hidden = Math.min(MAX_HIDDEN, lasting / batches.length);
  const degrees = Math.max(1, batches.length / lasting - 1);
  const reach = Math.min(MAX_REACH, studentQuantile(CONFIDENCE, degrees) / NORMAL_REACH);
  const ofSum = squaresOf(awayFromMean(batches)) * (lasting / (1 - hidden));
  return (ofSum * reach ** 2) / length ** 2;
}

/** Whether the means of the parts differ by more than independent values would. */
function differ(batches: readonly Batch[], variance: number, confidence: number): boolean {
  const length = batches.reduce((sum, batch) => sum + batch.length, 0);
  const squares = squaresOf(awayFromMean(batches));
  const degrees = batches.length - 1;
  return squares / ((variance * length) / batches.length) > chiSquaredQuantile(confidence, degrees);
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
function varianceByDivisions(batches: readonly Batch[]): number {
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
