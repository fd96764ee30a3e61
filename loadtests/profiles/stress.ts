import type { Profile } from './profile.ts';

/**
 * Four steps of equal length around the usual rate, for how latency grows with load. The warm-up is at the rate
 * of the first step.
 */
export const stress = {
  title: 'Four steps: 0.5, 1, 1.5 and 2 times the usual rate',
  loop: 'open',
  ratePerSecond: 10,
  durationSeconds: 240,
  warmupSeconds: 10,
  clients: 0,
  shape: [
    { share: 0.25, from: 0.5, to: 0.5 },
    { share: 0.25, from: 1, to: 1 },
    { share: 0.25, from: 1.5, to: 1.5 },
    { share: 0.25, from: 2, to: 2 },
  ],
} as const satisfies Profile;
