import { STEADY, type Profile } from './profile.ts';

/**
 * What only time brings out: memory that grows, tables that grow, pruning, certificates and log rotation. Up to 7
 * days.
 */
export const soak = {
  title: 'The usual rate for hours, to find leaks and growing tables and to test pruning',
  loop: 'open',
  ratePerSecond: 10,
  durationSeconds: 3600,
  warmupSeconds: 60,
  clients: 0,
  shape: STEADY,
} as const satisfies Profile;
