import { allPids, commandLine, readStat, uptimeMs, type ProcStat } from './proc';

/** A process of a tree, as seen at one tick. */
export interface Member<Root> {
  pid: number;
  root: Root;
  isRoot: boolean;
  stat: ProcStat;
  /** Since the tick before, or since it began; null at the first sight of an older one. */
  cpuCores: number | null;
}

interface Known<Root> {
  root: Root;
  stat: ProcStat;
}

/**
 * Follows process trees while they fork. A process that was no descendant when it was first seen never
 * becomes one, so a tick reads only members and newcomers, not every process of the host.
 */
export class ProcessTree<Root extends { pid: number }> {
  private members = new Map<number, Known<Root>>();
  private strangers = new Set<number>();
  private lastAtMs: number | null = null;

  look(roots: readonly Root[], nowMs: number): Member<Root>[] {
    const stats = this.readNewAndKnown(new Set(roots.map(({ pid }) => pid)));
    const found = new Map<number, Known<Root>>();
    for (const root of roots) {
      const stat = stats.get(root.pid);
      if (stat !== undefined) found.set(root.pid, { root, stat });
    }
    this.keepOrphans(stats, found, roots);
    this.addDescendants(stats, found);
    const result = [...found].map(([pid, { root, stat }]) => ({
      pid,
      root,
      isRoot: root.pid === pid,
      stat,
      cpuCores: this.cpuCores(pid, stat, nowMs),
    }));
    for (const pid of stats.keys()) if (!found.has(pid)) this.strangers.add(pid);
    this.members = found;
    this.lastAtMs = nowMs;
    return result;
  }

  private readNewAndKnown(roots: ReadonlySet<number>): Map<number, ProcStat> {
    const pids = allPids();
    const alive = new Set(pids);
    for (const pid of this.strangers) if (!alive.has(pid)) this.strangers.delete(pid);
    const stats = new Map<number, ProcStat>();
    for (const pid of pids) {
      if (this.strangers.has(pid) && !roots.has(pid)) continue;
      const stat = readStat(pid);
      if (stat !== null) stats.set(pid, stat);
    }
    return stats;
  }

  /** A process whose parent died has init as its parent, but is still ours while its root is asked for. */
  private keepOrphans(
    stats: ReadonlyMap<number, ProcStat>,
    found: Map<number, Known<Root>>,
    roots: readonly Root[],
  ): void {
    const asked = new Set(roots.map(({ pid }) => pid));
    for (const [pid, before] of this.members) {
      const stat = stats.get(pid);
      const isSame = stat?.startedAtMs === before.stat.startedAtMs;
      if (stat !== undefined && isSame && asked.has(before.root.pid) && !found.has(pid)) {
        found.set(pid, { root: before.root, stat });
      }
    }
  }

  private addDescendants(
    stats: ReadonlyMap<number, ProcStat>,
    found: Map<number, Known<Root>>,
  ): void {
    for (let grew = true; grew;) {
      grew = false;
      for (const [pid, stat] of stats) {
        const parent = found.get(stat.parent);
        if (parent === undefined || found.has(pid)) continue;
        found.set(pid, { root: parent.root, stat });
        grew = true;
      }
    }
  }

  private cpuCores(pid: number, stat: ProcStat, nowMs: number): number | null {
    if (this.lastAtMs === null) return null;
    const before = this.members.get(pid)?.stat;
    const isSame = before?.startedAtMs === stat.startedAtMs;
    // Newcomers that began since the last tick have used all their CPU since then.
    if (!isSame && stat.startedAtMs < this.lastAtMs) return null;
    const usedMs = stat.cpuMs - (isSame ? before.cpuMs : 0);
    return usedMs / (nowMs - this.lastAtMs);
  }
}

/** n8n starts its task runner as a child of its own. */
export const isTaskRunner = (pid: number): boolean => commandLine(pid).includes('task-runner');

/** Those beneath a process. */
export const taskRunnersOf = (root: { pid: number }): number[] =>
  new ProcessTree<{ pid: number }>()
    .look([root], uptimeMs())
    .filter(({ pid, isRoot }) => !isRoot && isTaskRunner(pid))
    .map(({ pid }) => pid);
