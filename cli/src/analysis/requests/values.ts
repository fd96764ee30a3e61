import { mean, standardDeviation, type Moments, type Ordered } from '../statistics/statistics';
import { Histogram } from './histogram';

/** Limits up to which each value is kept. */
export interface ExactUpTo {
  /** Values of a whole run. */
  all: number;
  /** Values of one window of a plot or a trend; there are 120 windows. */
  perWindow: number;
}

/** 8 MB each, and most runs have fewer requests. */
export const EXACT_UP_TO: ExactUpTo = { all: 1_000_000, perWindow: 8_192 };
const FIRST_LENGTH = 256;

/**
 * Values whose order is asked for at the end. Exact up to a number of them; with more, their order comes from a
 * histogram, see there for its error, and the mean and the standard deviation are still those of all values.
 */
export class Values {
  private exact: Float64Array | null = new Float64Array(FIRST_LENGTH);
  private histogram: Histogram | null = null;
  private count = 0;
  /** By Welford's method, from the first value that is not kept on. */
  private meanSoFar = 0;
  private squares = 0;

  constructor(private readonly exactUpTo = EXACT_UP_TO.all) {}

  add(value: number): void {
    if (this.exact !== null && this.count >= this.exactUpTo) this.keepCounts(this.exact);
    this.count += 1;
    if (this.exact !== null) this.keep(this.exact, value);
    else this.note(value, this.count);
  }

  get length(): number {
    return this.count;
  }

  /** All values added so far, in order. */
  ordered(): Ordered & Moments {
    if (this.exact === null && this.histogram !== null) {
      const { histogram } = this;
      return {
        length: this.count,
        at: (rank) => histogram.at(rank),
        mean: this.meanSoFar,
        standardDeviation: Math.sqrt(this.squares / (this.count - 1)),
      };
    }
    const values = (this.exact ?? new Float64Array(0)).slice(0, this.count).sort();
    return {
      length: values.length,
      at: (rank) => values[rank],
      mean: mean(values),
      standardDeviation: standardDeviation(values),
    };
  }

  private keep(values: Float64Array, value: number): void {
    let room = values;
    if (this.count > room.length) {
      room = new Float64Array(Math.min(2 * room.length, Math.max(this.exactUpTo, FIRST_LENGTH)));
      room.set(values);
      this.exact = room;
    }
    room[this.count - 1] = value;
  }

  private keepCounts(values: Float64Array): void {
    this.histogram = new Histogram();
    this.exact = null;
    for (let i = 0; i < this.count; i += 1) this.note(values[i] ?? NaN, i + 1);
  }

  private note(value: number, count: number): void {
    this.histogram?.add(value);
    const away = value - this.meanSoFar;
    this.meanSoFar += away / count;
    this.squares += away * (value - this.meanSoFar);
  }
}
