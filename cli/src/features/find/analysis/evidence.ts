import { belief, type Belief } from './belief';
import { isRateTrial, type RateTrial, type SearchSettings, type Trial } from './types';

/** What the probes so far say about where the capacity lies. */
export interface ProbeEvidence {
  /** Rate probes that count. */
  trials: RateTrial[];
  /** Highest rate that was sustained below the boundary; 0 when none was. */
  low: number;
  /** Lowest rate that failed above it; infinite when none did. */
  high: number;
  /** The same of the probes of full length. */
  confirmed: { low: number; high: number };
  /** The most expected responses a second that any valid probe has seen, or any at all without one; 0 before the first. */
  peak: number;
  /** Null until a rate has failed: before that nothing bounds the capacity. */
  readonly belief: Belief | null;
  /** At this rate the generator was the limit, twice; infinite when it never was. */
  generatorCeiling: number;
}

/** Further from the bound than this, how far says nothing about where the bound is met. */
const MAX_ROOM = 3;

export function evidence(all: readonly Trial[], { fullSeconds }: SearchSettings): ProbeEvidence {
  const valid = all.filter(({ outcome }) => outcome.result !== 'invalid');
  const trials = valid.filter(isRateTrial);
  const { low, high } = boundary(trials);
  const rooms = valid.map(({ outcome }) => 1 / (outcome.pressure ?? Infinity));
  const unloadedRoom = Math.min(MAX_ROOM, Math.max(1.02, ...rooms));
  const known = { trials, unloadedRoom, peak: overloadedPeak(trials, low), fullSeconds };
  let weighed: Belief | null = null;
  return {
    trials,
    low,
    high,
    confirmed: boundary(trials.filter(({ probe }) => probe.kind === 'confirm')),
    peak: Math.max(
      0,
      ...(valid.length > 0 ? valid : all).map(({ outcome }) => outcome.achievedPerSecond),
    ),
    // Many steps do not ask for it, and it is nearly all of the work.
    get belief() {
      if (high === Infinity) return null;
      weighed ??= belief(known);
      return weighed;
    },
    generatorCeiling: generatorCeiling(all),
  };
}

/** The most that failed probes achieved; infinite where a level was sustained that is not below it. */
function overloadedPeak(trials: readonly RateTrial[], low: number): number {
  const failed = trials.filter(({ outcome }) => outcome.result === 'not sustained');
  const peak = Math.max(...failed.map(({ outcome }) => outcome.achievedPerSecond));
  return low < peak ? peak : Infinity;
}

/**
 * The split of all rates into a sustained part and one that is not that contradicts the fewest seconds of probes.
 * One odd probe is outvoted by those around it, whichever side it is on and whenever it was made.
 */
export function boundary(trials: readonly RateTrial[]): { low: number; high: number } {
  const rates = [...new Set(trials.map(({ probe }) => probe.ratePerSecond))].sort((a, b) => a - b);
  let best = { low: 0, high: Infinity };
  let min = Infinity;
  for (let i = 0; i <= rates.length; i += 1) {
    const low = rates[i - 1] ?? 0;
    const high = rates[i] ?? Infinity;
    let contradicted = 0;
    for (const { probe, outcome } of trials) {
      const sustained = outcome.result === 'sustained';
      if (sustained !== probe.ratePerSecond <= low) contradicted += probe.durationSeconds;
    }
    // The lower of equal splits counts: a tie is no proof that a rate is sustained.
    if (contradicted < min) {
      min = contradicted;
      best = { low, high };
    }
  }
  return best;
}

/** The answer so far: the middle of the belief; 0 where nothing was sustained. */
export function best({ belief, low, trials }: ProbeEvidence): number {
  if (belief === null) return low;
  return trials.some(({ outcome }) => outcome.result === 'sustained') ? belief.quantile(0.5) : 0;
}

/** The ratio of the two levels between which this share of the belief lies. */
export function spread(belief: Belief, share: number): number {
  return belief.quantile((1 + share) / 2) / belief.quantile((1 - share) / 2);
}

function generatorCeiling(all: readonly Trial[]): number {
  const counts = new Map<number, number>();
  for (const trial of all) {
    const { result, limit } = trial.outcome;
    if (result !== 'invalid' || limit?.role !== 'generator' || !isRateTrial(trial)) continue;
    const rate = trial.probe.ratePerSecond;
    counts.set(rate, (counts.get(rate) ?? 0) + 1);
  }
  return Math.min(Infinity, ...[...counts].filter(([, n]) => n >= 2).map(([rate]) => rate));
}
