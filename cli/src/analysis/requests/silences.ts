import type { RequestSample } from '../../record/run-record';
import { NEVER_ANSWERED } from './latency';

/** Shorter ones are ordinary service times. */
const MIN_MS = 20;
export interface Silence {
  /** Since the load began. */
  fromMs: number;
  ms: number;
}

/** How many of the longest are kept, however long a run is. */
const MAX_KEPT = 200;

/**
 * How long a system under load gave no response to anybody though a request waited for one. Requests are added in the
 * order of their ends. Where others wait longer than the one that is answered first, a silence is told too short.
 */
export class Silences {
  private lastMs = 0;
  private minMs = MIN_MS;
  private kept: Silence[] = [];

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
    const fromMs = Math.max(this.lastMs, tMs);
    const ms = Math.min(endMs, this.untilMs) - fromMs;
    this.lastMs = Math.max(this.lastMs, endMs);
    if (ms < this.minMs) return;
    this.kept.push({ fromMs, ms });
    if (this.kept.length < 2 * MAX_KEPT) return;
    this.kept = this.longest();
    this.minMs = this.kept.at(-1)?.ms ?? MIN_MS;
  }

  /** The longest first. */
  longest(): Silence[] {
    return [...this.kept].sort((one, other) => other.ms - one.ms).slice(0, MAX_KEPT);
  }
}
