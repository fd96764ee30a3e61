import type { Limit } from '../../../record/run-record';
import { GENERATOR } from '../../../analysis/limits/generator';
import { speedError } from './machine-speed';
import { stallLoss, type StallLoss } from '../../../run/analysis/stalls';
import { isDone } from './propose';
import { withOwnStalls } from './backlog';
import { byQueue, rateAtPrice, type Price, type QueueAnswer } from './by-queue';
import { whatConfirms, whatDecides, whatReachesMiss } from './deciding';
import { best, evidence, type ProbeEvidence } from './evidence';
import { confirmingRuns, isConfirmed, isRough, levelOf, widthOf, type Level } from './levels';
import {
  nearness,
  secondsOf,
  WHOLE,
  WIDEST,
  type CapacityInterval,
  type RateTrial,
  type SearchSettings,
  type Trial,
} from './types';
import { counted, percent } from '../../../ui/numbers';

/** What makes an interval wide, and how much more time would narrow it. */

/** Shares of the width of an interval, as logarithms to one side. */
interface Causes {
  /** Too few requests, or a model that fits no better. */
  requests: number;
  /** The speed of the machine, which changed. */
  speed: number;
  /** Stalls of which too few were seen. */
  stalls: number;
}

const NAMES: Record<keyof Causes, string> = {
  requests: 'too few requests were measured',
  speed: 'the speed of the machine changed',
  stalls: 'a few stalls decide the result',
};

/** More is not advised: a machine that needs more will have changed by then. */
const LONGEST_MS = 2 * 3_600_000;
const MINUTE_MS = 60_000;

/** Every cause shrinks with the root of the time. Null where nothing is known to narrow, or it is as narrow as `wanted`. */
export function whatNarrows(
  causes: Causes,
  width: number,
  seconds: number,
  wanted = WIDEST,
): string | null {
  const [cause] = (Object.keys(NAMES) as (keyof Causes)[]).sort((a, b) => causes[b] - causes[a]);
  if (cause === undefined || !Number.isFinite(width) || width <= wanted || seconds <= 0)
    return null;
  const moreMs = 1_000 * seconds * ((width / wanted) ** 2 - 1);
  const more = counted(Math.ceil(moreMs / MINUTE_MS), 'minute');
  const because = `The interval is wide mainly because ${NAMES[cause]}`;
  return moreMs > LONGEST_MS
    ? `${because}; more time would hardly help, because about ${more} of probes would be necessary`
    : `${because}; about ${more} of additional probes would narrow it to ${percent(wanted)}`;
}

/** Seconds after which a probe sees what defines a capacity. */
const WHOLE_SECONDS = 60;
/** How much wider the interval is for shorter ones: 0.5 for their scatter, the rest for what they do not see. */
const SHORT_POWER = 0.6;

export interface Estimate extends CapacityInterval {
  level: Level;
  /** The budget ended the search before it had nothing left to learn. */
  cutShort: boolean;
  /** The highest rate that a run of full length sustained near the answer; null where none did. */
  confirmedPerSecond: number | null;
  /** What limited the system just above the capacity; null where that was not seen. */
  limit: Limit | null;
  /** Rates outside the interval at which a probe said otherwise than the answer does. */
  contradicting: { ratePerSecond: number; sustained: boolean }[];
  /** Null where the answer rests on pass and miss alone. */
  price: Price | null;
  /** Why it rests on pass and miss alone; null where it does not. */
  whyNoPrice: string | null;
  /**
   * What the replay says, and what pass and miss alone say, where the two do not overlap: the interval then reaches from the
   * lower end of both to the higher.
   */
  disagreeing: { replayed: CapacityInterval; believed: CapacityInterval } | null;
  /** What would narrow the interval, or decide, as a sentence without its full stop; null where nothing has to. */
  narrowing: string | null;
  /** The same for the precision of the search. */
  refining: string | null;
}

/**
 * A replay in a queue answers where it can, and pass and miss where it cannot; if the two do not overlap, there is no
 * answer.
 */
