import type { GeneratorPart } from '../record/run-record';

/** What one run of the load generator did; raw, the warm-up still in it. */
export interface LoadResult {
  /** Milliseconds since 1970; the zero of every tMs of the run. */
  beganAtMs: number;
  /** When the last request had its answer, or was given up. */
  endedAtMs: number;
  /**
   * `finished`: all load was made. `stopped`: we ended it (Ctrl-C, time limit). `killed`: someone else
   * did. `failed`: the generator gave up by itself. `enough`: the order said so.
   */
  outcome: 'finished' | 'stopped' | 'killed' | 'failed' | 'enough';
  /** For a person: why it did not finish. Empty when it did. */
  reason: string;
  generator: GeneratorFigures;
}

export interface GeneratorFigures {
  /** The parts, if several generators produced the load at the same time. */
  parts?: GeneratorPart[];
  /** The version of k6. */
  version: string;
  /** Requests of the measured part that were due while as many as may be were open. */
  notSent: number;
  /** Requests open side by side. */
  openPeak: number;
  openMax: number;
  /** Mean from its start to its end, for runs too short to be sampled; 1 is one core kept busy. */
  cpuCoresMean: number;
  /** Cores that it may use: of the machine, its affinity, its control group and --generator-cpus. */
  coresAvailable: number;
  rssPeakMiB: number;
}
