/** Who plays a part in a measurement, in the order in which tables and plots list them. */

export const ROLES = ['main', 'webhook', 'worker'] as const;

export type Role = (typeof ROLES)[number];

/** All that is n8n: its roles and their task runners. */
export const N8N_ROLES = [...ROLES, 'runner'] as const;

/** All that is sampled: n8n first, then what it stands on, then what is no part of it. */
export const SAMPLED_ROLES = [
  ...N8N_ROLES,
  ...(['postgresql', 'sqlite', 'redis', 'balancer', 'upstream', 'generator', 'host'] as const),
] as const;

/** What works in one thread each: the event loops of n8n, of its runners and of an upstream; the commands in Redis. */
export const ONE_THREADED = [...N8N_ROLES, 'redis', 'upstream'] as const;

export type SampledRole = (typeof SAMPLED_ROLES)[number];

const N8N: ReadonlySet<string> = new Set(N8N_ROLES);

const OWN: ReadonlySet<string> = new Set(ROLES);

/** Has limits of its own, as a runner has not. */
export const isRole = (role: string): role is Role => OWN.has(role);

export const isN8n = (role: string): boolean => N8N.has(role);

const PLACES: readonly string[] = SAMPLED_ROLES;

/** For sorting: its place in that order, what is unknown last. */
export function placeOf(role: string): number {
  const place = PLACES.indexOf(role);
  return place < 0 ? PLACES.length : place;
}
