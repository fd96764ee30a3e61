import type { Limit } from '../../record/run-record';
import type { SampledRole } from '../metrics';
import type { LimitFacts, Sampled } from './facts';

/** What a row found in one run: how much of the resource was in use, and the figures that say so. */
export interface Reading {
  /** In use of what there is, as a share: 1 is all of it. */
  utilisation: number;
  /** Nothing was left for more: the row's own test, which utilisation alone does not answer. */
  isUsedUp: boolean;
  /** `the main thread of main used 0.97 of its one core` */
  evidence: string;
}

export interface Seen extends LimitFacts {
  sampled: Sampled;
}

/**
 * One row of the table: a resource of a role. `kind` decides which of several resources that are used
 * up is the cause (rank.ts):
 * - `generator`: whatever else was used up, the load was not what was asked for;
 * - `space`: memory. Used up, it kills; nearly used up, it costs nothing;
 * - `work`: what computes or writes;
 * - `shared`: the machine, which every `work` resource draws on;
 * - `held`: what is held while something else works, such as a slot.
 */
export interface LimitRow extends Limit {
  /** What reports and sentences call it, such as `main event loop`. */
  name: string;
  /** What to change where it was used up, in the words of the command's options and the chart's values. */
  advice: string | Record<'regular' | 'queue', string>;
  kind: 'generator' | 'space' | 'work' | 'shared' | 'held';
  /** Rows that explain this one where they are used up too: more slots do not help a busy CPU. */
  explainedBy?: (row: LimitRow, reading: Reading) => boolean;
  /** Null where the run has no samples of it, or no limit. */
  read(seen: Seen): Reading | null;
}

/** From here on a resource counts as used up; below it there was still room. */
export const USED_UP = 0.9;

/** How a role is called in a sentence. */
export function roleName(role: SampledRole): string {
  return ROLE_NAMES[role] ?? role;
}

const ROLE_NAMES: Partial<Record<SampledRole, string>> = {
  webhook: 'webhook processor',
  runner: 'task runner',
  postgresql: 'PostgreSQL',
  redis: 'Redis',
};
