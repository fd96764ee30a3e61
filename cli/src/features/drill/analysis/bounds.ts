/**
 * What drills rule out about faults of their kind, with 95% confidence. Requests of one fault are lost together, so it goes by
 * faults: by how many of those that put something at risk cost a request, however many requests there were.
 */
import { binomialCdf } from '../../../analysis/statistics/distributions';
import type { DrillFault, DrillLedger } from '../record';
import { isProven, notKnown } from './verdict';

const DOUBT = 0.05;
const HALVINGS = 60;

/** The share of faults that may cost something in truth, after `costly` of them did (Clopper and Pearson, one-sided). */
export function boundOfFaults(costly: number, faults: number): number {
  if (faults <= 0 || costly >= faults) return 1;
  let [low, high] = [0, 1];
  for (let time = 0; time < HALVINGS; time += 1) {
    const middle = (low + high) / 2;
    if (binomialCdf(costly, faults, middle) > DOUBT) low = middle;
    else high = middle;
  }
  return high;
}

export interface FaultCount {
  /** Faults that put something at risk. */
  faults: number;
  /** Those of them that cost a request. */
  costly: number;
  /** It is not recorded which of the faults did: `costly` is the most that it can have been. */
  isAtMost: boolean;
}

export const boundOf = ({ costly, faults }: FaultCount): number => boundOfFaults(costly, faults);

/** Several drills of one kind of fault. */
export const summed = (counts: readonly FaultCount[]): FaultCount => ({
  faults: counts.reduce((sum, { faults }) => sum + faults, 0),
  costly: counts.reduce((sum, { costly }) => sum + costly, 0),
  isAtMost: counts.some(({ isAtMost }) => isAtMost),
});

type Drilled = {
  fault: Pick<DrillFault, 'done' | 'everySeconds' | 'turns' | 'victims'>;
  ledger: Pick<DrillLedger, 'moments' | 'lost' | 'classes'>;
};

/** Null where something may be lost that is not known of. */
export const losingFaults = (drill: Drilled): FaultCount | null =>
  notKnown(drill.ledger) > 0 ? null : costlyFaults(drill, 'lost', drill.ledger.lost);

/** `requests`: whose work was done more than once. */
export const repeatingFaults = (drill: Drilled, requests: number): FaultCount =>
  costlyFaults(drill, 'doneTwice', requests);

function costlyFaults(
  { fault, ledger: { moments } }: Drilled,
  what: 'lost' | 'doneTwice',
  requests: number,
): FaultCount {
  const faults = faultsAtRisk(fault);
  if (requests === 0) return { faults, costly: 0, isAtMost: false };
  if (moments === undefined) {
    return { faults, costly: Math.min(faults, requests), isAtMost: faults > 1 && requests > 1 };
  }
  const known = moments.filter((moment) => moment[what] > 0).length;
  const elsewhere = requests - moments.reduce((sum, moment) => sum + moment[what], 0);
  const costly = Math.min(Math.max(faults, known), known + elsewhere);
  return { faults: Math.max(faults, known), costly, isAtMost: elsewhere > 0 };
}

/**
 * How often the fault was made where something is known to have been at risk. Drills until 2026-12-01 did not record which victim
 * is of which time: each had one.
 */
export function faultsAtRisk({
  done,
  everySeconds,
  turns,
  victims = [],
}: Drilled['fault']): number {
  const made = turns?.length ?? (everySeconds === undefined ? 1 : done.length);
  const isIdle = (turn: number): boolean => {
    const own = victims.filter((victim) => (victim.turn ?? victims.indexOf(victim)) === turn);
    return own.length > 0 && !own.some(isProven);
  };
  if (made === 1) return victims.length > 0 && !victims.some(isProven) ? 0 : 1;
  return Array.from({ length: made }, (_, turn) => turn).filter((turn) => !isIdle(turn)).length;
}