export function estimate(trials: readonly Trial[], settings: SearchSettings): Estimate {
  const known = evidence(trials, settings);
  const { answer, why } = byQueue(trials, settings);
  const believed = byPassAndMiss(trials, known, settings);
  const own = intervalOf(answer ?? believed);
  const price = answer?.price ?? null;
  const disagreeing =
    answer !== null && isDisjoint(answer, believed)
      ? { replayed: own, believed: intervalOf(believed) }
      : null;
  const interval = disagreeing === null ? own : spanOf(own, believed);
  const { level: sure, confirmedPerSecond } = levelOf(confirmingRuns(trials, settings), own, price);
  const level = disagreeing === null ? sure : 'inconclusive';
  const isOver =
    answer === null
      ? isDone(known, settings)
      : level === 'found' || isPrecise(trials, answer, settings);
  const narrowingTo = (wanted: number): string | null =>
    disagreeing !== null
      ? null
      : whatNarrows(
          answer === null ? believed.causes : causesOf(answer),
          widthOf(interval),
          secondsOf(trials),
          wanted,
        );
  const narrowing = (): string | null => {
    if (disagreeing !== null) return whatDecides(own, believed, settings);
    if (!Number.isFinite(interval.high)) return whatReachesMiss(trials, known, settings);
    return level === 'inconclusive' && isRough(interval)
      ? whatConfirms(interval, settings)
      : narrowingTo(WIDEST);
  };
  return {
    ...interval,
    level,
    cutShort: settings.budgetSeconds !== null && !isOver,
    confirmedPerSecond,
    limit:
      known.generatorCeiling < Infinity
        ? GENERATOR
        : (firstLimit(known.trials, interval.capacity) ?? price?.resource ?? null),
    contradicting: contradicting(known.trials, interval, answer),
    price,
    whyNoPrice: why,
    disagreeing,
    narrowing: narrowing(),
    refining: narrowingTo(settings.precision),
  };
}

/** By pass and miss, which takes no time. */
export function soFar(trials: readonly Trial[], settings: SearchSettings): CapacityInterval {
  return byPassAndMiss(trials, evidence(trials, settings), settings);
}

/** Whether it is confirmed and as precise as was asked for: there the search ends before its budget does. */
const isPrecise = (
  trials: readonly Trial[],
  answer: QueueAnswer,
  settings: SearchSettings,
): boolean =>
  widthOf(answer) <= settings.precision &&
  isConfirmed(confirmingRuns(trials, settings), answer, answer.price);

const intervalOf = ({ capacity, low, high }: CapacityInterval): CapacityInterval => ({
  capacity,
  low,
  high,
});

const spanOf = (
  { capacity, ...one }: CapacityInterval,
  other: CapacityInterval,
): CapacityInterval => ({
  capacity,
  low: Math.min(one.low, other.low),
  high: Math.max(one.high, other.high),
});

const isDisjoint = (one: CapacityInterval, other: CapacityInterval): boolean =>
  one.low > other.high || other.low > one.high;

const causesOf = ({ modelError, weatherError, stallError }: QueueAnswer): Causes => ({
  requests: modelError,
  speed: Math.sqrt(Math.max(0, weatherError ** 2 - stallError ** 2)),
  stalls: stallError,
});

function byPassAndMiss(
  trials: readonly Trial[],
  known: ProbeEvidence,
  settings: SearchSettings,
): CapacityInterval & { causes: Causes } {
  const capacity = best(known);
  const { low, high, speed } = interval(known, capacity, settings);
  const seen = withStalls({ low, high }, known, lost(trials, settings));
  const log = (from: { low: number; high: number }): number => Math.log(from.high / from.low) / 2;
  const stalls = Math.max(0, log(seen) - log({ low, high }));
  return {
    capacity,
    ...seen,
    causes: { requests: Math.max(0, log({ low, high }) - speed), speed, stalls },
  };
}

/**
 * What the belief leaves, wider where the probes of full length were short: their scatter grows as
 * 1 / sqrt(length), and what takes longer to go wrong, like a leak, they do not see at all. Wider too where the
 * machine was not equally fast in all of them: how fast it is otherwise was not seen.
 */
