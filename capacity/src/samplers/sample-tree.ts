import { setTimeout as sleep } from 'node:timers/promises';
import { commandLine, uptimeMs } from '../linux/proc';
import { ProcessTree } from '../linux/process-tree';
import { row } from '../record/csv';

/** One process at one moment. */
export interface TreeRow {
  tMs: number;
  pid: number;
  parent: number;
  command: string;
  rssMiB: number;
  /** Since the row before of this process; null in its first one. */
  cpuCores: number | null;
  threads: number;
}

export const TREE_HEAD = row(['tMs', 'pid', 'parent', 'command', 'rssMiB', 'cpuCores', 'threads']);

export function treeLine({ command, ...figures }: TreeRow): string {
  const { tMs, pid, parent, rssMiB, cpuCores, threads } = figures;
  return row([
    ...[Math.round(tMs), pid, parent, command.replaceAll(/\s+/g, ' ')],
    ...[rssMiB.toFixed(1), cpuCores?.toFixed(3), threads],
  ]);
}

/**
 * Memory and CPU of process trees, whatever they run. Ends when no root is left or the signal fires;
 * says how many rows there were.
 */
export async function sampleTree(
  pids: readonly number[],
  intervalMs: number,
  signal: AbortSignal,
  write: (row: TreeRow) => void,
): Promise<number> {
  const roots = pids.map((pid) => ({ pid }));
  const tree = new ProcessTree<{ pid: number }>();
  const commands = new Map<number, string>();
  const began = performance.now();
  let rows = 0;
  for (let tick = 1; !signal.aborted; tick += 1) {
    const members = tree.look(roots, uptimeMs());
    if (!members.some(({ isRoot }) => isRoot)) break;
    const tMs = performance.now() - began;
    for (const { pid, stat, cpuCores } of members) {
      const command = commands.get(pid) ?? commandLine(pid).slice(0, 120);
      commands.set(pid, command);
      write({
        tMs,
        pid,
        parent: stat.parent,
        command,
        rssMiB: stat.rssMiB,
        cpuCores,
        threads: stat.threads,
      });
      rows += 1;
    }
    const untilNextMs = tick * intervalMs - (performance.now() - began);
    await sleep(Math.max(0, untilNextMs), undefined, { signal }).catch(() => undefined);
  }
  return rows;
}
