import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Limits and figures of a group of processes, through the control groups of Linux, version 1 or 2. */
export interface Limits {
  cpuMillicores?: number | undefined;
  memoryMiB?: number | undefined;
}

export interface GroupFigures {
  /** CPU time of all its processes since its creation, ended ones included; null if it is not counted. */
  cpuMs: number | null;
  /** Enforcement periods that ran, and those in which the group was held back. */
  periods: number;
  throttledPeriods: number;
  throttledMs: number;
  memoryMiB: number;
  /** Without the page cache that the kernel can take back, as Kubernetes counts it. */
  workingSetMiB: number;
  memoryPeakMiB: number;
  oomKills: number;
}

/** How control groups are created. `systemd` creates them around a command (see systemd.ts). */
export type Control =
  | { kind: 'v1'; cpu: string; memory: string; cpuacct?: string }
  | { kind: 'v2'; root: string }
  | { kind: 'systemd'; user: boolean; root: string }
  | { kind: 'none'; reason: string };

/** All groups of ours lie under this one, so that nothing else is ever touched. */
export const parentGroup = 'n8n-tuned';

/**
 * How many times as much CPU time our processes get as another program that wants it at the same moment. A group shares
 * the weight of one process among all that is in it: without this, n8n with its stores gets as little as one compiler
 * does beside it, and its latency tells more of the compiler.
 */
const TIMES_OTHERS = 10;
/** The weights of everything else: of version 1, and of version 2. */
const DEFAULT_SHARES = 1024;
const DEFAULT_WEIGHT = 100;
export const cpuWeight = TIMES_OTHERS * DEFAULT_WEIGHT;

const periodMicroseconds = 100_000;
const mebi = 1024 * 1024;

export function findControl(mounts = readFileSync('/proc/mounts', 'utf8')): Control {
  const lines = mounts.split('\n').map((line) => line.split(' '));
  const v1 = (controller: string): string | undefined =>
    lines.find(
      ([, , type, options]) => type === 'cgroup' && options?.split(',').includes(controller),
    )?.[1];
  const cpu = v1('cpu');
  const memory = v1('memory');
  const cpuacct = v1('cpuacct');
  if (cpu !== undefined && memory !== undefined) {
    return isWritable(cpu) && isWritable(memory)
      ? { kind: 'v1', cpu, memory, ...(isUsable(cpuacct) ? { cpuacct } : {}) }
      : { kind: 'none', reason: 'the control groups (v1) are not writable for this user' };
  }
  const root = lines.find(([, , type]) => type === 'cgroup2')?.[1];
  if (root === undefined) return { kind: 'none', reason: 'no control groups are mounted' };
  if (existsSync('/run/systemd/system')) {
    return { kind: 'systemd', user: process.getuid?.() !== 0, root };
  }
  const controllers = readFileSync(join(root, 'cgroup.controllers'), 'utf8').split(/\s+/);
  if (!controllers.includes('cpu') || !controllers.includes('memory')) {
    return {
      kind: 'none',
      reason: 'the control groups (v2) do not provide the cpu and memory controllers here',
    };
  }
  if (!isWritable(root)) {
    return { kind: 'none', reason: 'the control groups (v2) are not writable for this user' };
  }
  try {
    delegate(root);
  } catch {
    return {
      kind: 'none',
      reason:
        'the control groups (v2) cannot be divided, because processes run in the topmost group',
    };
  }
  return { kind: 'v2', root };
}

