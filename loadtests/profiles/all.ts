import { breakpoint } from './breakpoint.ts';
import { closed } from './closed.ts';
import { load } from './load.ts';
import { smoke } from './smoke.ts';
import { soak } from './soak.ts';
import { spike } from './spike.ts';
import { stress } from './stress.ts';

/** By their names, in the order in which they are listed. */
export const PROFILES = { smoke, load, stress, spike, soak, breakpoint, closed } as const;

export type ProfileName = keyof typeof PROFILES;

export function isProfileName(name: string): name is ProfileName {
  return Object.hasOwn(PROFILES, name);
}
