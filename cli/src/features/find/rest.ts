import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadRequest } from '../../../../loadtests/lib/workload';
import { uptimeMs } from '../../linux/proc';
import { ProcessTree } from '../../linux/process-tree';
import { isLoaded } from '../../plan/roles';
import type {
  ProcessRoot,
  Running,
  MetricsEndpoint,
  ContainerStats,
  ContainerSample,
} from '../../targets/target';
import type { Progress } from '../../ui/progress';
import { queueJobs } from '../../analysis/queue-jobs';
import { median } from '../../analysis/statistics/statistics';

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
    let openMs = 0;
    idle.begin();
    return async () => {
      const askedAtMs = performance.now();
      const now = await readMetricsNow(running.metrics, signal);
      openMs += performance.now() - askedAtMs;
      const cpuCores = coresBetween(before, now);
      const ownShare = before === null ? 0 : openMs / Math.max(1, now.atMs - before.atMs);
      before = now;
      const sentAtMs = performance.now();
      // Waits until the expected response comes: a system that answers wrongly now is not at rest.
      await running.ready(requests.slice(0, 1), () => undefined, signal);
      const latencyMs = performance.now() - sentAtMs;
      openMs = latencyMs;
      const seen = { latencyMs, cpuCores, ownShare, jobs: now.jobs };
      return { rested: idle.isIdle(seen), memoryMiB: null };
    };
  }
}

/** What n8n's own metrics say about whether it works: CPU and jobs, read between two probes. */
const CPU = /^\w*process_cpu_seconds_total(?:\{[^}]*\})? ([\d.e+-]+)/m;

interface MetricsSeen {
  atMs: number;
  /** Since the processes began; null where none says so. */
  cpuSeconds: number | null;
  jobs: number | null;
}

/** Pure: from the texts of all endpoints. */
export function metricsSeen(texts: readonly string[], atMs: number): MetricsSeen {
  const cpu = texts.flatMap((text) => CPU.exec(text)?.[1] ?? []).map(Number);
  const jobs = queueJobs(texts);
  return { atMs, cpuSeconds: sum(cpu), jobs: jobs && jobs.waiting + jobs.active };
}

const sum = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((a, b) => a + b, 0);

export function coresBetween(before: MetricsSeen | null, now: MetricsSeen): number | null {
  if (before === null || before.cpuSeconds === null || now.cpuSeconds === null) return null;
  return (1000 * (now.cpuSeconds - before.cpuSeconds)) / Math.max(1, now.atMs - before.atMs);
}

async function readMetricsNow(
  endpoints: readonly MetricsEndpoint[],
  signal: AbortSignal,
): Promise<MetricsSeen> {
  const texts = await Promise.all(
    endpoints.map(async ({ url }) => {
      try {
        const patience = AbortSignal.any([signal, AbortSignal.timeout(2_000)]);
        return await (await fetch(url, { signal: patience })).text();
      } catch {
        return '';
      }
    }),
  );
  return metricsSeen(texts, uptimeMs());
}

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

/** What one look at a system between two probes shows. */
export interface Look {
  /** Latency of one request sent alone. */
  latencyMs: number;
  /** CPU of n8n's processes together since the last look; null where n8n has no metrics. */
  cpuCores: number | null;
  /** Share of the time since the last look in which a request of a look was open: of a core, it used this much at most. */
  ownShare: number;
  /** Jobs waiting or active in the queue; null where there is none to see. */
  jobs: number | null;
}

/** Requests in a row that must be near the baseline. */
const IN_A_ROW = 3;
/** With fewer the baseline is not known. */
const MIN_SAMPLES = 5;
/** A request alone takes this many times the baseline at most, or this much longer where that is more; CPU likewise. */
const NEAR = 1.5;
const NEAR_MS = 10;

/**
 * Tells whether a system that can only be asked from outside has come to rest: its own latency is back at
 * its baseline, the lowest that single requests have shown since the search began, and n8n's metrics, where
 * it has them, show no jobs, and no more CPU than these looks cost: a request of a real workflow may take
 * 100 ms of CPU, and a GET of the metrics 50 ms. One for a whole search.
 */
export class IdleWatch {
  private baselineMs = Infinity;
  private baselineCores = Infinity;
  private seen = 0;
  private lately: Look[] = [];

  /** Before each rest: what was seen before the probe says nothing about after it. */
  begin(): void {
    this.lately = [];
  }

  isIdle(look: Look): boolean {
    this.seen += 1;
    this.lately = [...this.lately, look].slice(-IN_A_ROW);
    if (this.lately.length < IN_A_ROW) return false;
    const latencyMs = this.lately.map((one) => one.latencyMs);
    this.baselineMs = Math.min(this.baselineMs, median(latencyMs));
    const near = Math.max(NEAR * this.baselineMs, this.baselineMs + NEAR_MS);
    const cores = median(this.lately.map(({ cpuCores }) => cpuCores ?? 0));
    this.baselineCores = Math.min(this.baselineCores, cores);
    const own = Math.min(
      NEAR * this.baselineCores,
      AT_REST_CORES + median(this.lately.map(({ ownShare }) => ownShare)),
    );
    const isBusy = cores >= Math.max(AT_REST_CORES, own) || (look.jobs ?? 0) > 0;
    return this.seen >= MIN_SAMPLES && !isBusy && latencyMs.every((ms) => ms <= near);
  }
}
