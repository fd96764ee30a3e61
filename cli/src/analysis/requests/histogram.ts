import type { Ordered } from '../statistics/statistics';

/**
 * No value that comes out differs from the one that went in by more than this share: a tenth of a percent,
 * a hundredth of what two equal runs differ by.
 */
export const RELATIVE_ERROR = 0.001;
/** What is smaller counts as 0: k6 measures to a microsecond, and these are milliseconds. */
const SMALLEST = 0.001;

/** Buckets grow by this factor, so that the value between the ends of one is off by RELATIVE_ERROR at the most. */
const GROWTH = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR);
const LOG_GROWTH = Math.log(GROWTH);
/** Buckets that are added at once, so that a wider range costs few copies. */
const STEP = 512;

/**
 * Any number of values in bounded memory, as counts in buckets whose bounds grow evenly on a logarithmic scale
 * (the idea of DDSketch). From a microsecond to a day there are about 12,600 buckets, 100 KiB.
 */
export class Histogram implements Ordered {
  length = 0;
  private zeros = 0;
  /** Index of the bucket that counts[0] is. */
  private first = 0;
  private counts = new Float64Array(0);
  private min = Infinity;
  private max = -Infinity;

  add(value: number): void {
    this.length += 1;
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
    if (value >= SMALLEST) {
      const place = this.placeOf(Math.ceil(Math.log(value) / LOG_GROWTH));
      this.counts[place] = (this.counts[place] ?? 0) + 1;
    } else this.zeros += 1;
  }

  /** The value of this rank, from 0; the lowest and the highest are exact. */
  at(rank: number): number | undefined {
    if (rank < 0 || rank >= this.length) return undefined;
    if (rank === 0) return this.min;
    if (rank === this.length - 1) return this.max;
    let below = this.zeros;
    if (rank < below) return Math.max(this.min, 0);
    for (let place = 0; place < this.counts.length; place += 1) {
      below += this.counts[place] ?? 0;
      if (rank < below) return this.valueAt(this.first + place);
    }
    return this.max;
  }

  /** Number of buckets, however many values were added. */
  get buckets(): number {
    return this.counts.length;
  }

  private valueAt(index: number): number {
    const middle = (2 * GROWTH ** index) / (GROWTH + 1);
    return Math.min(this.max, Math.max(this.min, middle));
  }

  private placeOf(index: number): number {
    const { length } = this.counts;
    if (length === 0) this.first = index;
    const before = this.first - index;
    const after = index - (this.first + length - 1);
    if (before > 0) this.grow(Math.ceil(before / STEP) * STEP, 0);
    else if (after > 0) this.grow(0, Math.ceil(after / STEP) * STEP);
    return index - this.first;
  }

  private grow(before: number, after: number): void {
    const wider = new Float64Array(before + this.counts.length + after);
    wider.set(this.counts, before);
    this.counts = wider;
    this.first -= before;
  }
}
