/** Who plays a part in a measurement, in the order in which tables and plots list them. */

export const ROLES = ['main', 'webhook', 'worker'] as const;

export type Role = (typeof ROLES)[number];

/** All that is n8n: its roles and their task runners. */
export const N8N_ROLES = [...ROLES, 'runner'] as const;

/** All that is sampled: n8n first, then what it stands on, then what is no part of it. */
export const SAMPLED_ROLES = [
  ...N8N_ROLES,
  ...(['postgresql', 'redis', 'balancer', 'upstream', 'generator', 'host'] as const),
] as const;

export type SampledRole = (typeof SAMPLED_ROLES)[number];

const N8N: ReadonlySet<string> = new Set(N8N_ROLES);

export const isN8n = (role: string): boolean => N8N.has(role);

const PLACES: readonly string[] = SAMPLED_ROLES;

/** For sorting: its place in that order, what is unknown last. */
export function placeOf(role: string): number {
  const place = PLACES.indexOf(role);
  return place < 0 ? PLACES.length : place;
}
