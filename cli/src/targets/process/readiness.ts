import { setTimeout as sleep } from 'node:timers/promises';

/** A process of n8n that takes requests. */
export interface Served {
  instance: string;
  port: number;
}

export interface ReadinessOrder {
  served: readonly Served[];
  /** Null while it does not run. */
  pidOf(instance: string): number | null;
  /** Whether n8n itself thinks so. */
  isReady(port: number): Promise<boolean>;
  /** Told after each change: ports of those that take no requests now. */
  changed(away: ReadonlySet<number>): void;
}

/** Those that run are looked for so often. */
const LOOK_MS = 1_000;
/** The chart's readiness probe runs at every n-th look, and a number of failures in a row counts. */
const LOOKS_PER_PROBE = 5;
const FAILURES = 3;

/**
 * Which processes take requests, as a Service of Kubernetes decides it with the chart's readiness probe: one that has ended
 * takes none, its successor takes them once it is ready, and one that is found not ready three times takes none until it is.
 */
export class Readiness {
  private readonly away = new Set<number>();
  private readonly ending = new AbortController();

  /** Those that run now are ready. */
  constructor(
    private readonly order: ReadinessOrder,
    private readonly lookMs = LOOK_MS,
  ) {
    for (const one of order.served) void this.watch(one);
  }

  /** Nothing is told from now on. */
  stop(): void {
    this.ending.abort();
  }

  private async watch({ instance, port }: Served): Promise<void> {
    let readyPid = this.order.pidOf(instance);
    let failures = 0;
    for (let look = 1; await this.pause(); look += 1) {
      const pid = this.order.pidOf(instance);
      if (pid === null || pid !== readyPid) this.set(port, true);
      if (pid === null) continue;
      if (!this.away.has(port) && look % LOOKS_PER_PROBE !== 0) continue;
      const isReady = await this.order.isReady(port);
      failures = isReady ? 0 : failures + 1;
      if (isReady) {
        readyPid = pid;
        this.set(port, false);
      } else if (failures >= FAILURES) this.set(port, true);
    }
  }

  private set(port: number, isAway: boolean): void {
    if (this.ending.signal.aborted || this.away.has(port) === isAway) return;
    if (isAway) this.away.add(port);
    else this.away.delete(port);
    this.order.changed(this.away);
  }

  /** False: it was stopped. */
  private pause(): Promise<boolean> {
    return sleep(this.lookMs, true, { signal: this.ending.signal }).catch(() => false);
  }
}
