/** Which probe comes next while a virtual queue can answer: steps around the running estimate at the current price. */
import { byQueue, currentCost, type QueueAnswer } from './by-queue';
import { confirmingRuns, isConfirmed, isNarrow, widthOf } from './levels';
import {
  budgetSecondsLeft,
  GENTLE,
  isRateTrial,
  ROUGHLY,
  type RateProbe,
  type SearchSettings,
  type Trial,
} from './types';
import { LOOK, ROUGH } from './virtual-queue/fit';
import { fullShare, tracesOf, whyNotReplayed } from './virtual-queue/gate';
import { usedShare } from './virtual-queue/trace';

/** Rates of the steps, as shares of the estimate at the current price, one after the other. */
const STEPS = [0.85, 1, 0.92, 1.04, 0.96, 0.9, 1.02, 0.94];
/** Before the first step: the share of the CPU at which most systems meet their SLO. */
const FIRST_SHARE = 0.85;
/** An estimate of how busy the system may be lies within this. */
const UTILISATION = { min: 0.2, max: 1.05 };
/** Share of a run of full length: steps of 33 s in five minutes, which may confirm an answer. */
const STEP_SHARE = 2 / 3;
const MIN_STEP_SECONDS = 10;
/** A probe shorter than this would be a warm-up. */
const MIN_SECONDS = 8;
/** The first confirming run is made at this share of the answer, each further one just above what confirms it. */
const CONFIRM = { first: 0.93, again: 0.92 };
/**
 * If the interval is wide, it is made at the low end; each that failed lowers the next. An interval of a rough answer begins above
 * this share of the answer, so that a run below it confirms none, however narrow the interval becomes.
 */
const LOWER = 0.95;
const LOWEST = 1 - ROUGHLY / 2;
/** With fewer steps an interval is chance. It is worked out once per this number of steps, as that takes most of a second. */
const MIN_STEPS = 4;
const LOOK_EVERY = 2;

/** Undefined where a queue cannot answer; null when there is nothing left to learn, or no time for it. */
export function proposeByQueue(
  trials: readonly Trial[],
  settings: SearchSettings,
  totalSeconds: number,
): RateProbe | null | undefined {
  if (whyNotReplayed(trials, settings) !== null) return undefined;
  const left = budgetSecondsLeft(trials, totalSeconds);
  if (left < MIN_SECONDS) return null;
  const steps = trials.filter(isRateTrial).filter(({ outcome }) => outcome.result !== 'invalid');
  const cost = currentCost(trials);
  if (cost === null) return undefined;
  const stepSeconds = stepSecondsOf(settings);
  if (steps.length === 0) {
    const used = Math.max(...tracesOf(trials).map((trace) => usedShare(trace, 1)));
    return step((FIRST_SHARE * used) / cost, 0, stepSeconds, left, settings);
  }
  const confirms = steps.filter(({ probe }) => probe.kind === 'confirm').length;
  // If the first confirming run fails, there is time for another, unless both would take most of all the time.
  const areTwo = confirms === 0 && 2 * settings.fullSeconds <= totalSeconds / 2;
  const isLate = left < stepSeconds + (areTwo ? 2 : 1) * settings.fullSeconds;
  const looksHard = isLate || (steps.length >= MIN_STEPS && steps.length % LOOK_EVERY === 0);
  const hard = looksHard ? byQueue(trials, settings, LOOK).answer : null;
  const answer = hard ?? byQueue(trials, settings, ROUGH).answer;
  if (answer === null) return undefined;
  const now = rateNow(answer, cost, Math.max(1, fullShare(tracesOf(trials))));
  const isSure = isConfirmed(confirmingRuns(trials, settings), answer, answer.price);
  const isPrecise = hard !== null && widthOf(hard) <= settings.precision;
  if (isPrecise && isSure) return null;
  if (hard !== null && !isSure && (isPrecise || isLate) && left >= settings.fullSeconds) {
    return confirmation(hard, now, confirms, settings);
  }
  return step(now, steps.length, stepSeconds, left, settings);
}

/** The answer at the price of the last probe; `full` is how much CPU goes along with what is used up. */
function rateNow({ capacity, price }: QueueAnswer, cost: number, full: number): number {
  const busy = (capacity * price.cpuMs) / 1_000 / price.cores / full;
  return (full * Math.min(UTILISATION.max, Math.max(UTILISATION.min, busy))) / cost;
}

const stepSecondsOf = ({ fullSeconds }: SearchSettings): number =>
  Math.min(fullSeconds, Math.max(MIN_STEP_SECONDS, Math.round(STEP_SHARE * fullSeconds)));

function step(
  rate: number,
  index: number,
  seconds: number,
  left: number,
  { isGentle, minRequests, fullSeconds }: SearchSettings,
): RateProbe {
  const share = STEPS[index % STEPS.length] ?? 1;
  const ratePerSecond = rounded(rate * (isGentle ? Math.min(GENTLE, share) : share));
  const enough = Math.min(fullSeconds, Math.ceil(minRequests / ratePerSecond));
  return {
    kind: 'narrow',
    ratePerSecond,
    durationSeconds: Math.min(Math.floor(left), Math.max(seconds, enough)),
  };
}

function confirmation(
  answer: QueueAnswer,
  now: number,
  before: number,
  { fullSeconds }: SearchSettings,
): RateProbe {
  const { capacity, low } = answer;
  const ofNarrow = before === 0 ? CONFIRM.first : CONFIRM.again;
  const ofWide = Math.max(low / capacity, LOWEST) * LOWER ** Math.max(0, before - 1);
  const share = isNarrow(answer) ? ofNarrow : ofWide;
  const rate = Math.sqrt(capacity * Math.min(capacity, now)) * share;
  return { kind: 'confirm', ratePerSecond: rounded(rate), durationSeconds: fullSeconds };
}

/** Four digits, so that equal levels have equal rates. */
const rounded = (rate: number): number => Number(rate.toPrecision(4));
