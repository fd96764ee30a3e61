import { median } from '../../analysis/statistics/statistics';

/** What one look at a system between two probes shows. */
export interface Look {
  /** Latency of one request sent alone. */
  latencyMs: number;
  /** CPU of n8n's processes together since the last look; null where n8n has no metrics. */
  cpuCores: number | null;
  /** Jobs waiting or active in the queue; null where there is none to see. */
  jobs: number | null;
}

/** n8n at rest was seen to use 1 to 4% of a core a process. */
const AT_REST_CORES = 0.15;
/** Requests in a row that must be near the baseline. */
const IN_A_ROW = 3;
/** Before so many the baseline is not known. */
const MIN_SAMPLES = 5;
/** A request alone takes this many times the baseline at most, or this much longer where that is more. */
const NEAR = 1.5;
const NEAR_MS = 10;

/**
 * Tells whether a system that can only be asked from outside has come to rest: its own latency is back at
 * its baseline, the lowest that single requests have shown since the search began, and n8n's metrics, where
 * it has them, show neither work nor jobs. One for a whole search.
 */
export class IdleWatch {
  private baselineMs = Infinity;
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
    const busy = (look.cpuCores ?? 0) >= AT_REST_CORES || (look.jobs ?? 0) > 0;
    return this.seen >= MIN_SAMPLES && !busy && latencyMs.every((ms) => ms <= near);
  }
}
