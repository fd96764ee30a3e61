import { evidence } from './evidence';
import { confirmedRate } from './propose';
import type { Settings, Trial } from './types';

export interface Estimate {
  /** Requests a second; what was held at full length, where `confirmed`. */
  capacity: number;
  /** Where the capacity lies with about 90 % confidence. */
  low: number;
  high: number;
  confirmed: boolean;
  /** What limited the system just above the capacity; null where that was not seen. */
  limit: string | null;
}

export function estimate(trials: readonly Trial[], _settings: Settings): Estimate {
  const known = evidence(trials);
  const confirmed = confirmedRate(known);
  const { low, high, predicted } = known;
  const capacity = confirmed > 0 ? confirmed : low;
  return {
    capacity,
    low: capacity * 0.95,
    high: Math.min(high, (predicted ?? capacity) * 1.05),
    confirmed: confirmed > 0,
    limit: null,
  };
}
