/**
 * Stalls: the whole system stands still, as in a major garbage collection or a checkpoint of the database, and makes
 * everything late that is due in the meantime. However many requests that are, it is one event, and how often it comes
 * is known no better than from the number of such events.
 */
import type { Slo } from '../../../../loadtests/lib/slo';
import { PERCENTILES } from '../../analysis/slo/min-requests';
import type { Silence } from '../../analysis/requests/silences';
import { poissonInterval } from '../../analysis/statistics/statistics';

/** The number of missing responses that is no chance: of random arrivals as many are missing once in e^8 times. */
const MIN_MISSING = 8;

/** SLOs of a percentile: each permits a share of all requests to be later than its bound. */
function permitting(slos: readonly Slo[]): { boundMs: number; share: number }[] {
  return slos.flatMap(({ metric, bound }) => {
    const percentile = PERCENTILES[metric];
    return percentile === undefined ? [] : [{ boundMs: bound, share: 1 - percentile }];
  });
}

/** The silences of a run that alone make requests miss an SLO, whatever the rate is. */
export function stallsOf(
  silences: readonly Silence[],
  slos: readonly Slo[],
  achievedPerSecond: number,
): Silence[] {
  const shortestMs = Math.min(...permitting(slos).map(({ boundMs }) => boundMs));
  const minMs = Math.max(shortestMs, (1_000 * MIN_MISSING) / achievedPerSecond);
  return silences.filter(({ ms }) => ms > minMs);
}

/**
 * What a stall costs: the seconds of load in which an SLO permits as many late requests as the stall makes where
 * nothing has to be caught up with; of several SLOs the most. One of 1.6 s makes 1.3 s of requests miss p95<300ms,
 * which permits as many in 26 s.
 */
export function stallCostSeconds(stallMs: number, slos: readonly Slo[]): number {
  const costs = permitting(slos).map(
    ({ boundMs, share }) => Math.max(0, stallMs - boundMs) / 1_000 / share,
  );
  return Math.max(0, ...costs);
}

/** Which share of its throughput a system without stalls loses to them, at the least and at the most. */
export interface StallLoss {
  min: number;
  max: number;
}

/** Each end of the interval is wrong in 5% of all cases. */
const CONFIDENCE = 0.9;
/** More is not taken off for stalls: a rate so low would have to be measured. */
const MAX_LOSS = 0.9;

/**
 * While a system catches up after a stall, it makes 1 / (1 - utilisation) times as many requests late. So it sustains a
 * rate for long where frequency x cost <= 1 - utilisation: what stalls cost per second is the share of its throughput
 * that it loses. Null where none was seen: then nothing is known of any.
 *
 * At the least: a run of full length meets no more of them than come for certain.
 */
export function stallLoss(
  costsSeconds: readonly number[],
  watchedSeconds: number,
  fullSeconds: number,
): StallLoss | null {
  const count = costsSeconds.length;
  if (count === 0 || watchedSeconds <= 0) return null;
  const meanSeconds = costsSeconds.reduce((sum, cost) => sum + cost, 0) / count;
  const { low, high } = poissonInterval(count, CONFIDENCE);
  const min = Math.floor((low / watchedSeconds) * fullSeconds) / fullSeconds;
  return {
    min: Math.min(MAX_LOSS, min * meanSeconds),
    max: Math.min(MAX_LOSS, (high / watchedSeconds) * meanSeconds),
  };
}
