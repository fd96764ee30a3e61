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
  // Closer than this the search does not look, whatever the model believes.
  const near = 1 + settings.tolerance;
  const capacity = confirmed > 0 ? confirmed : known.low;
  return {
    capacity,
    low: Math.min(capacity / near, known.belief?.quantile(0.05) ?? 0),
    high: Math.max(capacity * near, known.belief?.quantile(0.95) ?? Infinity),
    confirmed: confirmed > 0,
    limit: null,
  };
}
