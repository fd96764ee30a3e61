/** The answer where CPU is not the limit: what is, how long a request holds it, and how much of it the answer uses. Pure. */
import { limitsOfRun } from '../../../analysis/limits/of-run';
import { isSameLimit, rowOf } from '../../../analysis/limits/table';
import { median } from '../../../analysis/statistics/statistics';
import type { Limit } from '../../../record/run-record';
import type { FindProbe, FindRecord } from '../record';

/** What a system does that can do no more. */
export interface Held {
  of: Limit;
  /** How many requests hold it side by side; null where nobody counts them, as for a pool of connections. */
  count: number | null;
  /** Requests a second that use all of it up: in the median of the probes that did, and in the slowest of them. */
  ratePerSecond: number;
  slowestPerSecond: number;
}

/** An open loop that got less than this share of what it asked for found all of it in use. */
const KEPT_UP = 0.97;

/** Null where the limit computes, as its price is its CPU, and where no probe used it up. */
export function heldBy(
  limit: Limit | null,
  probes: readonly FindProbe[],
  at: Pick<FindRecord, 'topology' | 'machine' | 'workload'>,
): Held | null {
  if (limit === null || !isHeld(limit)) return null;
  const rates = probes
    .filter(({ result, limitedBy }) => result !== 'invalid' && isSameLimit(limitedBy.limit, limit))
    .filter(({ ratePerSecond = Infinity, achievedPerSecond }) =>
      achievedPerSecond > 0 ? achievedPerSecond < KEPT_UP * ratePerSecond : false,
    )
    .map(({ achievedPerSecond }) => achievedPerSecond);
  if (rates.length === 0) return null;
  return {
    ...{ of: limit, count: countOf(limit, at) },
    ...{ ratePerSecond: median(rates), slowestPerSecond: Math.min(...rates) },
  };
}

/** Slots, pools, connections and locks, and a service outside n8n. */
const isHeld = (limit: Limit): boolean =>
  limit.role === 'upstream' || rowOf(limit)?.kind === 'held';

function countOf(
  { role, resource }: Limit,
  { topology, machine, workload }: Pick<FindRecord, 'topology' | 'machine' | 'workload'>,
): number | null {
  if (resource !== 'slots') return null;
  const { workerSlots, executionSlots, runnerSlots } = limitsOfRun({
    ...{ topology, machine, latencyFloorMs: workload.latencyFloorMs, usesRunner: true },
    ...{ measured: { fromMs: 0, toMs: 0 }, sameMachine: false },
  });
  return { worker: workerSlots, main: executionSlots, runner: runnerSlots }[role as string] ?? null;
}

/** How long a request holds one of them, in milliseconds: Little's law, where all are in use. */
export const heldMs = ({ count }: Held, ratePerSecond: number): number | null =>
  count === null ? null : (1_000 * count) / ratePerSecond;