/** Makes a group; `path` is its place under the root of the hierarchy, as in /proc/PID/cgroup. */
export function createGroup(control: Control, path: string, limits: Limits): void {
  if (control.kind === 'v1') {
    const cpu = join(control.cpu, path);
    const memory = join(control.memory, path);
    mkdirSync(cpu, { recursive: true });
    mkdirSync(memory, { recursive: true });
    if (control.cpuacct !== undefined) {
      mkdirSync(join(control.cpuacct, path), { recursive: true });
    }
    const shares = String(TIMES_OTHERS * DEFAULT_SHARES);
    writeFileSync(join(control.cpu, parentGroup, 'cpu.shares'), shares);
    if (limits.cpuMillicores !== undefined) {
      writeFileSync(join(cpu, 'cpu.cfs_period_us'), String(periodMicroseconds));
      writeFileSync(join(cpu, 'cpu.cfs_quota_us'), String(quota(limits.cpuMillicores)));
    }
    if (limits.memoryMiB !== undefined) {
      const bytes = String(bytesOf(limits.memoryMiB));
      writeFileSync(join(memory, 'memory.limit_in_bytes'), bytes);
      // Without it, what exceeds the limit would be swapped out, which no pod may do.
      const withSwap = join(memory, 'memory.memsw.limit_in_bytes');
      if (existsSync(withSwap)) writeFileSync(withSwap, bytes);
    }
    return;
  }
  if (control.kind !== 'v2')
    throw new Error(`control groups of the kind ${control.kind} cannot be created`);
  const group = join(control.root, path);
  const parents: string[] = [];
  for (let at = dirname(group); at !== control.root; at = dirname(at)) parents.unshift(at);
  mkdirSync(group, { recursive: true });
  for (const parent of parents) delegate(parent);
  writeFileSync(join(control.root, parentGroup, 'cpu.weight'), String(cpuWeight));
  if (limits.cpuMillicores !== undefined) {
    const max = `${String(quota(limits.cpuMillicores))} ${String(periodMicroseconds)}`;
    writeFileSync(join(group, 'cpu.max'), max);
  }
  if (limits.memoryMiB !== undefined) {
    writeFileSync(join(group, 'memory.max'), String(bytesOf(limits.memoryMiB)));
    const swap = join(group, 'memory.swap.max');
    if (existsSync(swap)) writeFileSync(swap, '0');
    killTogether(group);
  }
}

export function joinGroup(control: Control, path: string, pid: number): void {
  for (const folder of groupFolders(control, path)) {
    writeFileSync(join(folder, 'cgroup.procs'), String(pid));
  }
}

/** The folders of a group, one a hierarchy. */
export function groupFolders(control: Control, path: string): string[] {
  if (control.kind === 'v1') {
    const { cpu, memory, cpuacct } = control;
    const roots = new Set([cpu, memory, ...(cpuacct === undefined ? [] : [cpuacct])]);
    return [...roots].map((root) => join(root, path));
  }
  return control.kind === 'none' ? [] : [join(control.root, path)];
}

/** Null when the group is gone. */
export function readGroup(control: Control, path: string): GroupFigures | null {
  try {
    if (control.kind === 'v1') return readV1(control, path);
    return control.kind === 'none' ? null : readV2(join(control.root, path));
  } catch {
    return null;
  }
}

function readV1({ cpu, memory, cpuacct }: Control & { kind: 'v1' }, path: string): GroupFigures {
  const stat = pairs(join(cpu, path, 'cpu.stat'));
  const inMemory = (file: string): string => join(memory, path, file);
  const memoryMiB = number(inMemory('memory.usage_in_bytes')) / mebi;
  const cachedMiB = (pairs(inMemory('memory.stat'))['total_inactive_file'] ?? 0) / mebi;
  return {
    cpuMs: cpuacct === undefined ? null : number(join(cpuacct, path, 'cpuacct.usage')) / 1e6,
    periods: stat['nr_periods'] ?? 0,
    throttledPeriods: stat['nr_throttled'] ?? 0,
    throttledMs: (stat['throttled_time'] ?? 0) / 1e6,
    memoryMiB,
    workingSetMiB: Math.max(0, memoryMiB - cachedMiB),
    memoryPeakMiB: number(inMemory('memory.max_usage_in_bytes')) / mebi,
    oomKills: pairs(inMemory('memory.oom_control'))['oom_kill'] ?? 0,
  };
}

function readV2(group: string): GroupFigures {
  const stat = pairs(join(group, 'cpu.stat'));
  const peak = join(group, 'memory.peak');
  const memoryMiB = number(join(group, 'memory.current')) / mebi;
  const cachedMiB = (pairs(join(group, 'memory.stat'))['inactive_file'] ?? 0) / mebi;
  return {
    cpuMs: (stat['usage_usec'] ?? 0) / 1e3,
    periods: stat['nr_periods'] ?? 0,
    throttledPeriods: stat['nr_throttled'] ?? 0,
    throttledMs: (stat['throttled_usec'] ?? 0) / 1e3,
    memoryMiB,
    workingSetMiB: Math.max(0, memoryMiB - cachedMiB),
    // Kernels before 5.19 keep no peak.
    memoryPeakMiB: existsSync(peak) ? number(peak) / mebi : memoryMiB,
    oomKills: pairs(join(group, 'memory.events'))['oom_kill'] ?? 0,
  };
}

