import { binomialCdf } from '../../../analysis/statistics/distributions';

/**
 * The share that may be lost in truth, with 95% confidence, after `lost` of `requests` were (Clopper and
 * Pearson, one-sided). After none of N it is about 3/N.
 */
export function lossBound(lost: number, requests: number): number {
  if (requests <= 0 || lost >= requests) return 1;
  let low = lost / requests;
  let high = 1;
  for (let step = 0; step < 100 && high - low > 1e-12; step += 1) {
    const middle = (low + high) / 2;
    if (binomialCdf(lost, requests, middle) > 0.05) low = middle;
    else high = middle;
  }
  return high;
}
