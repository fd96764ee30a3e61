import { evidence } from './evidence';
import type { Settings, Trial } from './types';

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
  const confirmed = known.confirmed.low;
  const capacity = confirmed > 0 ? confirmed : known.low;
  return {
    capacity,
    low: Math.min(capacity, known.belief?.quantile(0.05) ?? capacity),
    high: Math.max(capacity, known.belief?.quantile(0.95) ?? Infinity),
    confirmed: confirmed > 0,
    limit: null,
  };
}