function interval(
  known: ProbeEvidence,
  capacity: number,
  settings: SearchSettings,
): { low: number; high: number; speed: number } {
  const { tolerance, fullSeconds } = settings;
  const { belief, low } = known;
  const tail = (1 - WHOLE) / 2;
  // Closer than this the search does not look, whatever the model believes.
  const near = 1 + Math.min(tolerance, nearness(settings));
  if (belief === null) return { low: low / near, high: Infinity, speed: 0 };
  if (capacity === 0) return { low: 0, high: known.high, speed: 0 };
  const wider = Math.max(1, (WHOLE_SECONDS / fullSeconds) ** SHORT_POWER);
  const speed = speedError(known.trials.flatMap(costOf), capacity);
  const away = (rate: number): number => Math.hypot(wider * Math.log(rate / capacity), speed);
  return {
    low: Math.min(capacity / near, capacity * Math.exp(-away(belief.quantile(tail)))),
    high: Math.max(capacity * near, capacity * Math.exp(away(belief.quantile(1 - tail)))),
    speed,
  };
}

function lost(trials: readonly Trial[], { fullSeconds }: SearchSettings): StallLoss | null {
  const watched = withOwnStalls(trials);
  const costs = watched.flatMap(({ outcome }) => outcome.stallCostsSeconds);
  return stallLoss(costs, secondsOf(watched), fullSeconds);
}

/**
 * If stalls may cost more than the interval has room for, a run sustains its rate or not depending on
 * how many fall into it: the interval reaches from what is left if they come as often as they may to what the system
 * does in a run that meets none, or as few as it may.
 */
function withStalls(
  seen: { low: number; high: number },
  { peak }: ProbeEvidence,
  loss: StallLoss | null,
): { low: number; high: number } {
  if (loss === null) return seen;
  const low = Math.min(seen.high, peak) * (1 - loss.max);
  if (low >= seen.low) return seen;
  return { low, high: Math.max(seen.high, peak * (1 - loss.min)) };
}

function costOf({ probe, outcome }: RateTrial): Parameters<typeof speedError>[0][number][] {
  const { ratePerSecond, durationSeconds: seconds } = probe;
  const { cpuMs: ms, achievedPerSecond } = outcome;
  return ms === null ? [] : [{ ratePerSecond, achievedPerSecond, ms, seconds }];
}

/** What failed the lowest level above the capacity. */
function firstLimit(trials: readonly RateTrial[], capacity: number): Limit | null {
  const failed = trials
    .filter(({ probe, outcome }) => outcome.limit !== null && probe.ratePerSecond >= capacity)
    .sort((one, other) => one.probe.ratePerSecond - other.probe.ratePerSecond);
  return failed[0]?.outcome.limit ?? null;
}

/** A replay within this ratio of the bound explains that it was met, and that it was missed. */
const EXPLAINED = 1.2;

/**
 * Only what was decided: a short probe that leans to the other side contradicts nothing. Nor does one whose replay, at what
 * a request cost in its own seconds, comes out as it did: some slow seconds make a probe miss its SLO at a mean price that
 * is no higher than usual.
 */
function contradicting(
  trials: readonly RateTrial[],
  { low, high }: CapacityInterval,
  answer: QueueAnswer | null,
): Estimate['contradicting'] {
  return trials
    .filter(({ outcome }) => outcome.decided)
    .filter((trial) => {
      const pressure = answer?.pressures.get(trial);
      if (pressure === undefined) return true;
      const isMiss = trial.outcome.result !== 'sustained';
      return isMiss ? EXPLAINED * pressure < 1 : pressure > EXPLAINED;
    })
    .map((trial) => ({
      ratePerSecond: trial.probe.ratePerSecond,
      sustained: trial.outcome.result === 'sustained',
      atPrice: rateAtPrice(trial, answer?.price ?? null),
    }))
    .filter(({ atPrice, sustained }) => (sustained ? atPrice > high : atPrice < low))
    .map(({ ratePerSecond, sustained }) => ({ ratePerSecond, sustained }));
}
