import type { Evidence } from './evidence';
import { sizingFor, type Sizing } from './sizing';

export interface Prices {
  /** Of one core and of one GiB, in whatever the user counts. */
  cpu: number;
  memory: number;
}

export interface Recommendation {
  best: Sizing;
  /** The rest that would do, cheapest first. */
  others: Sizing[];
  prices: Prices;
}

/** GiB of memory cost about an eighth of a core at the large clouds' list prices; only the ratio matters. */
export const DEFAULT_PRICES: Prices = { cpu: 1, memory: 0.125 };

/** The cheapest of what is known to do; null when nothing recorded holds the rate. */
export function recommend(
  evidence: readonly Evidence[],
  wantedPerSecond: number,
  prices: Prices = DEFAULT_PRICES,
): Recommendation | null {
  const sizings = evidence
    .map((each) => sizingFor(each, wantedPerSecond))
    .filter((sizing) => sizing !== null)
    .sort((a, b) => rank(a, prices) - rank(b, prices));
  const [best, ...others] = sizings;
  return best === undefined ? null : { best, others, prices };
}

/** What was measured comes before what was reckoned, and then the cheaper before the dearer. */
function rank(sizing: Sizing, prices: Prices): number {
  return (sizing.extrapolated ? 1e9 : 0) + (priceOf(sizing, prices) ?? 1e6);
}

export function priceOf({ cost }: Sizing, prices: Prices): number | null {
  return cost === null ? null : cost.cores * prices.cpu + cost.memoryGiB * prices.memory;
}
