import { windowSeconds } from '../../analysis/requests/timeline';
import { placeOf } from '../../plan/roles';
import { METRICS, type Metric } from '../../record/metrics';
import type { MetricSample } from '../../record/run-record';

export interface MetricLine {
  role: string;
  metric: string;
  points: [number, number | null][];
}

/**
 * One line a role for a metric: the mean of each instance within a window, then the sum (memory, CPU,
 * processes) or the highest (lag, age) over the role's instances.
 */
export function metricLines(
  samples: MetricSample[],
  metric: Metric,
  durationSeconds: number,
): MetricLine[] {
  const width = Math.max(1, windowSeconds(durationSeconds));
  const roles = new Map<string, Map<number, Map<string, { sum: number; count: number }>>>();
  let last = 0;
  for (const sample of samples) {
    if (sample.metric !== metric || sample.tMs < 0) continue;
    const index = Math.floor(sample.tMs / 1000 / width);
    last = Math.max(last, index);
    const windows = entry(roles, sample.role, () => new Map());
    const instances = entry(windows, index, () => new Map());
    const mean = entry(instances, sample.instance, () => ({ sum: 0, count: 0 }));
    mean.sum += sample.value;
    mean.count += 1;
  }
  return [...roles]
    .sort(([a], [b]) => placeOf(a) - placeOf(b))
    .map(([role, windows]) => ({
      role,
      metric,
      points: Array.from({ length: last + 1 }, (_, index): [number, number | null] => {
        const means = meansAt(windows, index);
        const value =
          means.length === 0
            ? null
            : METRICS[metric].over === 'sum'
              ? means.reduce((a, b) => a + b, 0)
              : Math.max(...means);
        return [(index + 0.5) * width, value];
      }),
    }));
}

type Windows = Map<number, Map<string, { sum: number; count: number }>>;

/** A tick that fell just beside a window must not make a role look smaller for as long as that. */
function meansAt(windows: Windows, index: number): number[] {
  const now = windows.get(index);
  if (now === undefined) return [];
  const after = windows.get(index + 1);
  const missed = [...(windows.get(index - 1) ?? [])].filter(
    ([instance]) => !now.has(instance) && after?.has(instance) === true,
  );
  return [...now, ...missed].map(([, { sum, count }]) => sum / count);
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
