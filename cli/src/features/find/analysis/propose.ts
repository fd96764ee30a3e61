import type { Belief } from './belief';
import { best, evidence, spread, type ProbeEvidence } from './evidence';
import { confirmedRate, confirmingRuns, CONFIRMING } from './levels';
import { proposeByQueue } from './queue-plan';
import {
  GENTLE,
  isRateTrial,
  nearness,
  WHOLE,
  WIDEST,
  budgetSecondsLeft,
  secondsOf,
  type Probe,
  type RateProbe,
  type SearchSettings,
  type Trial,
  type LadderProbe,
} from './types';

/** Fewer probes of full length may all have been lucky. */
export const MIN_FULL = 3;
/** The first open-loop rate, as a share of the throughput at the knee. */
const FIRST_SHARE = 0.85;
/** How far above the knee's throughput the first probe beyond it goes. */
export const BEYOND_KNEE = 1.08;
/** A rate that was sustained grows by this at the most. */
export const GROWTH = 2;
/** Short probes are done when four fifths of the belief lie between two levels this close. */
const NARROW = 1.25;
/** No more than this share of the time goes into finding where to look. */
const MAX_SHORT_SHARE = 0.3;
/** While nothing was sustained, a step down is no larger than this: the first failure may be a stall. */
const STEP_DOWN = 1.6;
/** Which part of the belief a probe of full length is made at, by what those before it showed. */
const AT = { noneSustained: 0.25, noneFailed: 0.6, both: 0.4 };
/** Without a budget it ends here at the latest, in full lengths: more of the same would teach little. */
const MAX_LENGTHS = 10;

/** What all probes take together, at most. */
export const maxSeconds = ({ budgetSeconds, fullSeconds }: SearchSettings): number =>
  budgetSeconds ?? MAX_LENGTHS * fullSeconds;

/** The next probe; null when there is nothing left to learn, or no time left to learn it in. */
export function propose(trials: readonly Trial[], settings: SearchSettings): Probe | null {
  const totalSeconds = maxSeconds(settings);
  const left = budgetSecondsLeft(trials, totalSeconds);
  const rung = nextRung(trials, settings);
  // A budget too small for a ladder and one probe of full length begins with what is known: nothing.
  if (rung !== null && rung.durationSeconds + settings.fullSeconds <= left) return rung;
  const known = evidence(trials, settings);
  const byQueue = proposeByQueue(trials, settings, totalSeconds);
  const next =
    byQueue === undefined
      ? wanted(trials, known, settings, totalSeconds)
      : byQueue && belowCeiling(byQueue, known);
  const probe = repeatedInvalid(trials, known) ?? (next && gently(next, known, settings));
  if (probe === null || probe.durationSeconds <= left) return probe;
  if (left < settings.shortSeconds) return null;
  return { ...probe, kind: 'narrow', durationSeconds: Math.floor(left) };
}

/** A rate that is not known to be sustained is no more than a share of the estimate, once there is one. */
function gently(probe: RateProbe, known: ProbeEvidence, { isGentle }: SearchSettings): RateProbe {
  const max = GENTLE * best(known);
  if (!isGentle || known.belief === null || max === 0 || probe.ratePerSecond <= max) return probe;
  return { ...probe, ratePerSecond: Number(max.toPrecision(4)) };
}

function wanted(
  trials: readonly Trial[],
  known: ProbeEvidence,
  settings: SearchSettings,
  totalSeconds: number,
): RateProbe | null {
  const { belief, low } = known;
  if (belief === null || low === 0) return growth(trials, known, settings);
  const isEarly = secondsOf(trials) < MAX_SHORT_SHARE * totalSeconds;
  if (isEarly && spread(belief, 0.8) > NARROW) {
    return belowCeiling(rateProbe('narrow', belief.quantile(0.5), settings), known);
  }
  if (isDone(known, settings)) return null;
  return belowCeiling(rateProbe('confirm', fullRate(known, belief, settings), settings), known);
}

function fullRate(known: ProbeEvidence, belief: Belief, settings: SearchSettings): number {
  const { confirmed, trials } = known;
  if (isNear(known, settings)) {
    // Only a run that sustains it is missing: step by step down to one that does.
    const tried = trials.filter(({ probe }) => probe.kind === 'confirm').length;
    return belief.quantile(0.5) / (1 + settings.tolerance) ** Math.max(1, tried - MIN_FULL + 1);
  }
  const at =
    confirmed.low === 0 ? AT.noneSustained : confirmed.high === Infinity ? AT.noneFailed : AT.both;
  return belief.quantile(at);
}

/** An invalid probe is made once more; two of them show where the generator ends. */
function repeatedInvalid(trials: readonly Trial[], known: ProbeEvidence): RateProbe | null {
  const last = trials.filter(isRateTrial).at(-1);
  if (last?.outcome.result !== 'invalid') return null;
  return known.generatorCeiling <= last.probe.ratePerSecond ? null : last.probe;
}

