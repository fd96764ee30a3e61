import type { Profile } from './profile.ts';

/**
 * For comparisons under equal concurrency. A slow system slows its own load down here, so this does not say what
 * callers who do not wait would see: the open profiles do.
 */
export const closed = {
  title: 'A fixed number of clients; each waits for its response before it sends the next request',
  loop: 'closed',
  ratePerSecond: 0,
  durationSeconds: 60,
  warmupSeconds: 0,
  clients: 8,
  shape: [],
} as const satisfies Profile;
