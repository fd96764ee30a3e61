import { evidence } from './evidence';
import { secondsLeft, type RateTrial, type Settings, type Trial } from './types';

/** Left out at either end of the interval; less where the budget cut the search short, as it then knows less than it believes. */
const TAIL = 0.05;
const TAIL_CUT_SHORT = 0.02;

export interface Estimate {
  /** Requests a second; what was held at full length, where `confirmed`. */
  capacity: number;
  /** Where the capacity lies with about 90 % confidence; `high` is infinite where nothing failed. */
  low: number;
  high: number;
  confirmed: boolean;
  /** What limited the system just above the capacity; null where that was not seen. */
  limit: string | null;
}

export function estimate(trials: readonly Trial[], settings: Settings): Estimate {
  const known = evidence(trials, settings);
  const { belief, confirmed, generatorCeiling } = known;
  // Closer than this the search does not look, whatever the model believes.
  const near = 1 + settings.tolerance;
  const tail = isCutShort(trials, settings) ? TAIL_CUT_SHORT : TAIL;
  const isConfirmed = confirmed.low > 0;
  const capacity = isConfirmed
    ? confirmed.low
    : Math.min(known.low, belief?.quantile(0.5) ?? Infinity);
  return {
    capacity,
    low: Math.min(capacity / near, belief?.quantile(tail) ?? Infinity),
    high: Math.max(capacity * near, belief?.quantile(1 - tail) ?? Infinity),
    confirmed: isConfirmed,
    limit: generatorCeiling < Infinity ? 'load generator' : firstLimit(known.trials, capacity),
  };
}

function isCutShort(trials: readonly Trial[], { budgetSeconds, fullSeconds }: Settings): boolean {
  return budgetSeconds !== null && secondsLeft(trials, budgetSeconds) < fullSeconds;
}

/** What failed the lowest level above the capacity. */
function firstLimit(trials: readonly RateTrial[], capacity: number): string | null {
  const failed = trials
    .filter(({ probe, outcome }) => outcome.limit !== null && probe.ratePerSecond >= capacity)
    .sort((one, other) => one.probe.ratePerSecond - other.probe.ratePerSecond);
  return failed[0]?.outcome.limit ?? null;
}
