import { placeOf } from '../../plan/roles';
import { METRICS, type Metric } from '../../record/metrics';
import type { MetricSample, RequestSample } from '../../record/record';

const WIDTHS = [0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800];

/** Width of a window in seconds: round, and such that a plot has 30 to 120 of them. */
export function windowSeconds(durationSeconds: number): number {
  return WIDTHS.find((w) => durationSeconds / w <= 120) ?? 3600;
}

/** Wider where there are few requests: whether 2 or 3 fall into a window says nothing. */
function requestWindowSeconds(durationSeconds: number, requests: number): number {
  const least = windowSeconds(durationSeconds);
  const isEnough = (w: number): boolean => (requests * w) / durationSeconds >= 10;
  return WIDTHS.find((w) => w >= least && (isEnough(w) || durationSeconds / w < 30)) ?? least;
}

export interface RequestWindow {
  /** Middle of the window. */
  seconds: number;
  offeredPerSecond: number;
  goodPerSecond: number;
  errorsPerSecond: Record<string, number>;
  /** Sorted durations of the replies that came, good ones only. */
  latenciesMs: number[];
}

/**
 * Requests by the time they were due, the way an open loop counts them; but good replies by the time they
 * came, or an overloaded n8n would seem to keep up. The last, partial window is left out.
 */
export function requestWindows(
  requests: RequestSample[],
  durationSeconds: number,
): RequestWindow[] {
  const width = requestWindowSeconds(durationSeconds, requests.length);
  const count = Math.max(1, Math.floor(durationSeconds / width + 1e-9));
  const windows = Array.from({ length: count }, (_, i): RequestWindow => ({
    seconds: (i + 0.5) * width,
    offeredPerSecond: 0,
    goodPerSecond: 0,
    errorsPerSecond: {},
    latenciesMs: [],
  }));
  const at = (tMs: number): RequestWindow | undefined => windows[Math.floor(tMs / 1000 / width)];
  for (const request of requests) {
    const arrival = at(request.tMs + request.durationMs);
    if (request.ok && arrival !== undefined) arrival.goodPerSecond += 1 / width;
    const window = at(request.tMs);
    if (!window) continue;
    window.offeredPerSecond += 1 / width;
    if (request.ok) {
      window.latenciesMs.push(request.durationMs);
    } else {
      const kind = request.errorKind || 'error';
      window.errorsPerSecond[kind] = (window.errorsPerSecond[kind] ?? 0) + 1 / width;
    }
  }
  for (const window of windows) window.latenciesMs.sort((a, b) => a - b);
  return windows;
}

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
