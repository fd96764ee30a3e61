/**
 * How long a system is loaded before its first probe: until a request costs it no less CPU than before. V8 optimises
 * what runs often, and a search that begins meanwhile measures a system that nobody operates: in those of
 * studies/kubernetes a request took up to half as much CPU again in the first minute as later.
 */
import { busiestCost } from './analysis/machine-speed';
import { planOf } from '../../../../loadtests/lib/profile';
import type { Summary } from '../../record/run-record';

/** One round. */
export const WARM_UP = planOf('closed', { clients: 4, durationSeconds: 8, warmupSeconds: 0 });

/** Maximum share of a budget; the time does not count against the budget. */
const MAX_SHARE = 0.1;
const MAX_ROUNDS = 8;
/** A round that is cheaper by less is as dear as the one before it. */
const CHEAPER = 0.95;
/** So many rounds in a row are no cheaper than those before them. */
const SETTLED_ROUNDS = 2;
/** With fewer requests a round the CPU of one is chance, and hardly any code runs often. */
const MIN_REQUESTS = 50;

export interface WarmUpRound {
  /** CPU per request of the role that works most, in milliseconds; null where it was not seen. */
  cpuMs: number | null;
  requests: number;
}

export function roundOf(summary: Pick<Summary, 'achieved' | 'roles'>): WarmUpRound {
  return {
    cpuMs: busiestCost(summary),
    requests: summary.achieved.ratePerSecond * WARM_UP.durationSeconds,
  };
}

/** Whether the search may begin. */
export function isWarm(rounds: readonly WarmUpRound[], budgetSeconds: number | null): boolean {
  const seconds = MAX_SHARE * (budgetSeconds ?? Infinity);
  const most = Math.min(MAX_ROUNDS, Math.floor(seconds / WARM_UP.durationSeconds));
  if (rounds.length >= Math.max(1, most)) return true;
  const costs = rounds.map(({ cpuMs, requests }) => (requests < MIN_REQUESTS ? null : cpuMs));
  if (costs.includes(null)) return true;
  const known = costs.filter((cost) => cost !== null);
  const before = known.slice(0, -SETTLED_ROUNDS);
  const last = known.slice(-SETTLED_ROUNDS);
  return before.length > 0 && Math.min(...last) > CHEAPER * Math.min(...before);
}
