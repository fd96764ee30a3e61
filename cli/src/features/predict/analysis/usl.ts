import { normalQuantile, studentQuantile } from '../../../analysis/statistics/distributions';
import { normal, type Random } from '../../../analysis/statistics/random';
import { mean, percentile, sorted, type Interval } from '../../../analysis/statistics/statistics';

/** Throughput measured with n of whatever is scaled: workers, webhook processors, cores. */
export interface ScalingPoint {
  n: number;
  ratePerSecond: number;
}

/**
 * Universal Scalability Law: rate(n) = g n / (1 + a (n - 1) + b n (n - 1)), with g the rate of one,
 * a the share that is done one at a time (contention), b what it costs to agree (coherency).
 */
export interface UslFit {
  g: Interval;
  a: Interval;
  b: Interval;
  /** The n with the highest rate; null where more always brings more. */
  peak: number | null;
  largestMeasured: number;
  /** Relative errors when each size is predicted from the others; of the largest, beyond what it was fitted to. */
  leaveOneOut: { n: number; error: number }[];
  /** Refits to resampled points; what intervals are made of. */
  resampled: Coefficients[];
}

export interface Coefficients {
  g: number;
  a: number;
  b: number;
}

/** Different sizes without which there is no fit. */
export const MIN_SIZES = 4;
/** No more than this multiple of what was measured, by whatever means. */
export const MAX_EXTRAPOLATION = 3;
const RESAMPLES = 500;

export function uslRate({ g, a, b }: Coefficients, n: number): number {
  return (g * n) / (1 + a * (n - 1) + b * n * (n - 1));
}

/** The fit, or in one sentence why there is none. */
export function fitUsl(points: readonly ScalingPoint[], random: Random): UslFit | string {
  const distinct = new Set(points.map(({ n }) => n)).size;
  if (distinct < MIN_SIZES) {
    return `a scalability fit needs ${String(MIN_SIZES)} different sizes, but there are only ${String(distinct)}`;
  }
  const best = solve(points);
  const resampled = resample(points, best, random);
  const interval = (of: (one: Coefficients) => number): Interval => {
    const all = sorted(resampled.map(of));
    return { value: of(best), low: percentile(all, 0.025), high: percentile(all, 0.975) };
  };
  return {
    g: interval(({ g }) => g),
    a: interval(({ a }) => a),
    b: interval(({ b }) => b),
    peak: best.b > 0 && best.a < 1 ? Math.sqrt((1 - best.a) / best.b) : null,
    largestMeasured: Math.max(...points.map(({ n }) => n)),
    leaveOneOut: leaveOneOut(points),
    resampled,
  };
}

/** The rate at n with its interval, or why it is not predicted. */
export function predictUsl(fit: UslFit, n: number): Interval | string {
  const max = MAX_EXTRAPOLATION * fit.largestMeasured;
  if (n > max) {
    return `${String(n)} is more than ${String(MAX_EXTRAPOLATION)} times the largest size measured (${String(fit.largestMeasured)}): measure a size closer to ${String(n)} first`;
  }
  const all = sorted(fit.resampled.map((one) => uslRate(one, n)));
  const value = uslRate({ g: fit.g.value, a: fit.a.value, b: fit.b.value }, n);
  return { value, low: percentile(all, 0.025), high: percentile(all, 0.975) };
}

/**
 * Turned round the law is a straight sum, n / rate = (1 + a (n - 1) + b n (n - 1)) / g, so that the
 * least squares of the relative errors with a and b not below 0 need no iteration: the best of the
 * four fits in which each of them is free or 0.
 */
function solve(points: readonly ScalingPoint[]): Coefficients {
  let best: Coefficients = { g: NaN, a: 0, b: 0 };
  let min = Infinity;
  for (const free of [[0], [0, 1], [0, 2], [0, 1, 2]]) {
    const solution = leastSquares(points, free);
    if (solution === null || solution.some((value) => value < 0)) continue;
    const [one = 0, contention = 0, coherency = 0] = [0, 1, 2].map(
      (i) => solution[free.indexOf(i)],
    );
    const fit = { g: 1 / one, a: contention / one, b: coherency / one };
    const error = points.reduce(
      (sum, { n, ratePerSecond }) => sum + (ratePerSecond / uslRate(fit, n) - 1) ** 2,
      0,
    );
    if (error < min) {
      min = error;
      best = fit;
    }
  }
  return best;
}

/** Least squares of 1 = sum of coefficient times term, by Gaussian elimination of the normal equations. */
function leastSquares(points: readonly ScalingPoint[], free: readonly number[]): number[] | null {
  const rows = points.map(({ n, ratePerSecond }) => {
    const terms = [1, n - 1, n * (n - 1)];
    return free.map((i) => ((terms[i] ?? 0) * ratePerSecond) / n);
  });
  const matrix = free.map((_, i) => [
    ...free.map((__, j) => rows.reduce((sum, row) => sum + (row[i] ?? 0) * (row[j] ?? 0), 0)),
    rows.reduce((sum, row) => sum + (row[i] ?? 0), 0),
  ]);
  const size = free.length;
  const scale = Math.max(...matrix.map((row, i) => row[i] ?? 0));
  for (let pivot = 0; pivot < size; pivot += 1) {
    const row = matrix[pivot] ?? [];
    const head = row[pivot] ?? 0;
    if (Math.abs(head) < 1e-12 * scale) return null;
    for (const [i, other] of matrix.entries()) {
      if (i === pivot) continue;
      const factor = (other[pivot] ?? 0) / head;
      for (let j = pivot; j <= size; j += 1) other[j] = (other[j] ?? 0) - factor * (row[j] ?? 0);
    }
  }
  return matrix.map((row, i) => (row[size] ?? 0) / (row[i] ?? 1));
}

/** Fits to points that scatter about the first fit as widely as the measured ones do. */
function resample(
  points: readonly ScalingPoint[],
  best: Coefficients,
  random: Random,
): Coefficients[] {
  const squares = points.reduce(
    (sum, { n, ratePerSecond }) => sum + Math.log(ratePerSecond / uslRate(best, n)) ** 2,
    0,
  );
  const degrees = Math.max(1, points.length - 3);
  // The scatter itself is known from few points only: Student's t is that much wider than the normal.
  const widening = studentQuantile(0.975, degrees) / normalQuantile(0.975);
  const spread = widening * Math.sqrt(squares / degrees);
  return Array.from({ length: RESAMPLES }, () =>
    solve(
      points.map(({ n }) => ({
        n,
        ratePerSecond: uslRate(best, n) * Math.exp(spread * normal(random)),
      })),
    ),
  );
}

/** A whole size at a time: its repeats would give each other away. */
function leaveOneOut(points: readonly ScalingPoint[]): UslFit['leaveOneOut'] {
  const distinct = [...new Set(points.map(({ n }) => n))].sort((one, other) => one - other);
  return distinct.map((n) => {
    const fit = solve(points.filter((point) => point.n !== n));
    const measured = points.filter((point) => point.n === n);
    const rate = mean(measured.map(({ ratePerSecond }) => ratePerSecond));
    return { n, error: uslRate(fit, n) / rate - 1 };
  });
}