/**
 * Kubernetes from 1.28 on kills a whole container with the process that exceeded its limit, where the
 * control groups are of version 2; version 1 knows only single processes, there as here.
 */
export function killTogether(folder: string): void {
  const together = join(folder, 'memory.oom.group');
  if (existsSync(together)) writeFileSync(together, '1');
}

/**
 * Processes of a group that the kernel has killed for memory. Systemd removes a scope with its last process,
 * and what it counted with it: there the parent is asked, which counts those of its children.
 */
export function oomKills(control: Control, path: string): number {
  if (control.kind === 'none') return 0;
  if (control.kind !== 'systemd') return readGroup(control, path)?.oomKills ?? 0;
  try {
    return pairs(join(control.root, dirname(path), 'memory.events'))['oom_kill'] ?? 0;
  } catch {
    return 0;
  }
}

/** The limits in force, for a maker that may silently not have set them. */
export function readLimits(control: Control, path: string): Limits {
  const read = (file: string): string =>
    existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (control.kind === 'v1') {
    const quotaUs = Number(read(join(control.cpu, path, 'cpu.cfs_quota_us')));
    return {
      cpuMillicores: quotaUs > 0 ? (quotaUs * 1000) / periodMicroseconds : undefined,
      memoryMiB: bounded(read(join(control.memory, path, 'memory.limit_in_bytes'))),
    };
  }
  if (control.kind === 'none') return {};
  const [max, period] = read(join(control.root, path, 'cpu.max')).split(' ');
  const cpu = (Number(max) * 1000) / Number(period);
  return {
    cpuMillicores: Number.isFinite(cpu) ? cpu : undefined,
    memoryMiB: bounded(read(join(control.root, path, 'memory.max'))),
  };
}

/** Ends what is still inside and removes the group; its parent too when that was the last one. */
export async function removeGroup(control: Control, path: string): Promise<void> {
  for (const folder of groupFolders(control, path)) {
    for (let attempt = 0; existsSync(folder) && attempt < 40; attempt += 1) {
      for (const pid of members(folder)) end(pid);
      try {
        rmdirSync(folder);
      } catch {
        await sleep(50); // Pages and zombies of a killed process leave the group a little later.
      }
    }
    for (let at = dirname(folder); at.includes(`/${parentGroup}`); at = dirname(at)) {
      try {
        rmdirSync(at);
      } catch {
        break; // Another run's group is in it.
      }
    }
  }
}

function members(folder: string): number[] {
  try {
    return readFileSync(join(folder, 'cgroup.procs'), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map(Number);
  } catch {
    return [];
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It was gone already.
  }
}

function delegate(folder: string): void {
  writeFileSync(join(folder, 'cgroup.subtree_control'), '+cpu +memory');
}

/** The kernel takes whole microseconds only, and (550 / 1000) * 100,000 is a little more than that. */
const quota = (millicores: number): number => Math.round((millicores * periodMicroseconds) / 1000);

const bytesOf = (mebibytes: number): number => Math.round(mebibytes * mebi);

/** v1 writes "no limit" as nearly 2^63, v2 as `max`. */
function bounded(bytes: string): number | undefined {
  const value = Number(bytes);
  return value > 0 && value < 2 ** 60 ? value / mebi : undefined;
}

const number = (file: string): number => Number(readFileSync(file, 'utf8'));

function pairs(file: string): Record<string, number> {
  return Object.fromEntries(
    readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .filter((words) => words.length === 2)
      .map(([name, value]) => [name, Number(value)]),
  );
}

const isUsable = (folder: string | undefined): folder is string =>
  folder !== undefined && isWritable(folder);

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return !/\bro\b/.test(
      readFileSync('/proc/mounts', 'utf8')
        .split('\n')
        .map((line) => line.split(' '))
        .find((words) => words[1] === folder)?.[3] ?? 'ro',
    );
  } catch {
    return false;
  }
}
