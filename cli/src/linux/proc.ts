import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';

/** /proc as Linux writes it; every read is one system call that formats a few numbers. */

/** Linux reports CPU in these, on every architecture Node.js runs on. */
const ticksPerSecond = 100;
const pageKiB = 4;

export interface ProcStat {
  parent: number;
  cpuMs: number;
  threads: number;
  /** Since boot; with the pid it names a process for ever. */
  startedAtMs: number;
  rssMiB: number;
}

/** Null when the process has ended, also when its parent has not yet taken note of it. */
export function readStat(pid: number): ProcStat | null {
  try {
    const text = readFileSync(`/proc/${String(pid)}/stat`, 'latin1');
    return /\) [ZX] [^)]*$/.test(text) ? null : parseStat(text);
  } catch {
    return null;
  }
}

export function parseStat(text: string): ProcStat {
  // The name, in brackets, may hold spaces and brackets itself.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (index: number): number => Number(fields[index - 3]); // numbered as in proc(5)
  const toMs = 1000 / ticksPerSecond;
  return {
    parent: field(4),
    cpuMs: (field(14) + field(15)) * toMs,
    threads: field(20),
    startedAtMs: field(22) * toMs,
    rssMiB: (field(24) * pageKiB) / 1024,
  };
}

/** CPU times of the main thread, which runs JavaScript in Node.js and the commands in Redis. */
export interface ThreadTimes {
  onCpuMs: number;
  /** It could have run and had no CPU. */
  waitedMs: number;
}

/** Null where the kernel does not keep it, or the process has ended. */
export function readMainThread(pid: number): ThreadTimes | null {
  try {
    const [onCpuNs, waitedNs] = readFileSync(`/proc/${String(pid)}/schedstat`, 'latin1')
      .split(' ')
      .map(Number);
    if (!(Number(onCpuNs) > 0)) return null;
    return { onCpuMs: Number(onCpuNs) / 1e6, waitedMs: Number(waitedNs) / 1e6 };
  } catch {
    return null;
  }
}

/** PSI: for how long something has waited since boot (or in a group since it was made); null without it. */
export function readPressureMs(file: string): number | null {
  try {
    const micros = /^some .*total=(\d+)/m.exec(readFileSync(file, 'latin1'))?.[1];
    return micros === undefined ? null : Number(micros) / 1e3;
  } catch {
    return null;
  }
}

/** For how long each disk has been busy since boot, parts of disks and those in memory left out. */
export function readDisksBusyMs(
  text = readFileSync('/proc/diskstats', 'latin1'),
): Map<string, number> {
  const disks = new Map<string, number>();
  for (const line of text.split('\n')) {
    // major minor name, then 17 figures, of which the tenth is io_ticks
    const fields = line.trim().split(/\s+/);
    const name = fields[2];
    if (
      name === undefined ||
      /^(loop|ram|zram|sr|fd)\d|^(sd|vd|xvd|hd)[a-z]+\d|^\w+p\d+$/.test(name)
    )
      continue;
    disks.set(name, Number(fields[12]));
  }
  return disks;
}

/** A process for ever: a pid alone may be another process by now. */
export interface ProcessName {
  pid: number;
  /** Since the machine's start. */
  startedAtMs: number;
}

/** Null where it has ended. */
export function processName(pid: number): ProcessName | null {
  const stat = readStat(pid);
  return stat === null ? null : { pid, startedAtMs: stat.startedAtMs };
}

/** What a process is called where no /proc says when it started. */
const START_NOT_KNOWN = 0;

export const thisProcess = (): ProcessName =>
  processName(process.pid) ?? { pid: process.pid, startedAtMs: START_NOT_KNOWN };

export const isAlive = ({ pid, startedAtMs }: ProcessName): boolean =>
  startedAtMs === START_NOT_KNOWN ? isThere(pid) : readStat(pid)?.startedAtMs === startedAtMs;

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export const processNameSchema = z.object({ pid: z.int().positive(), startedAtMs: z.number() });

export function allPids(): number[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    return Number.isInteger(pid) ? [pid] : [];
  });
}

export function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8')
      .replaceAll('\0', ' ')
      .trim();
  } catch {
    return '';
  }
}

/** Null when it may not be looked at, as another user's. */
export function openFiles(pid: number): number | null {
  try {
    return readdirSync(`/proc/${String(pid)}/fd`).length;
  } catch {
    return null;
  }
}

/** A process cannot open more files than this: EMFILE. Null as above, and if there is no such limit. */
export function openFilesMax(pid: number): number | null {
  try {
    const text = readFileSync(`/proc/${String(pid)}/limits`, 'latin1');
    const max = /^Max open files\s+(\d+)/m.exec(text)?.[1];
    return max === undefined ? null : Number(max);
  } catch {
    return null;
  }
}

/** Makes the kernel walk the page tables: some milliseconds for 1 GiB. */
export function pssMiB(pid: number): number | null {
  try {
    const text = readFileSync(`/proc/${String(pid)}/smaps_rollup`, 'latin1');
    const kiB = /^Pss:\s+(\d+) kB/m.exec(text)?.[1];
    return kiB === undefined ? null : Number(kiB) / 1024;
  } catch {
    return null;
  }
}

export const uptimeMs = (): number =>
  Number(readFileSync('/proc/uptime', 'latin1').split(' ')[0]) * 1000;

/** The path of a file in /proc that says which start of a machine this is. */
export const BOOT_ID = '/proc/sys/kernel/random/boot_id';
export const bootId = (): string => readFileSync(BOOT_ID, 'latin1').trim();

/** Limits of this process, as /proc/PID/limits has them. */
export const ownLimits = (): string => readFileSync('/proc/self/limits', 'latin1');

/** A process has a number below this one. */
export const pidMax = (): number => Number(readFileSync('/proc/sys/kernel/pid_max', 'latin1'));

/** The control groups of a process; empty if it has ended. */
export function controlGroupsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${String(pid)}/cgroup`, 'latin1');
  } catch {
    return '';
  }
}
