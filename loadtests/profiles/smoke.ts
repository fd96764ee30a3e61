import { STEADY, type Profile } from './profile.ts';

/**
 * Shows that the request, the expected response and the addresses fit together, before a longer run costs
 * time. Too few requests for a percentile.
 */
export const smoke = {
  title: 'One request per second for a short time: does n8n respond as expected?',
  loop: 'open',
  ratePerSecond: 1,
  durationSeconds: 10,
  warmupSeconds: 0,
  clients: 0,
  shape: STEADY,
} as const satisfies Profile;
