import { FINE_BATCHES, independentValues } from '../statistics/batches';
import { rankOf } from '../statistics/statistics';
import type { Window } from '../metrics';
import { EXACT_UP_TO, Values } from './values';

/** Latencies of the requests that are due in a window: all of them, and those of each of its parts in time. */
export class Latencies {
  readonly all: Values;
  private readonly parts: Values[];

  constructor(
    private readonly window: Window,
    exactUpTo = EXACT_UP_TO.all,
  ) {
    this.all = new Values(exactUpTo);
    this.parts = Array.from(
      { length: FINE_BATCHES },
      () => new Values(Math.ceil(exactUpTo / FINE_BATCHES)),
    );
  }

  add(dueMs: number, durationMs: number): void {
    const { fromMs, toMs } = this.window;
    this.all.add(durationMs);
    const part = Math.floor(((dueMs - fromMs) / (toMs - fromMs)) * FINE_BATCHES);
    this.parts[Math.min(FINE_BATCHES - 1, Math.max(0, part))]?.add(durationMs);
  }

  /** Counts the independent requests that would say as much about what share takes longer than this. */
  independentAt(): (durationMs: number) => number {
    const parts = this.parts.map((part) => part.ordered());
    return (durationMs) => {
      const batches = parts.map((ordered) => ({
        length: ordered.length,
        sum: ordered.length - rankOf(ordered, durationMs),
      }));
      const length = batches.reduce((sum, batch) => sum + batch.length, 0);
      const share = batches.reduce((sum, batch) => sum + batch.sum, 0) / length;
      return independentValues(batches, share * (1 - share));
    };
  }

  /** The same for the mean. */
  independentForMean(): number {
    const parts = this.parts.map((part) => part.ordered());
    const { standardDeviation } = this.all.ordered();
    return independentValues(
      parts.map(({ length, mean }) => ({ length, sum: length === 0 ? 0 : length * mean })),
      standardDeviation ** 2,
    );
  }
}
