import {
  mean,
  median,
  standardDeviation,
  type Interval,
} from '../../../analysis/statistics/statistics';
import { formatNumber, percent } from '../../../ui/numbers';

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

export interface Comparison {
  pairs: number;
  /** B relative to A; below 1 it is worse. */
  ratio: Interval;
  answer: 'better' | 'worse' | 'no difference' | 'unknown';
  /** `by 2.8x (2.6 to 3)`; null where neither is better. */
  by: string | null;
  /** `better by 2.8x (2.6 to 3)`, about B. */
  text: string;
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
  // Half an ABBA would count a drift as a difference.
  if (pairs.length < 2 || (pairs.length % 2 === 1 && !budgetSpent)) {
    return {
      pairs: pairs.length,
      ratio,
      answer: 'unknown',
      by: null,
      text: 'too few pairs',
      done: false,
    };
  }
  if (!Number.isFinite(low) || !Number.isFinite(high)) {
    const text = 'too few pairs for an interval';
    return { pairs: pairs.length, ratio, answer: 'unknown', by: null, text, done: budgetSpent };
  }
  const largest = Math.max(ratio.high, 1 / ratio.low) - 1;
  const answer =
    low > 0 ? 'better' : high < 0 ? 'worse' : largest <= ALIKE_WITHIN ? 'no difference' : 'unknown';
  return {
    pairs: pairs.length,
    ratio,
    answer,
    ...worded(answer, ratio, largest),
    done:
      budgetSpent ||
      (precision === undefined
        ? ['better', 'worse'].includes(answer) || largest <= resolution
        : // The upper end is the farther one: the interval is one of logarithms.
          Math.exp(high - value) - 1 <= precision),
  };
}

/** Nothing at all is a value, and worse than anything; the mean of logarithms needs it to be finite. */
export const MAX_RATIO = 1_000;

function logRatio(one: number, other: number): number {
  if (one === other) return 0;
  const most = Math.log(MAX_RATIO);
  return Math.min(most, Math.max(-most, Math.log(one / other)));
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
  const text = `its share of expected responses is ${percent(b)}, compared with ${percent(a)}`;
  return { ...comparison, answer: 'unknown', by: null, text };
}

function worded(
  answer: Comparison['answer'],
  ratio: Interval,
  largest: number,
): Pick<Comparison, 'by' | 'text'> {
  if (answer === 'better' || answer === 'worse') {
    const { value, low, high } =
      answer === 'better'
        ? ratio
        : { value: 1 / ratio.value, low: 1 / ratio.high, high: 1 / ratio.low };
    // Beyond this only the direction is known.
    const by =
      value >= 0.99 * MAX_RATIO
        ? 'by more than can be measured'
        : `by ${formatNumber(value)}x (${formatNumber(low)} to ${formatNumber(high)})`;
    return { by, text: `${answer} ${by}` };
  }
  const text =
    answer === 'unknown'
      ? `a difference of ${formatNumber(1 + largest)}x would be within the noise: measure more pairs, or use longer runs`
      : `no difference larger than the noise (${percent(largest)})`;
  return { by: null, text };
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
