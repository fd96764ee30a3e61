import type { SloMetric } from '../../../../loadtests/lib/slo';
import { normalQuantile } from '../statistics/distributions';
import { MIN_FOR_A_MEAN } from '../statistics/statistics';

export const PERCENTILES: Partial<Record<SloMetric, number>> = {
  p50: 0.5,
  p90: 0.9,
  p95: 0.95,
  p99: 0.99,
  'p99.9': 0.999,
};

/**
 * The fewest requests that can show that an SLO is met: with fewer even the best outcome leaves it open.
 *
 * - a percentile p: the interval from order statistics has an upper end only where p^n is at most the tail,
 *   as that is how likely all of n independent requests lie below the true percentile (p95: 72, p99: 368,
 *   p99.9: 3,688 at 95% confidence);
 * - a share of errors below `bound`: Wilson's interval of 0 of n ends at z^2 / (n + z^2) (1%: 381).
 * - a mean: as many values as a normal distribution needs to describe it (30).
 *
 * 1 for metrics that are not made of requests.
 */
export function minRequests(metric: SloMetric, bound: number, confidence = 0.95): number {
  const tail = (1 - confidence) / 2;
  const share = PERCENTILES[metric];
  if (share !== undefined) return Math.ceil(Math.log(tail) / Math.log(share));
  if (metric === 'mean') return MIN_FOR_A_MEAN;
  if (metric === 'errors' && bound > 0 && bound < 1) {
    const square = normalQuantile(1 - tail) ** 2;
    return Math.floor((square * (1 - bound)) / bound) + 1;
  }
  return 1;
}
