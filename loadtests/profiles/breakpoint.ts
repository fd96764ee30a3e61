import type { Profile } from './profile.ts';

/**
 * The rate grows evenly from 0, and the run ends where an SLO is missed. Systems answer late to a growing load,
 * so this is a first look at where to search, not a capacity.
 */
export const breakpoint = {
  title: 'A steady ramp from zero to the given rate: where does n8n break?',
  loop: 'open',
  ratePerSecond: 100,
  durationSeconds: 300,
  warmupSeconds: 0,
  clients: 0,
  shape: [{ share: 1, from: 0, to: 1 }],
  endsAtBreach: true,
} as const satisfies Profile;
