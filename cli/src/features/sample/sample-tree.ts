import { setTimeout as sleep } from 'node:timers/promises';
import { commandLine, uptimeMs } from '../../linux/proc';
import { ProcessTree } from '../../linux/process-tree';
import type { ProcessRow } from './record';

/** So old, a process has become what it was started as: until then it is a copy of its parent. */
const YOUNG_MS = 5_000;

/**
 * Memory and CPU of process trees, whatever they run. `take` is given all processes of a moment together, and
 * says whether to go on. Ends also when no root is left or the signal fires.
 */
export async function sampleTree(
  pids: readonly number[],
  intervalMs: number,
  signal: AbortSignal,
  take: (rows: ProcessRow[]) => boolean,
): Promise<void> {
  const roots = pids.map((pid) => ({ pid }));
  const tree = new ProcessTree<{ pid: number }>();
  const commands = new Map<number, string>();
  const began = performance.now();
  for (let tick = 1; !signal.aborted; tick += 1) {
    const now = uptimeMs();
    const members = tree.look(roots, now);
    if (!members.some(({ isRoot }) => isRoot)) break;
    const tMs = performance.now() - began;
    const rows = members.map(({ pid, stat, cpuCores }) => {
      const { parent, rssMiB, threads } = stat;
      const isYoung = now - stat.startedAtMs < YOUNG_MS;
      const command = (isYoung ? null : commands.get(pid)) ?? commandLine(pid).slice(0, 120);
      commands.set(pid, command);
      return { tMs, pid, parent, command, rssMiB, cpuCores, threads };
    });
    if (!take(rows)) break;
    const untilNextMs = tick * intervalMs - (performance.now() - began);
    await sleep(Math.max(0, untilNextMs), undefined, { signal }).catch(() => undefined);
  }
}
