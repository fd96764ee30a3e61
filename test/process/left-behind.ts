import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { findControl, groupFolders } from '../../cli/src/linux/cgroup';
import { readStat, uptimeMs } from '../../cli/src/linux/proc';
import { ProcessTree } from '../../cli/src/linux/process-tree';
import type { CliRun } from '../support/cli';

/** What a command has started on this machine, and what of it is still there when it has ended. */

/** All that a command has started, and the control groups in which it runs. */
export interface Started {
  processes: { pid: number; startedAtMs: number; command: string }[];
  groups: string[];
}

export function startedBy({ child }: CliRun): Started {
  const roots = [{ role: 'main' as const, instance: 'command', pid: child.pid ?? 0 }];
  const members = new ProcessTree<{ pid: number }>()
    .look(roots, uptimeMs())
    .filter(({ pid }) => pid !== child.pid);
  const control = findControl();
  return {
    processes: members.map(({ pid, stat }) => ({
      pid,
      startedAtMs: stat.startedAtMs,
      command: textOf(`/proc/${String(pid)}/cmdline`).replaceAll('\0', ' '),
    })),
    groups: members.flatMap(({ pid }) => {
      const [, group] = /:(\/n8n-tuned\/\S*)$/m.exec(textOf(`/proc/${String(pid)}/cgroup`)) ?? [];
      return group === undefined ? [] : groupFolders(control, group);
    }),
  };
}

export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

export function leftOf({ processes, groups }: Started, temp: string): string[] {
  return [
    ...processes
      .filter(({ pid, startedAtMs }) => readStat(pid)?.startedAtMs === startedAtMs)
      .map(({ command }) => command),
    ...groups.filter((folder) => existsSync(folder)),
    ...readdirSync(temp),
  ];
}