/** Up until something fails, down until something is sustained. */
function growth(
  trials: readonly Trial[],
  known: ProbeEvidence,
  settings: SearchSettings,
): RateProbe | null {
  const { low, high, peak, belief } = known;
  if (known.trials.length === 0) {
    return rateProbe('growth', peak > 0 ? FIRST_SHARE * peak : 1, settings);
  }
  if (belief === null) {
    const knee = BEYOND_KNEE * throughputAtKnee(trials);
    const max = knee > 1.02 * low ? Math.min(GROWTH * low, knee) : GROWTH * low;
    return belowCeiling(rateProbe('growth', max, settings), known);
  }
  // Nothing is sustained, down to a 64th of the most that was ever answered: there is no capacity to find.
  if (high < peak / 64) return null;
  const next = clamp(0.9 * belief.quantile(0.5), high / STEP_DOWN, high / 1.1);
  return belowCeiling(rateProbe('narrow', next, settings), known);
}

export function throughputAtKnee(trials: readonly Trial[]): number {
  const rungs = trials.filter(({ probe }) => probe.kind === 'ladder');
  return Math.max(0, ...rungs.map(({ outcome }) => outcome.achievedPerSecond));
}

/** Each rung has this many times the clients of the one before. */
const STEP = 4;
/** A rung that gains less than this has passed the knee. */
const KNEE_GAIN = 1.5;

/** If others had the machine, a rung is made again: without it, the search begins far from the answer. */
const MAX_INVALID_RUNGS = 3;

/** Clients are added until throughput no longer follows; null when the knee is found. */
function nextRung(trials: readonly Trial[], settings: SearchSettings): LadderProbe | null {
  if (trials.some(isRateTrial)) return null;
  const last = trials.at(-1);
  if (last?.probe.kind !== 'ladder') return rung(1, settings);
  const invalid = trials.filter(({ outcome }) => outcome.result === 'invalid').length;
  if (last.outcome.result === 'invalid' && invalid < MAX_INVALID_RUNGS) return last.probe;
  const valid = trials.filter(({ outcome }) => outcome.result !== 'invalid');
  const before = valid.at(-2)?.outcome.achievedPerSecond ?? 0;
  const done =
    last.outcome.result !== 'sustained' ||
    last.outcome.achievedPerSecond < KNEE_GAIN * before ||
    last.probe.clients * STEP > settings.maxClients;
  return done ? null : rung(last.probe.clients * STEP, settings);
}

function rung(clients: number, { ladderSeconds }: SearchSettings): LadderProbe {
  return { kind: 'ladder', clients, durationSeconds: ladderSeconds };
}

function rateProbe(kind: RateProbe['kind'], rate: number, settings: SearchSettings): RateProbe {
  // Four digits, so that equal levels have equal rates.
  const ratePerSecond = Number(rate.toPrecision(4));
  const short = Math.max(settings.shortSeconds, Math.ceil(settings.minRequests / ratePerSecond));
  return {
    kind,
    ratePerSecond,
    durationSeconds:
      kind === 'confirm' ? settings.fullSeconds : Math.min(settings.fullSeconds, short),
  };
}

/** The probe, or one just below where the generator ends; null when that would teach nothing new. */
function belowCeiling(
  probe: RateProbe,
  { generatorCeiling, low, trials }: ProbeEvidence,
): RateProbe | null {
  if (probe.ratePerSecond < generatorCeiling) return probe;
  const ratePerSecond = Number((0.9 * generatorCeiling).toPrecision(4));
  const known = trials.some(
    (trial) => trial.probe.kind === probe.kind && trial.probe.ratePerSecond === ratePerSecond,
  );
  return known || ratePerSecond < low ? null : { ...probe, ratePerSecond };
}

/** Within the two bounds; between them where they have crossed. */
function clamp(value: number, low: number, high: number): number {
  return low > high ? Math.sqrt(low * high) : Math.min(Math.max(value, low), high);
}

/** Whether the answer is as near as the search looks. */
function isNear({ belief, trials }: ProbeEvidence, settings: SearchSettings): boolean {
  const full = trials.filter(({ probe }) => probe.kind === 'confirm').length;
  if (full < MIN_FULL || belief === null) return false;
  // The ends of the interval may lie far out where the middle is narrow.
  const near = nearness(settings);
  const widest = (WIDEST * near) / settings.tolerance;
  return spread(belief, 0.9) < (1 + near) ** 2 && spread(belief, WHOLE) < 1 + widest;
}

/** Whether there is nothing left to learn. */
export function isDone(known: ProbeEvidence, settings: SearchSettings): boolean {
  const runs = confirmingRuns(known.trials, settings);
  return isNear(known, settings) && confirmedRate(runs, CONFIRMING * best(known), null) !== null;
}
