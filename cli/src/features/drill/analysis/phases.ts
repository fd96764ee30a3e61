/** What of a drill shows something: the part of the load before the fault, and the end of the fault under load. */
import type { DrillPhases } from '../record';
import type { RequestSample } from '../../../record/run-record';
import { percentile, sorted } from '../../../analysis/statistics/statistics';

/** Multiple of a typical response time; a request due less than this before the fault may have been hit by it. */
const MARGIN = 1.5;
/** At least half of the steady phase is judged, whatever it was like. */
const MAX_MARGIN = 0.5;

export interface SteadyPart {
  fromMs: number;
  toMs: number;
}

/**
 * From the warm-up to a little before the fault: so late that a slow response still shows, so early that what
 * was due had its time to end. It goes by due times, so that those that never ended are in it.
 */
export function steadyPart(
  requests: readonly RequestSample[],
  warmupMs: number,
  faultMs: number,
): SteadyPart {
  const before = requests.filter(
    ({ ok, tMs, durationMs }) => ok && tMs >= warmupMs && tMs + durationMs < faultMs,
  );
  const defaultMs =
    before.length === 0 ? Infinity : percentile(sorted(before.map((r) => r.durationMs)), 0.95);
  const marginMs = Math.min(MARGIN * defaultMs, MAX_MARGIN * (faultMs - warmupMs));
  return { fromMs: warmupMs, toMs: faultMs - marginMs };
}

export const dueWithin = (
  requests: readonly RequestSample[],
  { fromMs, toMs }: SteadyPart,
): readonly RequestSample[] => requests.filter(({ tMs }) => tMs >= fromMs && tMs < toMs);

/** Not where it ended only while n8n finished what the load had left: no request has seen its end. */
export const endedUnderLoad = ({ overMs, endMs }: Pick<DrillPhases, 'overMs' | 'endMs'>): boolean =>
  overMs !== null && overMs <= endMs;
