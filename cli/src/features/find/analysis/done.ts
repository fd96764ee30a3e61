import { best, spread, type ProbeEvidence } from './evidence';
import { confirmedRate, CONFIRMING } from './levels';
import { WHOLE, WIDEST, type SearchSettings } from './types';

/** Fewer probes of full length may all have been lucky. */
export const MIN_FULL = 3;

/** Whether the answer is as near as the search looks. */
export function isNear({ belief, trials }: ProbeEvidence, { tolerance }: SearchSettings): boolean {
  const full = trials.filter(({ probe }) => probe.kind === 'confirm').length;
  if (full < MIN_FULL || belief === null) return false;
  // The ends of the interval may lie far out where the middle is narrow.
  return spread(belief, 0.9) < (1 + tolerance) ** 2 && spread(belief, WHOLE) < 1 + WIDEST;
}

/** Whether there is nothing left to learn. */
export function isDone(known: ProbeEvidence, settings: SearchSettings): boolean {
  return (
    isNear(known, settings) && confirmedRate(known.trials, CONFIRMING * best(known), null) !== null
  );
}
