import type { RequestSample } from '../../record/record';
import { NEVER_ANSWERED } from './latency';

/** Shorter ones are ordinary service times. */
const LEAST_MS = 20;
/** So many of the longest are kept, however long a run is. */
const MOST = 200;

/**
 * How long a system under load gave no response to anybody though a request waited for one. Requests are added in the
 * order of their ends. Where others wait longer than the one that is answered first, a silence is told too short.
 */
export class Silences {
  private lastMs = 0;
  private leastMs = LEAST_MS;
  private kept: number[] = [];

  /** Until then load was made: what comes after it are the last requests alone. */
  constructor(private readonly untilMs: number) {}

  add({
    tMs,
    durationMs,
    errorKind,
  }: Pick<RequestSample, 'tMs' | 'durationMs' | 'errorKind'>): void {
    // To give up is no response.
    if (NEVER_ANSWERED.has(errorKind)) return;
    const endMs = tMs + durationMs;
    const silentMs = Math.min(endMs, this.untilMs) - Math.max(this.lastMs, tMs);
    this.lastMs = Math.max(this.lastMs, endMs);
    if (silentMs < this.leastMs) return;
    this.kept.push(silentMs);
    if (this.kept.length < 2 * MOST) return;
    this.kept = this.longestMs();
    this.leastMs = this.kept.at(-1) ?? LEAST_MS;
  }

  /** The longest first. */
  longestMs(): number[] {
    return [...this.kept].sort((one, other) => other - one).slice(0, MOST);
  }
}
