import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadRequest } from '../../../../loadtests/lib/workload';
import { uptimeMs } from '../../linux/proc';
import { ProcessTree } from '../../linux/process-tree';
import { isLoaded } from '../../plan/roles';
import type { ProcessRoot, Running } from '../../targets/target';
import type { Progress } from '../../ui/progress';
import { IdleWatch } from './idle';
import { coresBetween, readMetricsNow, type MetricsSeen } from './metrics-look';
import { LatestContainerStats } from './seen-inside';

/** n8n at rest was seen to use 1 to 4% of a core a process. */
const AT_REST_CORES = 0.15;
const LOOK_EVERY_MS = 500;
const GIVE_UP_MS = 30_000;

export interface Rest {
  /** False where it did not come to rest in time. */
  rested: boolean;
  /** Memory of all n8n processes; null if they cannot be seen. */
  memoryMiB: number | null;
}

/** Brings a system to rest before each probe of one search, so that no probe pays for the one before it. */
export class Resting {
  private readonly idle = new IdleWatch();

  constructor(
    private readonly running: Running,
    private readonly requests: LoadRequest[],
  ) {}

  /** By its processes where they can be seen, else by what it shows from outside. */
  async before(progress: Progress, signal: AbortSignal): Promise<Rest> {
    const { containerStats } = this.running;
    const seen = containerStats === undefined ? null : new LatestContainerStats(containerStats);
    try {
      return await this.awaitRest(seen, progress, signal);
    } finally {
      seen?.close();
    }
  }

  private async awaitRest(
    inside: LatestContainerStats | null,
    progress: Progress,
    signal: AbortSignal,
  ): Promise<Rest> {
    const look = this.lookOf(inside, signal);
    const giveUpAtMs = performance.now() + GIVE_UP_MS;
    let memoryMiB: number | null = null;
    while (!signal.aborted && performance.now() < giveUpAtMs) {
      const seen = await look().catch((error: unknown) => {
        // What was measured before it is concluded all the same.
        if (signal.aborted) return null;
        throw error;
      });
      if (seen === null) break;
      memoryMiB = seen.memoryMiB;
      if (seen.rested) return seen;
      progress('waiting until the loaded system is idle');
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
    return { rested: false, memoryMiB };
  }

  private lookOf(inside: LatestContainerStats | null, signal: AbortSignal): () => Promise<Rest> {
    if (inside !== null) return this.within(inside);
    const isSeen = this.running.processes().some(({ role }) => isLoaded(role));
    return isSeen ? this.processes() : this.outside(signal);
  }

  /** The same of containers, as they tell it of themselves. */
  private within(inside: LatestContainerStats): () => Promise<Rest> {
    return async () => {
      const { coresOfEach, memoryMiB } = inside;
      const idles = coresOfEach !== null && coresOfEach < AT_REST_CORES;
      // Asking for executions is work for the database, perhaps for main.
      const unfinished = idles ? ((await this.running.executions())?.unfinished ?? 0) : 1;
      return { rested: unfinished === 0, memoryMiB };
    };
  }

  /** Nothing left to do, and the processes idle: a process that idles has an event loop that does. */
  private processes(): () => Promise<Rest> {
    const { running } = this;
    const tree = new ProcessTree<ProcessRoot>();
    return async () => {
      const roots = running.processes().filter(({ role }) => isLoaded(role));
      const members = tree.look(roots, uptimeMs());
      const memoryMiB = members.reduce((sum, { stat }) => sum + stat.rssMiB, 0);
      const unfinished = (await running.executions())?.unfinished ?? 0;
      // At the first look nothing is known of its CPU.
      const isKnown = members.every(({ cpuCores }) => cpuCores !== null);
      const cores = members.reduce((sum, { cpuCores }) => sum + (cpuCores ?? 0), 0);
      const rested = isKnown && unfinished === 0 && cores / roots.length < AT_REST_CORES;
      return { rested, memoryMiB };
    };
  }

  /** Single requests, sparse enough not to be a load, and n8n's metrics where it has them. */
  private outside(signal: AbortSignal): () => Promise<Rest> {
    const { running, requests, idle } = this;
    let before: MetricsSeen | null = null;
    idle.begin();
    return async () => {
      const now = await readMetricsNow(running.metrics, signal);
      const cpuCores = coresBetween(before, now);
      before = now;
      const sentAtMs = performance.now();
      // Waits until the expected response comes: a system that answers wrongly now is not at rest.
      await running.ready(requests.slice(0, 1), () => undefined, signal);
      const latencyMs = performance.now() - sentAtMs;
      return { rested: idle.isIdle({ latencyMs, cpuCores, jobs: now.jobs }), memoryMiB: null };
    };
  }
}
