import type { Settings } from '../analysis/search/types';

export interface FindChoice {
  probeSeconds: number;
  fullSeconds: number;
  budgetSeconds: number | null;
  latencyFloorMs: number;
}

/** What must hold where nobody says. */
export const USUAL_SLOS = ['p95<1s', 'errors<1%'];

/** A probe must see several whole replies one after the other: of a workload that takes 5 s, in 20 s. */
const FLOORS_A_PROBE = 4;

export function searchSettings(choice: FindChoice): Partial<Settings> {
  const leastSeconds = (FLOORS_A_PROBE * choice.latencyFloorMs) / 1000;
  const shortSeconds = Math.max(choice.probeSeconds, leastSeconds);
  return {
    ladderSeconds: Math.max(choice.probeSeconds / 2, leastSeconds / 2),
    shortSeconds,
    fullSeconds: Math.max(choice.fullSeconds, shortSeconds),
    budgetSeconds: choice.budgetSeconds,
  };
}
