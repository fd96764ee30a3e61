import type { RequestSample } from '../../record/run-record';

/** Requests that had been sent and had no response yet, at each of a few times; each request is seen once. */
export class InFlight {
  /** The times in order, and at each place how many more are open than before it. */
  private readonly inOrderMs: readonly number[];
  private readonly change: number[];

  constructor(private readonly timesMs: readonly number[]) {
    this.inOrderMs = [...timesMs].sort((a, b) => a - b);
    this.change = this.inOrderMs.map(() => 0);
  }

  add({ tMs, durationMs }: Pick<RequestSample, 'tMs' | 'durationMs'>): void {
    const first = this.placeOf(tMs);
    const after = this.placeOf(tMs + durationMs);
    if (first === after) return;
    this.change[first] = (this.change[first] ?? 0) + 1;
    if (after < this.change.length) this.change[after] = (this.change[after] ?? 0) - 1;
  }

  /** In the order in which the times were given. */
  counts(): number[] {
    let open = 0;
    const at = new Map(
      this.inOrderMs.map((tMs, place) => [tMs, (open += this.change[place] ?? 0)]),
    );
    return this.timesMs.map((tMs) => at.get(tMs) ?? 0);
  }

  /** Index of the first time that is not before `tMs`. */
  private placeOf(tMs: number): number {
    let low = 0;
    let high = this.inOrderMs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.inOrderMs[middle] ?? Infinity) < tMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
