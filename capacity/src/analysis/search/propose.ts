import { nextConfirmation } from './confirm';
import { evidence, type Evidence } from './evidence';
import { nextRung } from './ladder';
import { belowCeiling, clamp, rateProbe } from './probes';
import {
  isRateTrial,
  secondsLeft,
  type Probe,
  type RateProbe,
  type Settings,
  type Trial,
} from './types';

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
/** A budget of so many full lengths is tight; a smaller one has no time for a second try. */
const TIGHT = { from: 4, below: 8 };
/** How sure a level must look to be tried, and how far below one that has failed it must lie. */
const TRY_QUANTILE = 0.3;
const TRY_STEP_DOWN = 1.01;
const LAST_QUANTILE = 0.15;
const LAST_STEP_DOWN = 1.05;

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

/**
 * Time is kept back to confirm: under a tight budget for two tries. When only that is left, the best level
 * so far is tried; should it fail, or be all there is time for, one that holds almost for sure.
 */
function withinBudget(
  probe: Probe,
  trials: readonly Trial[],
  settings: Settings,
  budget: number,
): Probe | null {
  const { fullSeconds } = settings;
  const left = secondsLeft(trials, budget);
  const { low, belief, confirmed } = evidence(trials, settings);
  const isConfirmed = confirmed.low > 0;
  if (isConfirmed) return probe.durationSeconds <= left ? probe : null;
  const lengths = budget / fullSeconds;
  const tries = lengths >= TIGHT.from && lengths < TIGHT.below ? 2 : 1;
  // With time for more than the last tries there is no hurry, and a breach is measured again.
  const kept = tries * fullSeconds;
  if (probe.durationSeconds + kept <= left) return probe;
  if (fullSeconds > left || low === 0) return null;
  const isLast = left < 2 * fullSeconds;
  const likely = belief?.quantile(isLast ? LAST_QUANTILE : TRY_QUANTILE) ?? low;
  const below = confirmed.high / (isLast ? LAST_STEP_DOWN : TRY_STEP_DOWN);
  return rateProbe('confirm', Math.min(low, likely, below), settings);
}
