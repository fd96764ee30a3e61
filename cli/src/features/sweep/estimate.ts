import type { Cell } from './plan/cells';
import { lengthSeconds } from '../../../../loadtests/lib/profile';
import type { SweepPlan } from './plan/plan';
import { isServerCell, loadOf } from './plan/plan-cells';

/** Seen on two quiet cores: up, seeded, ready and down again. The pace of the first cells corrects it. */
const UP_AND_DOWN_SECONDS = { regular: 15, queue: 30, server: 2 };
/** Samplers, the drain and the writing of a run. */
const AROUND_A_RUN_SECONDS = 4;
/** Probes of a search without a budget, from its simulations: rungs of the ladder, short and full probes. */
const DEFAULT_PROBES = { ladder: 6, short: 8, full: 2 };
const PROBE_SECONDS = 10;
const FULL_SECONDS = 60;
/** Three rounds. */
const WARM_UP_SECONDS = 24;

/** How long a cell is thought to take, everything included. */
export function cellSeconds(cell: Cell, plan: SweepPlan): number {
  const what = isServerCell(cell) ? 'server' : cell['mode'] === 'queue' ? 'queue' : 'regular';
  const around = UP_AND_DOWN_SECONDS[what];
  const load = loadOf(cell, plan);
  return (
    around + (load === null ? searchSeconds(plan) : lengthSeconds(load) + AROUND_A_RUN_SECONDS)
  );
}

function searchSeconds({ measure }: SweepPlan): number {
  const short = measure.probe ?? PROBE_SECONDS;
  const full = measure.full ?? FULL_SECONDS;
  const { ladder, short: shorts, full: fulls } = DEFAULT_PROBES;
  const probes = (ladder * short) / 2 + shorts * short + fulls * full;
  const inProbes = Math.min(probes, measure.budget ?? Infinity);
  const count = ladder + shorts + fulls;
  return WARM_UP_SECONDS + inProbes + (inProbes / probes) * count * AROUND_A_RUN_SECONDS;
}
