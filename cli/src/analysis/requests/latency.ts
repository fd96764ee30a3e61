import type { LatencyInterval, LatencySummary, RequestSample } from '../../record/run-record';
import {
  meanInterval,
  percentile,
  percentileInterval,
  rankAt,
  type Interval,
} from '../statistics/statistics';
import type { Latencies } from './latencies';
import { Values } from './values';

/** Kinds of errors where no answer came, so that the duration is only how long we waited. */
export const NEVER_ANSWERED = new Set(['unanswered', 'timeout']);

/**
 * Latency of good responses, and of requests that never got an answer at the age they had reached: they
 * took at least that long, and leaving them out would make a system look faster the more it hangs.
 * Unexpected or refused responses are errors, and often quick ones; they have no latency.
 */
export const hasLatency = ({ ok, errorKind }: RequestSample): boolean =>
  ok || NEVER_ANSWERED.has(errorKind);

/** Latencies of requests that stand for themselves, without an order in time. */
export function latency(requests: Iterable<RequestSample>): LatencySummary | null {
  const values = new Values();
  for (const request of requests) if (hasLatency(request)) values.add(request.durationMs);
  return summaryOf(values, undefined, values.length);
}

/** The intervals allow for requests that were late together. */
export const latencySummary = (latencies: Latencies): LatencySummary | null =>
  summaryOf(latencies.all, latencies.independentAt(), latencies.independentForMean());

/**
 * The 95th percentile over all requests that were due: what has no latency was never answered. Null if it is one of
 * those, or if none was due.
 */
export function p95OfAll(latencies: Values, due: number): number | null {
  const rank = rankAt(0.95, due);
  return rank > latencies.length ? null : (latencies.ordered().at(rank - 1) ?? null);
}

function summaryOf(
  values: Values,
  independentAt: ((durationMs: number) => number) | undefined,
  independentForMean: number,
): LatencySummary | null {
  if (values.length === 0) return null;
  const order = values.ordered();
  const intervalOf = (p: number): LatencyInterval =>
    recorded(percentileInterval(order, p, { independentAt }));
  return {
    count: order.length,
    mean: order.mean,
    min: percentile(order, 0),
    p50: percentile(order, 0.5),
    p90: percentile(order, 0.9),
    p95: percentile(order, 0.95),
    p99: percentile(order, 0.99),
    p999: percentile(order, 0.999),
    max: percentile(order, 1),
    intervals: {
      mean: recorded(meanInterval(order, { independent: independentForMean })),
      p50: intervalOf(0.5),
      p90: intervalOf(0.9),
      p95: intervalOf(0.95),
      p99: intervalOf(0.99),
      p999: intervalOf(0.999),
    },
  };
}

/** JSON knows no infinity. */
const recorded = ({ low, high }: Interval): LatencyInterval => ({
  low: Math.max(0, low),
  high: Number.isFinite(high) ? high : null,
});
