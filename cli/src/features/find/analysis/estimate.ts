import type { Limit } from '../../../record/run-record';
import { GENERATOR } from '../../../analysis/limits/generator';
import { speedError } from './machine-speed';
import { stallLoss, type StallLoss } from '../../../run/analysis/stalls';
import { isDone } from './done';
import { best, confirmedRate, evidence, type ProbeEvidence } from './evidence';
import { secondsOf, WHOLE, WIDEST, type RateTrial, type SearchSettings, type Trial } from './types';

/** Seconds after which a probe sees what defines a capacity. */
const WHOLE_SECONDS = 60;
/** How much wider the interval is for shorter ones: 0.5 for their scatter, the rest for what they do not see. */
const SHORT_POWER = 0.6;

export interface Estimate {
  /** Requests a second: the middle of what all probes together say. */
  capacity: number;
  /** Interval of the capacity with about 95% confidence; `high` is infinite if no probe failed. */
  low: number;
  high: number;
  /** The budget ended the search before it had nothing left to learn. */
  cutShort: boolean;
  /** The interval is narrow enough to answer with. */
  conclusive: boolean;
  /** The highest rate near the answer that a probe of full length sustained; null where none did. */
  confirmedPerSecond: number | null;
  /** What limited the system just above the capacity; null where that was not seen. */
  limit: Limit | null;
  /** Rates outside the interval at which a probe said otherwise than the answer does. */
  contradicting: { ratePerSecond: number; sustained: boolean }[];
}

export function estimate(trials: readonly Trial[], settings: SearchSettings): Estimate {
  const known = evidence(trials, settings);
  const { generatorCeiling } = known;
  const capacity = best(known);
  const { low, high } = withStalls(
    interval(known, capacity, settings),
    known,
    lost(trials, settings),
  );
  return {
    capacity,
    low,
    high,
    cutShort: settings.budgetSeconds !== null && !isDone(known, settings),
    conclusive: capacity > 0 && (high - low) / capacity <= WIDEST,
    confirmedPerSecond: confirmedRate(known, capacity),
    limit: generatorCeiling < Infinity ? GENERATOR : firstLimit(known.trials, capacity),
    contradicting: contradicting(known.trials, low, high),
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
  { tolerance, fullSeconds }: SearchSettings,
): { low: number; high: number } {
  const { belief, low } = known;
  const tail = (1 - WHOLE) / 2;
  // Closer than this the search does not look, whatever the model believes.
  const near = 1 + tolerance;
  if (belief === null) return { low: low / near, high: Infinity };
  if (capacity === 0) return { low: 0, high: known.high };
  const wider = Math.max(1, (WHOLE_SECONDS / fullSeconds) ** SHORT_POWER);
  const speed = speedError(known.trials.flatMap(costOf), capacity);
  const away = (rate: number): number => Math.hypot(wider * Math.log(rate / capacity), speed);
  return {
    low: Math.min(capacity / near, capacity * Math.exp(-away(belief.quantile(tail)))),
    high: Math.max(capacity * near, capacity * Math.exp(away(belief.quantile(1 - tail)))),
  };
}

function lost(trials: readonly Trial[], { fullSeconds }: SearchSettings): StallLoss | null {
  const watched = trials.filter(({ outcome }) => outcome.result !== 'invalid');
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
  const low = Math.min(seen.high, peak) * (1 - loss.most);
  if (low >= seen.low) return seen;
  return { low, high: Math.max(seen.high, peak * (1 - loss.least)) };
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

/** Only what was decided: a short probe that leans to the other side contradicts nothing. */
function contradicting(
  trials: readonly RateTrial[],
  low: number,
  high: number,
): Estimate['contradicting'] {
  return trials
    .filter(({ outcome }) => outcome.decided)
    .map(({ probe, outcome }) => ({
      ratePerSecond: probe.ratePerSecond,
      sustained: outcome.result === 'sustained',
    }))
    .filter(({ ratePerSecond, sustained }) =>
      sustained ? ratePerSecond > high : ratePerSecond < low,
    );
}
