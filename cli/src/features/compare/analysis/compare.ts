import {
  mean,
  median,
  standardDeviation,
  type Interval,
} from '../../../analysis/statistics/statistics';

/** One run of A and one of B, made next to each other. */
export interface Pair {
  a: number;
  b: number;
}

export interface CompareSettings {
  /** Throughput and capacity: more is better. Latency, memory, CPU per request: less is. */
  moreIsBetter: boolean;
  /** The share of comparisons of equal things that may end in a difference. */
  falseAlarms: number;
  /** Stop without a difference when none larger than this is left possible: 0.02 is 2%. */
  resolution: number;
  maxPairs: number;
  /** Go on until each end of the interval is this near to the ratio (0.25 is 25%), whatever the answer is. */
  precision?: number;
}

export type UnknownBecause =
  | { kind: 'too few pairs' | 'no interval' | 'noise' }
  /** The better side got fewer expected responses. */
  | { kind: 'rejections'; goodShares: { a: number; b: number } };

export interface Comparison {
  pairs: number;
  /** B relative to A; below 1 it is worse. */
  ratio: Interval;
  answer: 'better' | 'worse' | 'no difference' | 'unknown';
  /** Why it is unknown; null where it is known. */
  unknownBecause: UnknownBecause | null;
  /** Whether more pairs would change nothing. */
  done: boolean;
}

const DEFAULTS: CompareSettings = {
  moreIsBetter: true,
  falseAlarms: 0.05,
  resolution: 0.02,
  maxPairs: 20,
};

/** Two sides are alike where no larger difference is left possible; beyond it nothing is known. */
const ALIKE_WITHIN = 0.2;

/**
 * Which of the sides the n-th run measures, both from 0: there and back again, of two sides ABBA, so that a steady drift
 * cancels out.
 */
export function turn(run: number, sides: number): number {
  const place = run % (2 * sides);
  return place < sides ? place : 2 * sides - 1 - place;
}

/**
 * The ratio of B to A after these pairs. It may be asked after every pair, and the interval still
 * holds the true ratio with the stated confidence at all of those looks together.
 */
export function compare(
  pairs: readonly Pair[],
  settings: Partial<CompareSettings> = {},
): Comparison {
  const { moreIsBetter, falseAlarms, resolution, maxPairs, precision }: CompareSettings = {
    ...DEFAULTS,
    ...settings,
  };
  const logs = pairs.map(({ a, b }) => (moreIsBetter ? logRatio(b, a) : logRatio(a, b)));
  const { value, low, high } = anytimeInterval(logs, falseAlarms);
  const ratio = { value: Math.exp(value), low: Math.exp(low), high: Math.exp(high) };
  const budgetSpent = pairs.length >= maxPairs;
  const unknown = (kind: 'too few pairs' | 'no interval' | 'noise', done: boolean): Comparison => ({
    ...{ pairs: pairs.length, ratio, answer: 'unknown', unknownBecause: { kind }, done },
  });
  // Half an ABBA would count a drift as a difference.
  if (pairs.length < 2 || (pairs.length % 2 === 1 && !budgetSpent)) {
    return unknown('too few pairs', false);
  }
  if (!Number.isFinite(low) || !Number.isFinite(high)) return unknown('no interval', budgetSpent);
  const largest = largestDifference(ratio);
  const isAlike = largest <= ALIKE_WITHIN;
  const answer = low > 0 ? 'better' : high < 0 ? 'worse' : isAlike ? 'no difference' : 'unknown';
  const done =
    budgetSpent ||
    (precision === undefined
      ? ['better', 'worse'].includes(answer) || largest <= resolution
      : // The upper end is the farther one: the interval is one of logarithms.
        Math.exp(high - value) - 1 <= precision);
  return answer === 'unknown'
    ? unknown('noise', done)
    : { pairs: pairs.length, ratio, answer, unknownBecause: null, done };
}

/** What the interval leaves possible, as a share: 0.1 is 10%. */
export const largestDifference = ({ low, high }: Interval): number => Math.max(high, 1 / low) - 1;

/** Nothing at all is a value, and worse than anything; the mean of logarithms needs it to be finite. */
export const MAX_RATIO = 1_000;

function logRatio(one: number, other: number): number {
  if (one === other) return 0;
  const max = Math.log(MAX_RATIO);
  return Math.min(max, Math.max(-max, Math.log(one / other)));
}

/** The i-th of both, where both have one. */
export function alignedPairs(
  a: readonly (number | null)[],
  b: readonly (number | null)[],
): (Pair & { round: number })[] {
  return a.flatMap((value, index) => {
    const other = b[index] ?? null;
    return value === null || other === null ? [] : [{ a: value, b: other, round: index + 1 }];
  });
}

/** A side may not leave out more requests than the other one, beyond this share, and win by that. */
const LEFT_OUT = 0.01;

/**
 * If less is better, a side that rejects requests looks better, so that the difference says nothing. Shares are those
 * of requests that got the expected response.
 */
export function unlessRejected(
  comparison: Comparison,
  moreIsBetter: boolean,
  shares: { a: readonly number[]; b: readonly number[] },
): Comparison {
  const { answer } = comparison;
  if (moreIsBetter || !['better', 'worse'].includes(answer)) return comparison;
  if (shares.a.length === 0 || shares.b.length === 0) return comparison;
  const [a, b] = [median(shares.a), median(shares.b)];
  const [winner, loser] = answer === 'better' ? [b, a] : [a, b];
  if (winner >= loser - LEFT_OUT) return comparison;
  const unknownBecause = { kind: 'rejections', goodShares: { a, b } } as const;
  return { ...comparison, answer: 'unknown', unknownBecause };
}

/** Variance of the effects expected, in units of the noise: ratios here are often many times the noise. */
const EXPECTED_EFFECT = 30;

/**
 * Confidence sequence of a mean under unknown variance: it may be looked at after every value. The
 * t likelihood ratio, averaged over effects from N(0, g) in units of the noise, is a martingale when there
 * is no effect, so that it ever exceeds 1 / alpha has at most the probability alpha (Ville). A mean is
 * excluded when its likelihood ratio exceeds that; solved for t this is
 *
 *     t^2 = v (A - 1) / (1 - A / (1 + n g)),  A = ((1 + n g) / alpha^2)^(1 / n),  v = n - 1
 */
export function anytimeInterval(values: readonly number[], alpha: number): Interval {
  const n = values.length;
  const value = n > 0 ? mean(values) : 0;
  const everything = { value, low: -Infinity, high: Infinity };
  if (n < 2) return everything;
  const growth = 1 + n * EXPECTED_EFFECT;
  const base = (growth / alpha ** 2) ** (1 / n);
  if (base >= growth) return everything;
  const t = Math.sqrt(((n - 1) * (base - 1)) / (1 - base / growth));
  const half = (t * standardDeviation(values)) / Math.sqrt(n);
  return { value, low: value - half, high: value + half };
}
