import { cpuRows } from './cpu';
import { diskRows } from './disk';
import { generatorRows } from './generator';
import { heldRows } from './held';
import type { LimitRow } from './row';
import { spaceRows } from './space';
import { threadRows } from './threads';

/** Every resource that can limit a run, by role. A new one is one more row in one of these files. */
export const LIMITS: readonly LimitRow[] = [
  ...generatorRows,
  ...spaceRows,
  ...heldRows,
  ...threadRows,
  ...cpuRows,
  ...diskRows,
];
