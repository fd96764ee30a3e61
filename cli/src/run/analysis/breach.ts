/** When a load that grows has become too much: the SLOs over the last few seconds, not over the whole run. */
import { withErrorBound, type Slo } from '../../../../loadtests/lib/slo';
import type { RequestSample } from '../../record/run-record';
import { missedSlo } from '../../analysis/slo/window-slo';

export interface Breached {
  /** Time in the load at which the first request of the window was due. */
  tMs: number;
  slo: string;
  measured: number;
  /** For a person, without the rate. */
  text: string;
}

const WINDOW_MS = 5_000;
/** Fewer say nothing about a percentile or a share. */
const MIN_REQUESTS = 20;
/** A single stall is no breach, even where it lies in two windows: so many in a row are one. */
const WINDOWS = 3;

/** Takes requests in the order of their ends, and keeps those of one window only. */
export class BreachWatch {
  private readonly slos: readonly Slo[];
  private window: RequestSample[] = [];
  private endsMs = WINDOW_MS;
  private missed: Breached[] = [];

  constructor(slos: readonly Slo[]) {
    this.slos = withErrorBound(slos);
  }

  /** The breach, from the request on with which it is certain; null before. */
  see(sample: RequestSample): Breached | null {
    const endedMs = sample.tMs + sample.durationMs;
    if (endedMs >= this.endsMs && this.window.length >= MIN_REQUESTS) {
      const missed = this.judge();
      this.missed = missed === null ? [] : [...this.missed, missed];
      this.window = [];
      this.endsMs = endedMs + WINDOW_MS;
    }
    this.window.push(sample);
    return this.missed.length >= WINDOWS ? (this.missed[0] ?? null) : null;
  }

  private judge(): Breached | null {
    const tMs = this.window.reduce((least, sample) => Math.min(least, sample.tMs), Infinity);
    const missed = missedSlo(this.slos, this.window);
    return missed && { tMs, ...missed };
  }
}
