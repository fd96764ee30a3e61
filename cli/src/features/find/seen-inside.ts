import { isLoaded } from '../../plan/roles';
import type { ContainerStats, ContainerSample } from '../../targets/target';

/** What the containers of n8n use, from their looks of themselves. */
export class LatestContainerStats {
  private readonly last = new Map<string, { atMs: number; cpuMs: number; cores: number | null }>();
  private readonly rssMiB = new Map<string, number>();
  private readonly end: () => void;

  constructor(containerStats: ContainerStats) {
    this.end = containerStats.watch(
      (seen) => {
        this.see(seen);
      },
      () => undefined, // What cannot be seen is not known to rest: the wait then ends by its time.
    );
  }

  /** Null before every container has told twice. */
  get coresOfEach(): number | null {
    const cores = [...this.last.values()].map((one) => one.cores);
    const known = cores.filter((one) => one !== null);
    return known.length === 0 || known.length < cores.length
      ? null
      : known.reduce((sum, one) => sum + one, 0) / known.length;
  }

  get memoryMiB(): number {
    return [...this.rssMiB.values()].reduce((sum, one) => sum + one, 0);
  }

  close(): void {
    this.end();
  }

  private see({ role, instance, inside: { group, processes, uptimeMs } }: ContainerSample): void {
    if (!isLoaded(role) || group === null || group.cpuMs === null) return;
    const key = `${role} ${instance}`;
    const before = this.last.get(key);
    const passedMs = uptimeMs - (before?.atMs ?? NaN);
    const cores = before === undefined ? null : (group.cpuMs - before.cpuMs) / passedMs;
    this.last.set(key, { atMs: uptimeMs, cpuMs: group.cpuMs, cores });
    this.rssMiB.set(
      key,
      processes.reduce((sum, { stat }) => sum + stat.rssMiB, 0),
    );
  }
}
