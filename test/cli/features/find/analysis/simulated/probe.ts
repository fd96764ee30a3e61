import {
  percentile,
  percentileInterval,
  type Interval,
} from '../../../../../../cli/src/analysis/statistics/statistics';
import { Silences, type Silence } from '../../../../../../cli/src/analysis/requests/silences';
import type { Trace } from './simulate';

export interface Measured {
  p95: number;
  p95Interval: Interval;
  meanSeconds: number;
  offeredPerSecond: number;
  achievedPerSecond: number;
  errorShare: number;
  /** Seconds of work per request, as CPU is measured: of what was answered in the measured part. */
  workSeconds: number;
}

/** The first fifth of every probe is warm-up, as it is in a real one. */
export const WARM_UP_SHARE = 0.2;

/** What a probe of a real system would state about this trace. */
export function measure(
  { due, latency, work, count }: Trace,
  seconds: number,
  timeout = Infinity,
): Measured {
  const from = seconds * WARM_UP_SHARE;
  const measured: number[] = [];
  let arrived = 0;
  let late = 0;
  let worked = 0;
  let done = 0;
  let fastest = Infinity;
  for (let i = 0; i < count; i += 1) fastest = Math.min(fastest, latency[i] ?? 0);
  for (let i = 0; i < count; i += 1) {
    const took = latency[i] ?? 0;
    const at = due[i] ?? 0;
    if (at >= from) {
      measured.push(Math.min(took, timeout));
      if (took > timeout) late += 1;
    }
    if (at + took >= from && at + took < seconds) {
      worked += work[i] ?? 0;
      done += 1;
    }
    const arrival = at + took - fastest;
    if (took <= timeout && arrival >= from && arrival < seconds) arrived += 1;
  }
  const order = Float64Array.from(measured).sort();
  return {
    p95: percentile(order, 0.95),
    p95Interval: percentileInterval(order, 0.95),
    meanSeconds: order.reduce((sum, value) => sum + value, 0) / order.length,
    offeredPerSecond: measured.length / (seconds - from),
    achievedPerSecond: arrived / (seconds - from),
    errorShare: late / measured.length,
    workSeconds: worked / done,
  };
}

/** How long nothing was answered though something waited, as a run sees it: of each request its end, warm-up included. */
export function silencesOf(
  { due, latency, count }: Trace,
  seconds: number,
  timeout = Infinity,
): Silence[] {
  const seen = new Silences(1_000 * seconds);
  const ends = due.subarray(0, count).map((at, i) => at + Math.min(timeout, latency[i] ?? 0));
  const order = Uint32Array.from(ends.keys()).sort((a, b) => (ends[a] ?? 0) - (ends[b] ?? 0));
  for (const i of order) {
    const at = due[i] ?? 0;
    seen.add({
      tMs: 1_000 * at,
      durationMs: 1_000 * ((ends[i] ?? 0) - at),
      errorKind: (latency[i] ?? 0) > timeout ? 'timeout' : '',
    });
  }
  return seen.longest();
}
