/** What processes that are none of ours use of this machine's CPU. */
import { readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { basename } from 'node:path';
import { allPids, readStat, type ProcStat } from './proc';

export interface Stranger {
  pid: number;
  name: string;
  /** Cores since the look before. */
  cores: number;
  /** Steps back for others. */
  isNice: boolean;
  /** How many of this name there were, one after the other; left out of one. */
  processes?: number;
}

export interface StrangersLook {
  /** Since the look before; 0 at the first. */
  passedMs: number;
  cpuMs: number;
  /** Those that used most, the busiest first. */
  busiest: Stranger[];
}

const NAMED = 20;
/** A process that used less in all is not worth a name. */
const MIN_CORES = 0.02;

export class Strangers {
  private before = new Map<number, ProcStat>();
  private beforeMs: number | null = null;

  /** `ours`: roots of process trees besides that of this process. */
  constructor(private readonly ours: () => readonly { pid: number }[] = () => []) {}

  look(nowMs = performance.now()): StrangersLook {
    const stats = new Map<number, ProcStat>();
    for (const pid of allPids()) {
      const stat = readStat(pid);
      if (stat !== null) stats.set(pid, stat);
    }
    const passedMs = this.beforeMs === null ? 0 : nowMs - this.beforeMs;
    const roots = new Set([process.pid, ...this.ours().map(({ pid }) => pid)]);
    const used = [...stats].flatMap(([pid, stat]) => {
      const cpuMs = this.usedMs(pid, stat);
      return cpuMs === 0 || isBelow(pid, stats, roots) ? [] : [{ pid, cpuMs }];
    });
    this.before = stats;
    this.beforeMs = nowMs;
    if (passedMs === 0) return { passedMs, cpuMs: 0, busiest: [] };
    return {
      passedMs,
      cpuMs: used.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
      busiest: used
        .filter(({ cpuMs }) => cpuMs > MIN_CORES * passedMs)
        .sort((a, b) => b.cpuMs - a.cpuMs)
        .slice(0, NAMED)
        .map(({ pid, cpuMs }) => ({
          ...{ pid, name: nameOf(pid), cores: cpuMs / passedMs, isNice: isNice(pid) },
        })),
    };
  }

  /** All of it where the process began since the look before. */
  private usedMs(pid: number, stat: ProcStat): number {
    const last = this.before.get(pid);
    if (last?.startedAtMs === stat.startedAtMs) return Math.max(0, stat.cpuMs - last.cpuMs);
    return this.beforeMs === null ? 0 : stat.cpuMs;
  }
}

/** A process that was seen in a larger share of the looks stands for itself. */
const LASTING_SHARE = 0.5;

/** Looks in a row as one: of processes that were there only for a short time, those of one name are taken together. */
export function addedUp(looks: readonly StrangersLook[]): StrangersLook {
  const passedMs = looks.reduce((sum, look) => sum + look.passedMs, 0);
  const cpuMs = looks.reduce((sum, look) => sum + look.cpuMs, 0);
  const all = looks.flatMap((look) =>
    look.busiest.map((one) => ({ ...one, ms: one.cores * look.passedMs })),
  );
  const groups = new Map<string, typeof all>();
  for (const one of all) {
    const seen = all.filter(({ pid }) => pid === one.pid).length;
    const key =
      seen > LASTING_SHARE * looks.length ? String(one.pid) : `${one.name} ${String(one.isNice)}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  const busiest = [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { pid, name, isNice } = first;
    const processes = new Set(group.map((one) => one.pid)).size;
    const cores = group.reduce((sum, { ms }) => sum + ms, 0) / passedMs;
    return [{ pid, name, cores, isNice, ...(processes === 1 ? {} : { processes }) }];
  });
  return { passedMs, cpuMs, busiest: busiest.sort((a, b) => b.cores - a.cores) };
}

function isBelow(
  pid: number,
  stats: ReadonlyMap<number, ProcStat>,
  roots: ReadonlySet<number>,
): boolean {
  for (let at: number | undefined = pid; at !== undefined && at > 0; at = stats.get(at)?.parent) {
    if (roots.has(at)) return true;
  }
  return false;
}

/** An interpreter is named with its script, but without further arguments: they may hold secrets. */
function nameOf(pid: number): string {
  const [program = '', script = ''] = argumentsOf(pid);
  if (program === '') return commOf(pid);
  const name = basename(program);
  return INTERPRETER.test(name) && !script.startsWith('-') && script !== ''
    ? `${name} ${basename(script)}`
    : name;
}

const INTERPRETER = /^(node|python|ruby|perl|php|bash|sh)[\d.]*$/;

function argumentsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

/** A thread of the kernel has no arguments. */
function commOf(pid: number): string {
  try {
    return readFileSync(`/proc/${String(pid)}/comm`, 'utf8').trim();
  } catch {
    return 'a process that has ended';
  }
}

function isNice(pid: number): boolean {
  try {
    return getPriority(pid) > 0;
  } catch {
    return false;
  }
}
