import type { Cost } from '../../../analysis/cost';

/** What the runs beneath a comparison show of each side, beyond its values. */
export interface ComparedRuns {
  a: SideSeen;
  b: SideSeen;
}

export interface SideSeen {
  /** One per run or search of which it is known. */
  costs: readonly Cost[];
  /** For each run, the latency in ms that each share of SLOWER_SHARES exceeds; null if it had too few requests. */
  slower: readonly (number | null)[][];
}

export const NOTHING_SEEN: ComparedRuns = {
  a: { costs: [], slower: [] },
  b: { costs: [], slower: [] },
};

/** From all requests to one in a thousand, evenly on a logarithmic scale. */
export const SLOWER_SHARES = Array.from({ length: 61 }, (_, index) => 10 ** (-index / 20));
