import { drift, type Drift } from './drift-and-order';
import type { CellRecord, SweepRecord } from '../record';
import { mainMetric } from './metric';

/** How the control cell changed; null with fewer than three of them. */
export function driftOf(sweep: SweepRecord, records: readonly CellRecord[]): Drift | null {
  const metric = mainMetric(sweep.plan, sweep.steps);
  return drift(
    records.flatMap(({ isControl, startedAt, figures }) => {
      const value = metric.of(figures);
      return isControl && value !== null && value > 0
        ? [{ atSeconds: Date.parse(startedAt) / 1000, value }]
        : [];
    }),
  );
}
