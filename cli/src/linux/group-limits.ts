import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readGroup, type Control } from './cgroup';
import { Failure } from '../ui/errors';

/** A group that allocates at all is at its limit after a few of these. */
const STEP_MS = 50;

/** A file that limits a group, and what it said. */
interface LimitFile {
  file: string;
  before: string;
}

/**
 * Keeps the memory limit of a group at what it uses, so that the kernel ends a process of it as soon as one asks for
 * more; until `isOver`, or the signal. The limits are as before then. The kernel decides which process it ends, and
 * takes the largest; control groups of version 2 end all of the group.
 */
export async function runOutOfMemory(
  control: Control,
  group: string,
  isOver: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  const { used, limits } = filesOf(control, group);
  try {
    while (!isOver() && !signal.aborted) {
      const bytes = readFileSync(used, 'utf8').trim();
      for (const { file } of limits) write(file, bytes, ['EBUSY', 'EINVAL']);
      await sleep(STEP_MS);
    }
  } finally {
    // With swap is never below without.
    for (const { file, before } of [...limits].reverse()) write(file, before);
  }
}

function filesOf(control: Control, group: string): { used: string; limits: LimitFile[] } {
  if (control.kind === 'none') throw new Error('there are no control groups');
  const [folder, used, ...names] =
    control.kind === 'v1'
      ? [
          ...([join(control.memory, group), 'memory.usage_in_bytes'] as const),
          ...['memory.limit_in_bytes', 'memory.memsw.limit_in_bytes'],
        ]
      : ([join(control.root, group), 'memory.current', 'memory.max'] as const);
  const limits = names
    .map((name) => join(folder, name))
    .filter((file) => existsSync(file))
    .map((file) => ({ file, before: readFileSync(file, 'utf8').trim() }));
  return { used: join(folder, used), limits };
}

/**
 * Version 1 refuses a limit below what cannot be taken back (EBUSY), and one above the limit with swap that the last step set
 * (EINVAL); the next step has a newer figure.
 */
function write(file: string, text: string, passes: readonly string[] = ['EBUSY']): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    if (!passes.includes(String((error as { code?: string }).code))) throw error;
  }
}

/** What the kernel does to groups for a while. */
interface HeldBack {
  /** Time for which its threads had to wait for CPU since then, in milliseconds. */
  heldMs(): number;
  giveBack(): void;
}

const PERIOD_US = 100_000;

/** Leaves a group so much CPU, in thousandths of a core, until it is given back; the limit is as before then. */
function takeCpu(control: Control, group: string, millicores: number): HeldBack {
  const quotaUs = Math.round((millicores * PERIOD_US) / 1000);
  const { limits, texts } = cpuFiles(control, group, quotaUs);
  const throttledMs = (): number => readGroup(control, group)?.throttledMs ?? 0;
  const before = throttledMs();
  const giveBack = (): void => {
    // A group that is gone has no limit any more.
    for (const limit of [...limits].reverse())
      if (existsSync(limit.file)) write(limit.file, limit.before);
  };
  try {
    limits.forEach(({ file }, index) => {
      write(file, texts[index] ?? '');
    });
  } catch (error) {
    giveBack();
    throw error;
  }
  return { heldMs: () => Math.max(0, throttledMs() - before), giveBack };
}

/** From each of these that has a group; at least one. */
export function takeFromAll(
  control: Control,
  processes: readonly { instance: string; cgroup?: string }[],
  millicores: number,
): HeldBack & { instances: string[] } {
  const taken: HeldBack[] = [];
  const giveBack = (): void => {
    for (const one of taken) one.giveBack();
  };
  const instances: string[] = [];
  try {
    for (const { instance, cgroup } of processes) {
      if (cgroup === undefined) continue;
      taken.push(takeCpu(control, cgroup, millicores));
      instances.push(instance);
    }
  } catch (error) {
    giveBack();
    throw error;
  }
  if (taken.length === 0) {
    throw new Failure(
      'no process of n8n has a control group of its own: limit the CPU of n8n, for example with --cpu 1',
    );
  }
  return { instances, giveBack, heldMs: () => taken.reduce((sum, one) => sum + one.heldMs(), 0) };
}

function cpuFiles(
  control: Control,
  group: string,
  quotaUs: number,
): { limits: LimitFile[]; texts: string[] } {
  if (control.kind === 'none') throw new Error('there are no control groups');
  const [folder, files] =
    control.kind === 'v1'
      ? ([
          join(control.cpu, group),
          { 'cpu.cfs_period_us': String(PERIOD_US), 'cpu.cfs_quota_us': String(quotaUs) },
        ] as const)
      : ([
          join(control.root, group),
          { 'cpu.max': `${String(quotaUs)} ${String(PERIOD_US)}` },
        ] as const);
  const names = Object.keys(files).map((name) => join(folder, name));
  if (!names.every((file) => existsSync(file))) {
    throw new Failure(`the control group ${group} has no CPU limit that can be lowered`);
  }
  return {
    limits: names.map((file) => ({ file, before: readFileSync(file, 'utf8').trim() })),
    texts: Object.values(files),
  };
}
