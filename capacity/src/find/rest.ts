import { isN8n } from '../plan/roles';
import { setTimeout as sleep } from 'node:timers/promises';
import { uptimeMs } from '../linux/proc';
import { ProcessTree } from '../linux/process-tree';
import type { ProcessRoot, Running } from '../targets/target';
import type { Progress } from '../ui/progress';

/** n8n at rest was seen to use 1 to 4 % of a core a process. */
const AT_REST_CORES = 0.15;
const LOOK_EVERY_MS = 500;
const GIVE_UP_MS = 20_000;

export interface Rest {
  /** False where it did not come to rest in time. */
  rested: boolean;
  /** Of all n8n processes; null where they cannot be seen. */
  memoryMiB: number | null;
}

/**
 * Between two probes: until n8n has nothing left to do and its processes idle, so that no probe pays for
 * the one before it. A process that idles has an event loop that does.
 */
export async function bringToRest(
  running: Running,
  progress: Progress,
  signal: AbortSignal,
): Promise<Rest> {
  const giveUpAtMs = Date.now() + GIVE_UP_MS;
  const tree = new ProcessTree<ProcessRoot>();
  let memoryMiB: number | null = null;
  const look = (): number | null => {
    const roots = running.processes().filter(({ role }) => isN8n(role));
    if (roots.length === 0) return 0;
    const members = tree.look(roots, uptimeMs());
    memoryMiB = members.reduce((sum, { stat }) => sum + stat.rssMiB, 0);
    if (members.some(({ cpuCores }) => cpuCores === null)) return null;
    return members.reduce((sum, { cpuCores }) => sum + (cpuCores ?? 0), 0) / roots.length;
  };
  look();
  while (!signal.aborted && Date.now() < giveUpAtMs) {
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    const unfinished = (await running.executions())?.unfinished ?? 0;
    const cores = look();
    if (unfinished === 0 && cores !== null && cores < AT_REST_CORES) {
      return { rested: true, memoryMiB };
    }
    progress('waiting for n8n to come to rest');
  }
  return { rested: false, memoryMiB };
}
