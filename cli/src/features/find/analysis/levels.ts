/** How sure an answer is, in four levels. */
import { rateAtPrice, type Price } from './by-queue';
import {
  isRateTrial,
  ROUGHLY,
  WIDEST,
  type CapacityInterval,
  type ProbeOutcome,
  type RateProbe,
  type RateTrial,
  type SearchSettings,
  type Trial,
} from './types';

export type Level = 'found' | 'rough' | 'not confirmed' | 'inconclusive';

/** A run of full length that sustained this share of the answer confirms it; of its low end, that it is about right. */
export const CONFIRMING = 0.9;

/**
 * A run whose verdict is open confirms its rate too if it used this share of the bound of each SLO at most. Of 1,080
 * simulated runs of 50 s at 0.8 to 1.1 times the capacity 0.2% then confirmed a rate more than 5% above what the machine
 * sustains at its speed of that run, and 2.1% of runs of 20 s. With 0.9 these are 0.6% and 3.3%, and hardly more runs
 * confirm.
 */
const CLEAR_PRESSURE = 0.8;

export const widthOf = ({ capacity, low, high }: CapacityInterval): number =>
  (high - low) / capacity;

/** A step counts as a run of full length if it has at least this share of that length, and so many seconds. */
const NEARLY_FULL = 0.6;
export const MIN_FULL_SECONDS = 30;

/** Whether a run, without anything left out, sustained its rate for sure, however long it was. */
export function isClear({ result, decided, pressure, spentSeconds }: ProbeOutcome): boolean {
  const isFarBelow = pressure !== null && pressure <= CLEAR_PRESSURE;
  return spentSeconds === null && result === 'sustained' && (decided || isFarBelow);
}

/** Runs of full length that sustained their rate. */
export function confirmingRuns(
  trials: readonly Trial[],
  { fullSeconds }: Pick<SearchSettings, 'fullSeconds'>,
): RateTrial[] {
  const min = Math.max(MIN_FULL_SECONDS, NEARLY_FULL * fullSeconds);
  const isLong = ({ kind, durationSeconds }: RateProbe): boolean =>
    kind === 'confirm' || durationSeconds >= min;
  return trials
    .filter(isRateTrial)
    .filter(({ probe, outcome }) => isLong(probe) && isClear(outcome));
}

/** The highest rate of these runs that is enough, as it was or at equal price; null if none is. */
export function confirmedRate(
  runs: readonly RateTrial[],
  min: number,
  price: Price | null,
): number | null {
  const rates = runs
    // At a lower price than usual it was less work, but still that rate.
    .filter((run) => Math.max(run.probe.ratePerSecond, rateAtPrice(run, price)) >= min)
    .map(({ probe }) => probe.ratePerSecond);
  return rates.length === 0 ? null : Math.max(...rates);
}

/** Whether a run of full length confirms it: at the low end where the interval is wide. */
export const isConfirmed = (
  runs: readonly RateTrial[],
  interval: CapacityInterval,
  price: Price | null,
): boolean => {
  const min = CONFIRMING * (isNarrow(interval) ? interval.capacity : interval.low);
  return confirmedRate(runs, min, price) !== null;
};

/** How sure the answer is, and the rate that confirms it; null if none does. */
export function levelOf(
  runs: readonly RateTrial[],
  interval: CapacityInterval,
  price: Price | null,
): { level: Level; confirmedPerSecond: number | null } {
  const { capacity, low } = interval;
  const width = widthOf(interval);
  const near = confirmedRate(runs, CONFIRMING * capacity, price);
  if (width <= WIDEST && near !== null) return { level: 'found', confirmedPerSecond: near };
  const below = confirmedRate(runs, CONFIRMING * low, price);
  // A capacity of 0 makes the width no number.
  if (!(capacity > 0) || !(width <= ROUGHLY))
    return { level: 'inconclusive', confirmedPerSecond: below };
  if (below !== null) return { level: 'rough', confirmedPerSecond: below };
  return { level: width <= WIDEST ? 'not confirmed' : 'inconclusive', confirmedPerSecond: null };
}

/** Whether the interval is narrow enough for an answer, though a confirming run may be missing. */
export const isNarrow = (interval: CapacityInterval): boolean => widthOf(interval) <= WIDEST;

/** The same of a rough answer, which a run at its low end has to confirm. */
export const isRough = (interval: CapacityInterval): boolean => widthOf(interval) <= ROUGHLY;
