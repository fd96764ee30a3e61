/** The CPU time of the whole machine, or of the part of it that may be used here. */
import { readFileSync } from 'node:fs';
import type { CpuAllowance } from './available-cores';

/** Ticks of the CPUs that may be used. */
export interface MachineCpu {
  atMs: number;
  total: number;
  idle: number;
  steal: number;
  cores: number;
  /** Usage of the group whose quota is the bound, its other processes included. */
  quota: { usedMs: number | null } | null;
}

export function readCpu({ cpus, quota }: CpuAllowance): MachineCpu {
  const read: MachineCpu = {
    ...{ atMs: performance.now(), total: 0, idle: 0, steal: 0, cores: 0 },
    quota: quota && { usedMs: quota.usedMs() },
  };
  for (const line of readFileSync('/proc/stat', 'latin1').split('\n')) {
    const number = /^cpu(\d+)/.exec(line)?.[1];
    if (number === undefined || (cpus !== null && !cpus.has(Number(number)))) continue;
    // user nice system idle iowait irq softirq steal; guest time is within user and nice
    const times = line.trim().split(/\s+/).slice(1, 9).map(Number);
    read.total += times.reduce((sum, time) => sum + time, 0);
    read.idle += (times[3] ?? 0) + (times[4] ?? 0);
    read.steal += times[7] ?? 0;
    read.cores += 1;
  }
  return read;
}

/** Null where it is not known. */
export function coresBetween(before: MachineCpu, now: MachineCpu): number | null {
  if (now.quota !== null) {
    const [last, next] = [before.quota?.usedMs ?? null, now.quota.usedMs];
    if (last === null || next === null || now.atMs <= before.atMs) return null;
    return (next - last) / (now.atMs - before.atMs);
  }
  const total = now.total - before.total;
  const unused = now.idle + now.steal - before.idle - before.steal;
  return total > 0 ? (1 - unused / total) * now.cores : null;
}
