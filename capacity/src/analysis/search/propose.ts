import { evidence, type Evidence } from './evidence';
import {
  isRateTrial,
  type LadderProbe,
  type Probe,
  type RateProbe,
  type Settings,
  type Trial,
} from './types';

/** A breach this far beyond its bound needs no second probe of full length: a short one will do. */
const GROSS_PRESSURE = 1.5;
/** A rung of four times the clients that gains less than this has found the knee. */
const KNEE_GAIN = 1.5;
/** The first open-loop rate, as a share of the throughput at the knee. */
const FIRST_SHARE = 0.85;
/** Levels this close count as one. */
const SAME_LEVEL = 1.01;
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
  const known = evidence(trials);
  return (
    again(trials, known, settings) ??
    (isNarrow(known) ? nextConfirmation(known, settings) : nextShort(known, settings))
  );
}

function nextRung(trials: readonly Trial[], settings: Settings): LadderProbe | null {
  if (trials.some(isRateTrial)) return null;
  const rung = (clients: number): LadderProbe => ({
    kind: 'ladder',
    clients,
    durationSeconds: settings.ladderSeconds,
  });
  const last = trials.at(-1);
  if (last?.probe.kind !== 'ladder') return rung(1);
  const before = trials.at(-2)?.outcome.achievedPerSecond ?? 0;
  const { outcome, probe } = last;
  const done =
    outcome.result !== 'held' ||
    outcome.achievedPerSecond < KNEE_GAIN * before ||
    probe.clients * 4 > settings.mostClients;
  return done ? null : rung(probe.clients * 4);
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
  const full = probe.durationSeconds >= settings.fullSeconds;
  const same = known.trials.filter(
    (trial) =>
      trial.probe.ratePerSecond === probe.ratePerSecond &&
      (trial.probe.kind === 'confirm') === (probe.kind === 'confirm'),
  );
  const failed = same.filter((trial) => trial.outcome.result === 'failed').length;
  const held = same.length - failed;
  if (failed === 0 || failed >= 2 || held >= 2) return null;
  const gross = outcome.result === 'failed' && (outcome.pressure ?? 1) > GROSS_PRESSURE;
  if (gross && full) return rateProbe('narrow', probe.ratePerSecond, settings);
  return probe;
}

/** Close enough for the full length: the boundary is within a tenth, or a probe came near the bound. */
function isNarrow({ trials, low, high, predicted }: Evidence): boolean {
  if (low === 0 || predicted === null) return false;
  if (trials.some(({ probe }) => probe.kind === 'confirm')) return true;
  return high / low < 1.1 || predicted / low < 1.05;
}

function nextShort(known: Evidence, settings: Settings): RateProbe | null {
  const { trials, low, high, peak, predicted } = known;
  if (trials.length === 0) {
    return peak > 0 ? rateProbe('growth', FIRST_SHARE * peak, settings) : rateProbe('growth', 1, settings);
  }
  // Nothing holds, down to a 64th of the most that was ever answered: there is no capacity to find.
  if (low === 0 && high < peak / 64) return null;
  const guess = predicted ?? (high === Infinity ? 2 * low : Math.sqrt(Math.max(low, high / 4) * high));
  if (high === Infinity) {
    const next = Math.min(Math.max(guess, 1.1 * low), 2 * low);
    return belowCeiling(rateProbe('growth', next, settings), known);
  }
  const floor = low === 0 ? high / 3 : low * 1.03;
  return belowCeiling(rateProbe('narrow', clamp(guess, floor, high / 1.03), settings), known);
}

function nextConfirmation(known: Evidence, settings: Settings): RateProbe | null {
  const { trials, low, high } = known;
  const confirmed = confirmedRate(known);
  const target = known.predicted ?? low;
  if (confirmed > 0 && (target / confirmed <= 1 + settings.tolerance || high / confirmed <= 1 + settings.tolerance)) {
    return null;
  }
  // A little below the guess, as a longer probe sees more than a short one did.
  const failedFull = trials.filter(({ probe, outcome }) => probe.kind === 'confirm' && outcome.result === 'failed').map(({ probe }) => probe.ratePerSecond);
  const ceiling = Math.min(high, ...failedFull);
  const next = clamp(0.985 * target, confirmed * 1.015, ceiling / 1.015);
  return belowCeiling(rateProbe('confirm', next, settings), known);
}

/** The highest rate that held at full length by majority. */
export function confirmedRate({ trials, high }: Evidence): number {
  const full = trials.filter(({ probe }) => probe.kind === 'confirm');
  const held = full.filter(({ probe, outcome }) => {
    if (outcome.result !== 'held' || probe.ratePerSecond >= high) return false;
    const same = full.filter((trial) => trial.probe.ratePerSecond === probe.ratePerSecond);
    return 2 * same.filter((trial) => trial.outcome.result === 'held').length > same.length;
  });
  return Math.max(0, ...held.map(({ probe }) => probe.ratePerSecond));
}

function belowCeiling(probe: RateProbe, { generatorCeiling, low }: Evidence): RateProbe | null {
  if (probe.ratePerSecond < generatorCeiling) return probe;
  const ratePerSecond = tidy(0.9 * generatorCeiling);
  if (ratePerSecond <= low * SAME_LEVEL) return null;
  return { ...probe, ratePerSecond };
}

function rateProbe(kind: RateProbe['kind'], rate: number, settings: Settings): RateProbe {
  const ratePerSecond = tidy(rate);
  const enough = settings.leastRequests / ratePerSecond;
  const durationSeconds =
    kind === 'confirm'
      ? settings.fullSeconds
      : Math.min(settings.fullSeconds, Math.max(settings.shortSeconds, Math.ceil(enough)));
  return { kind, ratePerSecond, durationSeconds };
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
  const known = evidence(trials);
  const isConfirmed = confirmedRate(known) > 0;
  const reserve = isConfirmed || probe.kind === 'confirm' ? 0 : settings.fullSeconds;
  if (probe.durationSeconds + reserve <= left) return probe;
  if (!isConfirmed && settings.fullSeconds <= left && known.low > 0) {
    return rateProbe('confirm', known.low, settings);
  }
  return null;
}

function clamp(value: number, low: number, high: number): number {
  return low > high ? Math.sqrt(low * high) : Math.min(Math.max(value, low), high);
}

/** Four digits: equal levels have equal rates. */
function tidy(rate: number): number {
  return Number(rate.toPrecision(4));
}
