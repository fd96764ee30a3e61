import { MEMORY_TO_CPU_PRICE } from '../../../analysis/cost';
import type { Prices } from '../../../plan/recorded';
import { plannedPerSecond } from '../../find/analysis/planned-share';
import { withoutRepeats, type CapacityEvidence } from './evidence';
import { sizingFor, type Sizing } from './sizing';

export interface Recommendation {
  best: Sizing;
  /** The rest that would do, cheapest first. */
  others: Sizing[];
  prices: Prices;
}

/** Only their ratio matters. */
export const DEFAULT_PRICES: Prices = { cpu: 1, memory: MEMORY_TO_CPU_PRICE };

/** The rate to plan with where none is asked: `recommend` answers it whatever was recorded. */
export function plannedRate(evidence: readonly CapacityEvidence[]): number {
  const best = Math.max(0, ...withoutRepeats(evidence).map((each) => each.capacityPerSecond));
  return plannedPerSecond(best);
}

/** The cheapest of what is known to do; null when nothing recorded sustains the rate. */
export function recommend(
  evidence: readonly CapacityEvidence[],
  wantedPerSecond: number,
  prices: Prices = DEFAULT_PRICES,
): Recommendation | null {
  const sizings = withoutRepeats(evidence)
    .map((each) => sizingFor(each, evidence, wantedPerSecond))
    .filter((sizing) => sizing !== null)
    .sort((a, b) => TRUST[a.basis] - TRUST[b.basis] || rank(a, prices) - rank(b, prices));
  const [best, ...others] = sizings;
  return best === undefined ? null : { best, others, prices };
}

/** What was measured comes before what the law says, and that before what is merely in proportion. */
const TRUST: Record<Sizing['basis'], number> = { measured: 0, law: 1, proportion: 2 };

/** The cheaper comes before the dearer, and what has no price last. */
const rank = (sizing: Sizing, prices: Prices): number =>
  priceOf(sizing, prices) ?? Number.MAX_VALUE;

export function priceOf({ cost }: Sizing, prices: Prices): number | null {
  return cost === null ? null : cost.cores * prices.cpu + cost.memoryGiB * prices.memory;
}
