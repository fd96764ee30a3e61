import type { Limit } from '../../record/run-record';
import { isLoaded } from '../../plan/roles';
import { cpuRows } from './cpu';
import { diskRows } from './space';
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

export const isSameLimit = (one: Limit | null, other: Limit | null): boolean =>
  one?.role === other?.role && one?.resource === other?.resource;

export const rowOf = (limit: Limit): LimitRow | undefined =>
  LIMITS.find((row) => isSameLimit(row, limit));

/** What reports and sentences call a limit. */
export const limitName = (limit: Limit | null): string =>
  limit === null
    ? 'nothing that was measured'
    : (rowOf(limit)?.name ?? `${limit.role} ${limit.resource}`);

/** What to change for more; null where no limit was seen. Without a mode, n8n is taken for one process. */
export function adviceFor(limit: Limit | null, mode: 'regular' | 'queue' | null): string | null {
  const advice = limit === null ? undefined : rowOf(limit)?.advice;
  if (advice === undefined) return null;
  return typeof advice === 'string' ? advice : advice[mode ?? 'regular'];
}

/** Whether more memory would lift it. */
export const isOfMemory = (limit: Limit | null): boolean =>
  limit !== null && rowOf(limit)?.kind === 'space';

/** Whether requests that take less CPU of what is loaded would lift it: that CPU, or the machine's, was used up. */
export const isOfCpu = (limit: Limit | null): boolean =>
  limit !== null &&
  limit.resource !== 'disk' &&
  ['work', 'shared'].includes(rowOf(limit)?.kind ?? '') &&
  (isLoaded(limit.role) || limit.role === 'host');
