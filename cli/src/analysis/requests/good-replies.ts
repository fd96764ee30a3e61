import type { RequestSample } from '../../record/run-record';
import type { Window } from '../metrics';

const FEW = 1024;

/**
 * Expected responses that arrived within the measured part, moved on by the fastest of them. Counting
 * arrivals (not the requests due) gives what an overloaded system really does a second; moving the
 * window keeps a workload that takes 5 s by design from seeming to lose its last 5 s.
 *
 * The fastest is known only at the end. Until then, what lies less than the fastest so far beyond an end of the
 * window is not decided, and only that is kept: as many as arrive within one fastest latency.
 */
export class GoodReplies {
  private fastest = Infinity;
  private within = 0;
  private undecided: number[] = [];
  private decideFrom: number;

  constructor(
    private readonly measured: Window,
    private readonly few = FEW,
  ) {
    this.decideFrom = few;
  }

  add({ tMs, durationMs }: Pick<RequestSample, 'tMs' | 'durationMs'>): void {
    if (durationMs < this.fastest) this.fastest = durationMs;
    this.undecided.push(tMs + durationMs);
    if (this.undecided.length >= this.decideFrom) {
      this.decide();
      this.decideFrom = Math.max(this.few, 2 * this.undecided.length);
    }
  }

  /** So far. */
  count(): number {
    return this.within + this.undecided.filter((arrival) => this.isWithin(arrival)).length;
  }

  /** The fastest can only become smaller, and what is moved on by it only later. */
  private decide(): void {
    const { fromMs, toMs } = this.measured;
    this.undecided = this.undecided.filter((arrival) => {
      const earliest = arrival - this.fastest;
      if (arrival < fromMs || earliest >= toMs) return false;
      if (earliest < fromMs || arrival >= toMs) return true;
      this.within += 1;
      return false;
    });
  }

  private isWithin(arrival: number): boolean {
    const { fromMs, toMs } = this.measured;
    const moved = arrival - this.fastest;
    return moved >= fromMs && moved < toMs;
  }
}
