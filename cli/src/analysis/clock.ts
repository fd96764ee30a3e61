/** How far another machine's clock is ahead of ours, from times that it was asked for. Pure. */

/** One question and its answer, in milliseconds since 1970. */
export interface ClockReading {
  /** By our clock, before it was asked and after it had answered. */
  sentMs: number;
  receivedMs: number;
  /** By its clock: at this time or later, by less than its clock's resolution. */
  theirsMs: number;
  resolutionMs: number;
}

export interface ClockOffset {
  /** Positive where its clock shows a later time than ours. */
  aheadMs: number;
  /** The truth is so far from it at the most. */
  uncertainMs: number;
}

/**
 * The answer was given after it was asked for and before it was received, so each reading bounds the offset from
 * both sides; together they bound it best. Null without a reading, or where they contradict each other, as of a clock
 * that was set in between.
 */
export function clockOffset(readings: readonly ClockReading[]): ClockOffset | null {
  let low = -Infinity;
  let high = Infinity;
  for (const { sentMs, receivedMs, theirsMs, resolutionMs } of readings) {
    low = Math.max(low, theirsMs - receivedMs);
    high = Math.min(high, theirsMs + resolutionMs - sentMs);
  }
  if (!Number.isFinite(low) || low > high) return null;
  return { aheadMs: (low + high) / 2, uncertainMs: (high - low) / 2 };
}

const SECOND_DIGITS = 10;
const NANOSECOND_DIGITS = 19;
/** Whole seconds are read from a clock of the kernel that moves with its ticks, of 10 ms at the most. */
const TICK_MS = 10;

/** What `date +%s%N` says: a date without nanoseconds says its seconds only, and perhaps the letters. */
export function readDate(text: string): Pick<ClockReading, 'theirsMs' | 'resolutionMs'> | null {
  const digits = /^\d+/.exec(text.trim())?.[0] ?? '';
  if (digits.length >= NANOSECOND_DIGITS) {
    // Its last digits are more than a number holds.
    return { theirsMs: Number(digits.slice(0, NANOSECOND_DIGITS - 3)) / 1000, resolutionMs: 0.001 };
  }
  if (digits.length < SECOND_DIGITS) return null;
  return { theirsMs: 1000 * Number(digits.slice(0, SECOND_DIGITS)), resolutionMs: 1000 + TICK_MS };
}

/** An offset that may as well be none is none: clocks that are kept in step differ by less than can be measured. */
export const knownAheadMs = (clock: ClockOffset | null): number =>
  clock === null || Math.abs(clock.aheadMs) <= clock.uncertainMs ? 0 : clock.aheadMs;
