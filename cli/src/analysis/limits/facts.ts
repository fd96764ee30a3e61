import type { Metric } from '../../record/metrics';
import type { MetricSample, RunEvent, Summary } from '../../record/run-record';
import { totals, type SampledRole, type Window } from '../metrics';
import { mean } from '../statistics/statistics';

/** What the topology and the machine allow. What samplers read of the kernel goes before it. */
export interface LimitsInForce {
  /** The part of the run that is looked at. */
  measured: Window;
  /** Cores and memory of the machine that everything shares; null for a target whose machine is not seen. */
  hostCores: number | null;
  hostMemoryMiB: number | null;
  /** CPU limit of one instance of a role. */
  cpuCores: Partial<Record<SampledRole, number>>;
  memoryMiB: Partial<Record<SampledRole, number>>;
  heapMiB: Partial<Record<SampledRole, number>>;
  /** Jobs that all workers may run at once. */
  workerSlots: number | null;
  /** Executions that main may run at once in regular mode; null where it does not count them. */
  executionSlots: number | null;
  /** Tasks that all runners may run at once. */
  runnerSlots: number | null;
  /** How long an execution of the workload holds its slot at the least; 0 where it is not known. */
  holdMs: number;
}

export interface LimitFacts {
  samples: readonly MetricSample[];
  summary: Summary;
  limits: LimitsInForce;
  events: readonly RunEvent[];
}

/** The samples of the part that is looked at, by metric, role and instance. */
export class Sampled {
  private readonly byMetric = new Map<string, MetricSample[]>();

  constructor(
    samples: readonly MetricSample[],
    readonly window: Window,
  ) {
    for (const sample of samples) {
      if (sample.tMs < window.fromMs || sample.tMs >= window.toMs) continue;
      const key = keyOf(sample.role, sample.metric);
      const same = this.byMetric.get(key);
      if (same === undefined) this.byMetric.set(key, [sample]);
      else same.push(sample);
    }
  }

  values(role: SampledRole, metric: Metric): number[] {
    return this.of(role, metric).map(({ value }) => value);
  }

  mean(role: SampledRole, metric: Metric): number | null {
    const values = this.values(role, metric);
    return values.length > 0 ? mean(values) : null;
  }

  /** The values of each instance; a child process counts as an instance of its own (`main/4711`). */
  instances(role: SampledRole, metric: Metric): Map<string, number[]> {
    const found = new Map<string, number[]>();
    for (const { instance, value } of this.of(role, metric)) {
      const same = found.get(instance);
      if (same === undefined) found.set(instance, [value]);
      else same.push(value);
    }
    return found;
  }

  /** What all instances use together, on average. */
  total(role: SampledRole, metric: Metric, ofInstance?: string): number | null {
    const chosen = this.of(role, metric).filter(
      ({ instance }) => ofInstance === undefined || rootOf(instance) === ofInstance,
    );
    const sums = totals(chosen, { metric, role });
    return sums.length > 0 ? mean(sums.map(({ value }) => value)) : null;
  }

  of(role: SampledRole, metric: Metric): readonly MetricSample[] {
    return this.byMetric.get(keyOf(role, metric)) ?? [];
  }
}

/** A child process is sampled as `main/4711`: it belongs to the instance main. */
export const rootOf = (instance: string): string => instance.split('/')[0] ?? instance;

const keyOf = (role: string, metric: string): string => `${role} ${metric}`;

/** The highest value of a list that may be too long to spread. */
export function highest(values: Iterable<number>): number {
  let max = -Infinity;
  for (const value of values) max = Math.max(max, value);
  return max;
}
