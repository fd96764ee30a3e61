import { best, spread, type ProbeEvidence } from './evidence';
import { confirmedRate, CONFIRMING } from './levels';
import { nearness, WHOLE, WIDEST, type SearchSettings } from './types';

/** Fewer probes of full length may all have been lucky. */
export const MIN_FULL = 3;

/** Whether the answer is as near as the search looks. */
export function isNear({ belief, trials }: ProbeEvidence, settings: SearchSettings): boolean {
  const full = trials.filter(({ probe }) => probe.kind === 'confirm').length;
  if (full < MIN_FULL || belief === null) return false;
  // The ends of the interval may lie far out where the middle is narrow.
  const near = nearness(settings);
  const widest = (WIDEST * near) / settings.tolerance;
  return spread(belief, 0.9) < (1 + near) ** 2 && spread(belief, WHOLE) < 1 + widest;
}

/** Whether there is nothing left to learn. */
export function isDone(known: ProbeEvidence, settings: SearchSettings): boolean {
  return (
    isNear(known, settings) && confirmedRate(known.trials, CONFIRMING * best(known), null) !== null
  );
}
