import type { Metric } from '../record/metrics';
import type { RunEvent, SampledRole } from '../record/run-record';
import type { Running } from '../targets/target';

/**
 * Measures one thing beside the load. A new sampler is one new file that makes one of these.
 * A sampler never ends a run: what it cannot measure it tells the sink as an event.
 */
export interface Sampler {
  readonly name: string;
  /** Takes a first sample before it returns, then one every `intervalMs`. A rejection means: not to be had here. */
  start(running: Running, sink: SampleSink, intervalMs: number): Promise<void>;
  /** Takes a last sample. */
  stop(): Promise<void>;
  /** What sampling itself has cost so far. */
  cost(): SamplerCost;
}

export interface SampleSink {
  /** Stamped with the time of the call. What is not declared in record/metrics.ts cannot be sampled. */
  sample(role: SampledRole, instance: string, metric: Metric, value: number): void;
  event(event: Omit<RunEvent, 'tMs'>): void;
}

export interface SamplerCost {
  ticks: number;
  /** Time spent in this process, CPU where it can be told apart. */
  busyMs: number;
}
