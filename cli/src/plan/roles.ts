/** Who plays a part in a measurement, in the order in which tables and plots list them. */

export const ROLES = ['main', 'webhook', 'worker'] as const;

export type Role = (typeof ROLES)[number];

/** What a load is for: n8n's roles and their task runners, or the target `server`. */
export const LOADED_ROLES = [...ROLES, 'runner', 'server'] as const;

/** All that is sampled: what is loaded first, then what it stands on, then what is no part of it. */
export const SAMPLED_ROLES = [
  ...LOADED_ROLES,
  ...(['postgresql', 'sqlite', 'redis', 'balancer', 'upstream', 'generator', 'host'] as const),
] as const;

/** What works in one thread each: the event loops of n8n, of its runners, of a server and of an upstream; the commands in Redis. */
export const ONE_THREADED = [...LOADED_ROLES, 'redis', 'upstream'] as const;

export type SampledRole = (typeof SAMPLED_ROLES)[number];

const LOADED: ReadonlySet<string> = new Set(LOADED_ROLES);

const OWN: ReadonlySet<string> = new Set(ROLES);

/** Has limits of its own, as a runner has not. */
export const isRole = (role: string): role is Role => OWN.has(role);

export const isLoaded = (role: string): boolean => LOADED.has(role);

const PLACES: readonly string[] = SAMPLED_ROLES;

/** For sorting: its place in that order, what is unknown last. */
export function placeOf(role: string): number {
  const place = PLACES.indexOf(role);
  return place < 0 ? PLACES.length : place;
}
