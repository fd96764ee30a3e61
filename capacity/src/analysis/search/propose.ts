import { nextConfirmation } from './confirm';
import { evidence, type Evidence } from './evidence';
import { nextRung } from './ladder';
import { belowCeiling, clamp, rateProbe } from './probes';
import { isRateTrial, type Probe, type RateProbe, type Settings, type Trial } from './types';

/** A breach this far beyond its bound needs no second probe of full length: a short one will do. */
const GROSS_PRESSURE = 1.5;
/** The first open-loop rate, as a share of the throughput at the knee. */
const FIRST_SHARE = 0.85;
/** How far above the knee's throughput the first probe beyond it goes. */
const BEYOND_KNEE = 1.08;
/** Short probes are done when four fifths of the belief lie between two levels this close. */
const NARROW = 1.1;
const MOST_SHORT = 10;
const MOST_PROBES = 40;

/** The next probe; null when there is nothing left to learn, or no time left to learn it in. */
export function propose(trials: readonly Trial[], settings: Settings): Probe | null {
  const probe = trials.length < MOST_PROBES ? wanted(trials, settings) : null;
  if (probe === null || settings.budgetSeconds === null) return probe;
  return withinBudget(probe, trials, settings, settings.budgetSeconds);
}

function wanted(trials: readonly Trial[], settings: Settings): Probe | null {
  const rung = nextRung(trials, settings);
  if (rung !== null) return rung;
  const known = evidence(trials, settings);
  const repeated = again(trials, known, settings);
  if (repeated !== null) return repeated;
  const confirming = known.trials.some(({ probe }) => probe.kind === 'confirm');
  const short = confirming || isNarrow(known) ? null : nextShort(trials, known, settings);
  if (short !== null) return short;
  return confirming || known.low > 0 ? nextConfirmation(known, settings) : null;
}

function isNarrow({ low, trials, belief }: Evidence): boolean {
  if (low === 0 || belief === null) return false;
  return belief.quantile(0.9) / belief.quantile(0.1) < NARROW || trials.length > MOST_SHORT;
}

/**
 * A breach counts only when it was measured again, and of two that disagree a third decides. An invalid
 * probe is made once more; two of them show where the generator ends.
 */
function again(trials: readonly Trial[], known: Evidence, settings: Settings): RateProbe | null {
  const last = trials.filter(isRateTrial).at(-1);
  if (last === undefined) return null;
  const { probe, outcome } = last;
  if (outcome.result === 'invalid') {
    return known.generatorCeiling <= probe.ratePerSecond ? null : probe;
  }
  const same = known.trials.filter(
    (trial) =>
      trial.probe.ratePerSecond === probe.ratePerSecond &&
      (trial.probe.kind === 'confirm') === (probe.kind === 'confirm'),
  );
  const failed = same.filter((trial) => trial.outcome.result === 'failed').length;
  const held = same.length - failed;
  if (failed === 0 || failed >= 2 || held >= 2) return null;
  const gross = outcome.result === 'failed' && (outcome.pressure ?? 1) > GROSS_PRESSURE;
  return gross && probe.kind === 'confirm'
    ? rateProbe('narrow', probe.ratePerSecond, settings)
    : probe;
}

function nextShort(
  trials: readonly Trial[],
  known: Evidence,
  settings: Settings,
): RateProbe | null {
  const { low, high, peak } = known;
  if (known.trials.length === 0) {
    return rateProbe('growth', peak > 0 ? FIRST_SHARE * peak : 1, settings);
  }
  // Nothing holds, down to a 64th of the most that was ever answered: there is no capacity to find.
  if (low === 0 && high < peak / 64) return null;
  if (known.belief === null) {
    const knee = BEYOND_KNEE * throughputAtKnee(trials);
    const most = knee > 1.02 * low ? Math.min(2 * low, knee) : 2 * low;
    return belowCeiling(rateProbe('growth', most, settings), known);
  }
  const likely = known.belief.quantile(0.5);
  const next = low === 0 ? clamp(0.9 * likely, high / 4, high / 1.1) : likely;
  return belowCeiling(rateProbe('narrow', next, settings), known);
}

function throughputAtKnee(trials: readonly Trial[]): number {
  const rungs = trials.filter(({ probe }) => probe.kind === 'ladder');
  return Math.max(0, ...rungs.map(({ outcome }) => outcome.achievedPerSecond));
}

/** Time is kept back for one confirmation; when only that is left, it is made at the best level so far. */
function withinBudget(
  probe: Probe,
  trials: readonly Trial[],
  settings: Settings,
  budget: number,
): Probe | null {
  const spent = trials.reduce((sum, trial) => sum + trial.probe.durationSeconds, 0);
  const left = budget - spent;
  const known = evidence(trials, settings);
  const isConfirmed = known.confirmed.low > 0;
  const reserve = isConfirmed || probe.kind === 'confirm' ? 0 : settings.fullSeconds;
  if (probe.durationSeconds + reserve <= left) return probe;
  const isLastChance = !isConfirmed && settings.fullSeconds <= left && known.low > 0;
  return isLastChance ? rateProbe('confirm', known.low, settings) : null;
}
