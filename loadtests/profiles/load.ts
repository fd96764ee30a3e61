import { STEADY, type Profile } from './profile.ts';

/**
 * One rate for the whole time: the profile whose verdict says whether that rate is sustained. Give it at least
 * a few hundred requests, more for high percentiles.
 */
export const load = {
  title: 'A constant load at the usual rate',
  loop: 'open',
  ratePerSecond: 10,
  durationSeconds: 60,
  warmupSeconds: 10,
  clients: 0,
  shape: STEADY,
} as const satisfies Profile;
