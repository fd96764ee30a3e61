/** The table that `sample` writes. */
import { row } from '../../record/csv';

/** One process at one moment. */
export interface ProcessRow {
  tMs: number;
  pid: number;
  parent: number;
  command: string;
  rssMiB: number;
  /** Since the row before of this process; null in its first one. */
  cpuCores: number | null;
  threads: number;
}

export const PROCESS_HEAD = row([
  ...['tMs', 'pid', 'parent', 'command', 'rssMiB', 'cpuCores', 'threads'],
]);

export function processLine({ command, ...figures }: ProcessRow): string {
  const { tMs, pid, parent, rssMiB, cpuCores, threads } = figures;
  return row([
    ...[Math.round(tMs), pid, parent, command.replaceAll(/\s+/g, ' ')],
    ...[rssMiB.toFixed(1), cpuCores?.toFixed(3), threads],
  ]);
}
