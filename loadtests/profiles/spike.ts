import type { Profile } from './profile.ts';

/**
 * The middle fifth is at five times the rate, without a ramp. The last two fifths show whether what piled up is
 * worked off.
 */
export const spike = {
  title: 'A sudden jump to five times the usual rate and back: does n8n recover?',
  loop: 'open',
  ratePerSecond: 10,
  durationSeconds: 150,
  warmupSeconds: 10,
  clients: 0,
  shape: [
    { share: 0.4, from: 1, to: 1 },
    { share: 0.2, from: 5, to: 5 },
    { share: 0.4, from: 1, to: 1 },
  ],
} as const satisfies Profile;
