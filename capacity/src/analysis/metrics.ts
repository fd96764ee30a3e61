import type { MetricSample, RoleSummary } from '../record/record';
import { median } from './statistics';

/**
 * The metrics that analysis reads from samples.csv. Samplers may record more; a metric listed here
 * must mean what is written here. `count` metrics only grow (until their process restarts),
 * `gauge` metrics are the state or the use since the sample before.
 */
export const METRICS = {
  rssMiB: { kind: 'gauge', of: 'resident memory of one process' },
  cpuCores: { kind: 'gauge', of: 'CPU used since the sample before, in cores, by one process' },
  processes: {
    kind: 'gauge',
    of: 'number of processes of one role, written with an empty instance',
  },
  throttledShare: {
    kind: 'gauge',
    of: 'share of the CPU periods in which the limit stopped a cgroup',
  },
  oomKills: { kind: 'count', of: 'processes of a cgroup that the kernel killed for memory' },
  restarts: { kind: 'count', of: 'unplanned restarts of one process or container' },
  eventLoopLagMs: {
    kind: 'gauge',
    of: 'p99 of the delay of an event loop since the sample before',
  },
  heapUsedMiB: { kind: 'gauge', of: 'V8 heap in use' },
  dbPoolActive: { kind: 'gauge', of: 'connections of the database pool that are in use' },
  dbPoolMax: { kind: 'gauge', of: 'size of the database pool' },
  dbPoolPending: { kind: 'gauge', of: 'requests that wait for a connection of the pool' },
  queueWaiting: { kind: 'gauge', of: 'jobs in the queue that no worker has begun (role redis)' },
  queueActive: { kind: 'gauge', of: 'jobs that workers are running (role redis)' },
  stealShare: {
    kind: 'gauge',
    of: 'share of the time that the hypervisor gave to others (role host)',
  },
} as const;

export type Metric = keyof typeof METRICS;
export type SampledRole = RoleSummary['role'];

/** The part of a run that counts, in milliseconds since the load began; warm-up lies before it. */
export interface Window {
  fromMs: number;
  toMs: number;
}

export interface Selection {
  metric: Metric;
  role?: SampledRole;
  instance?: string;
}

export function select(
  samples: readonly MetricSample[],
  { metric, role, instance }: Selection,
  window?: Window,
): MetricSample[] {
  return samples.filter(
    (sample) =>
      sample.metric === metric &&
      (role === undefined || sample.role === role) &&
      (instance === undefined || sample.instance === instance) &&
      (window === undefined || (sample.tMs >= window.fromMs && sample.tMs < window.toMs)),
  );
}

export function values(
  samples: readonly MetricSample[],
  selection: Selection,
  window?: Window,
): number[] {
  return select(samples, selection, window).map(({ value }) => value);
}

/**
 * What all instances use together, over time. Instances are sampled a little after one another, come
 * and go: at every tick an instance counts with its latest value, until it has missed a tick.
 */
export function totals(
  samples: readonly MetricSample[],
  selection: Selection,
  window?: Window,
): { tMs: number; value: number }[] {
  const chosen = select(samples, selection, window).sort((a, b) => a.tMs - b.tMs);
  const first = chosen[0];
  if (first === undefined) return [];
  const tickMs = spacingMs(chosen);
  const end = chosen.at(-1)?.tMs ?? first.tMs;
  const latest = new Map<string, MetricSample>();
  const result: { tMs: number; value: number }[] = [];
  let next = 0;
  // Half a tick on, so that the samples of one tick, spread over a few milliseconds, count together.
  for (let tMs = first.tMs + tickMs / 2; tMs - tickMs / 2 <= end; tMs += tickMs) {
    for (; next < chosen.length; next += 1) {
      const sample = chosen[next];
      if (sample === undefined || sample.tMs > tMs) break;
      latest.set(`${sample.role} ${sample.instance}`, sample);
    }
    let value = 0;
    for (const sample of latest.values()) {
      if (sample.tMs > tMs - 1.6 * tickMs) value += sample.value;
    }
    result.push({ tMs: tMs - tickMs / 2, value });
  }
  return result;
}

/** The usual time between two samples of one instance; 1 s where no instance was sampled twice. */
function spacingMs(chosen: readonly MetricSample[]): number {
  const before = new Map<string, number>();
  const spacings: number[] = [];
  for (const { role, instance, tMs } of chosen) {
    const last = before.get(`${role} ${instance}`);
    if (last !== undefined && tMs > last) spacings.push(tMs - last);
    before.set(`${role} ${instance}`, tMs);
  }
  return spacings.length > 0 ? median(spacings) : 1_000;
}

/** How much a counter grew within the window, over all instances; a restart begins again at 0. */
export function growth(
  samples: readonly MetricSample[],
  selection: Selection,
  window?: Window,
): number {
  const last = new Map<string, number>();
  let grown = 0;
  for (const { instance, value } of select(samples, selection, window)) {
    const before = last.get(instance);
    if (before !== undefined) grown += value >= before ? value - before : value;
    last.set(instance, value);
  }
  return grown;
}
