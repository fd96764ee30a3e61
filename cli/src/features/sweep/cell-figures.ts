import { isLoaded } from '../../plan/roles';
import { hasEstimate, type FindRecord } from '../find/record';
import type { RunRecord } from '../../record/run-record';
import { NO_FIGURES, type CellFigures } from './record';

export function figuresOfRun({ summary }: RunRecord): CellFigures {
  const loaded = summary.roles.filter(({ role }) => isLoaded(role));
  const peaks = loaded.flatMap(({ rssPeakMiB }) => (rssPeakMiB === null ? [] : [rssPeakMiB]));
  const memoryMiB = peaks.length > 0 ? total(peaks) : null;
  const achievedPerSecond = summary.achieved.ratePerSecond;
  return {
    capacityPerSecond: null,
    achievedPerSecond,
    p50Ms: summary.latencyMs?.p50 ?? null,
    p95Ms: summary.latencyMs?.p95 ?? null,
    p99Ms: summary.latencyMs?.p99 ?? null,
    errorShare: summary.errors.share,
    memoryMiB,
    memoryMiBPerRequestPerSecond:
      memoryMiB === null || !(achievedPerSecond > 0) ? null : memoryMiB / achievedPerSecond,
    cpuMillisecondsPerRequest: summary.cpuMillisecondsPerRequest,
    restarts: total(loaded.map(({ restarts, oomKills }) => restarts + oomKills)),
  };
}

/** The capacity, and beside it what the run at the capacity showed. */
export function figuresOfSearch(search: FindRecord, atCapacity: RunRecord | null): CellFigures {
  const beside = atCapacity === null ? NO_FIGURES : figuresOfRun(atCapacity);
  const found = hasEstimate(search.verdict);
  return {
    ...beside,
    capacityPerSecond: found
      ? search.capacity.ratePerSecond
      : search.verdict === 'nothing sustained'
        ? 0
        : null,
  };
}

const total = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0);
