import type { RequestSample } from '../record/record';

/** What one run of the load generator did; raw, the warm-up still in it. */
export interface LoadResult {
  /** Milliseconds since 1970; the zero of every tMs of the run. */
  beganAtMs: number;
  /** When the last request had its answer, or was given up. */
  endedAtMs: number;
  /**
   * `finished`: all load was made. `stopped`: we ended it (Ctrl-C, time limit). `killed`: someone else
   * did. `failed`: the generator gave up by itself.
   */
  outcome: 'finished' | 'stopped' | 'killed' | 'failed';
  /** For a person: why it did not finish. Empty when it did. */
  reason: string;
  /** Every request that was begun, in the order of their ends; unanswered ones too, with their age. */
  requests: RequestSample[];
  generator: GeneratorFigures;
}

export interface GeneratorFigures {
  /** k6 and its version. */
  version: string;
  /** Requests that were due while as many as may be were open. */
  droppedIterations: number;
  /** Null in a closed loop, and where requests were dropped. */
  latenessP99Ms: number | null;
  /** Requests open side by side. */
  openPeak: number;
  openMax: number;
  /** Mean over the run; 1 is one core kept busy. */
  cpuCoresMean: number;
  rssPeakMiB: number;
}
