import type { Metric } from '../record/metrics';
import type { MetricSample, SampledRole } from '../record/run-record';
import { median } from './statistics/statistics';

export type { SampledRole };

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
