/** What the loaded processes did while nothing was answered: stopped by a CPU limit, or collected their heaps. Pure. */
import { LOADED_ROLES } from '../../plan/roles';
import type { MetricSample, StallCauses } from '../../record/run-record';
import { values, type Window } from '../../analysis/metrics';
import type { Silence } from '../../analysis/requests/silences';
import { largest, median } from '../../analysis/statistics/statistics';
import { counted } from '../../ui/numbers';

/** Samples are a second apart, and tell of the time before them. */
const SAMPLED_WITHIN_MS = 1_500;
/** So much of a stall for which a group was stopped is no chance. */
const STOPPED_SHARE = 0.3;
/** A collection of the young generation alone, of which there are several a second, frees less and takes as long as ever. */
const FREED_SHARE = 0.1;
const LONGER = 2;

/** What was seen meanwhile, as a clause; null if nothing was. */
export function seenMeanwhile({ cpuLimit, collection }: StallCauses): string | null {
  const during = (count: number): string => `during ${counted(count, 'stall')}`;
  const seen = [
    ...(cpuLimit === 0 ? [] : [`a CPU limit stopped a process ${during(cpuLimit)}`]),
    ...(collection === 0 ? [] : [`a heap was collected ${during(collection)}`]),
  ];
  if (seen.length === 0) return null;
  const why =
    'the threads that collect a heap share their CPU limit with the threads that respond to requests';
  return seen.join(', and ') + (seen.length === 2 ? `; ${why}` : '');
}

interface Instance {
  role: (typeof LOADED_ROLES)[number];
  instance: string;
}

export function stallCauses(
  stalls: readonly Silence[],
  samples: readonly MetricSample[],
): StallCauses {
  const instances = instancesIn(samples);
  const times = stalls.map(({ fromMs, ms }) => ({ fromMs, toMs: fromMs + ms }));
  const byAny = (is: (one: Instance, during: Window) => boolean): number =>
    times.filter((during) => instances.some((one) => is(one, during))).length;
  return {
    cpuLimit: byAny((one, during) => isStopped(samples, one, during)),
    collection: byAny((one, during) => isCollecting(samples, one, during)),
  };
}

function instancesIn(samples: readonly MetricSample[]): Instance[] {
  const seen = new Map<string, Instance>();
  for (const { role, instance } of samples) {
    const loaded = LOADED_ROLES.find((one) => one === role);
    if (loaded !== undefined) seen.set(`${role} ${instance}`, { role: loaded, instance });
  }
  return [...seen.values()];
}

const after = ({ fromMs, toMs }: Window): Window => ({ fromMs, toMs: toMs + SAMPLED_WITHIN_MS });

function isStopped(samples: readonly MetricSample[], one: Instance, during: Window): boolean {
  const stopped = values(samples, { ...one, metric: 'throttledMs' }, after(during));
  const totalMs = stopped.reduce((sum, ms) => sum + ms, 0);
  return totalMs >= STOPPED_SHARE * (during.toMs - during.fromMs);
}

function isCollecting(samples: readonly MetricSample[], one: Instance, during: Window): boolean {
  const { fromMs } = during;
  const before = { fromMs: fromMs - SAMPLED_WITHIN_MS, toMs: fromMs };
  const heap = (window: Window): number[] =>
    values(samples, { ...one, metric: 'heapUsedMiB' }, window);
  const share = (window?: Window): number[] =>
    values(samples, { ...one, metric: 'gcShare' }, window);
  const [had, has, common, then] = [
    heap(before),
    heap(after(during)),
    share(),
    share(after(during)),
  ];
  if ([had, has, common, then].some((found) => found.length === 0)) return false;
  return (
    Math.min(...has) <= (1 - FREED_SHARE) * largest(had) && largest(then) >= LONGER * median(common)
  );
}
