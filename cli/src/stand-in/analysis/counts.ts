/** Calls by host: what a workflow asks of each service at the rate at which it is loaded. Pure. */
import { limitOf } from './published-limits';

export interface HostCount {
  host: string;
  calls: number;
  /** Answered with 400 or above, never answered, or cut. */
  failed: number;
  /** In the busiest second. */
  maxPerSecond: number;
  /** What the service is known to allow. */
  published?: { perSecond: number; of: string; source: string };
}

/** Calls to all of them. Null: nothing counts them. */
export const callsIn = (hosts: readonly HostCount[] | null): number | null =>
  hosts === null ? null : hosts.reduce((sum, { calls }) => sum + calls, 0);

/** What a stand-in has done so far. */
export interface StandInReport {
  seconds: number;
  requests: number;
  requestsPerSecond: number;
  /** CPU of the process; 1 is one core kept busy, and the server cannot use more. */
  cpuCores: number;
  /** Requests that no rule answers. */
  unmatched: number;
  hosts: HostCount[];
}

/** Hosts that are counted one by one; the others are counted together. */
const MAX_HOSTS = 200;
const OTHERS = 'other hosts';

interface Counting extends Omit<HostCount, 'published'> {
  second: number;
  inSecond: number;
}

export class Counts {
  private readonly hosts = new Map<string, Counting>();

  called(host: string, atMs: number): void {
    const count = this.of(host);
    const second = Math.floor(atMs / 1000);
    if (second !== count.second) Object.assign(count, { second, inSecond: 0 });
    count.calls += 1;
    count.inSecond += 1;
    count.maxPerSecond = Math.max(count.maxPerSecond, count.inSecond);
  }

  failed(host: string): void {
    this.of(host).failed += 1;
  }

  list(): HostCount[] {
    return [...this.hosts.values()].map(({ host, calls, failed, maxPerSecond }) => {
      const published = limitOf(host);
      return { host, calls, failed, maxPerSecond, ...(published === null ? {} : { published }) };
    });
  }

  private of(name: string): Counting {
    const host = this.hosts.has(name) || this.hosts.size < MAX_HOSTS ? name : OTHERS;
    let count = this.hosts.get(host);
    if (count === undefined) {
      count = { host, calls: 0, failed: 0, maxPerSecond: 0, second: -1, inSecond: 0 };
      this.hosts.set(host, count);
    }
    return count;
  }
}
