import { windowSeconds } from '../../../analysis/requests/timeline';
import { LEDGER_CLASSES, LEDGER_WORDS } from '../analysis/ledger-class';
import type { DrillRecord } from '../record';
import type { LedgerRow } from './ledger-csv';
import type { Chart, LineChart } from '../../../report/plot/chart';
import { faultMarks, runCharts } from '../../../run/report/charts';
import type { RunData } from '../../../run/report/data';

export interface DrillParts {
  /** The run under the fault. */
  run: RunData;
  entries: readonly LedgerRow[];
}

/** The ledger over time, then what the run itself shows, each with the fault on its time axis. */
export function drillCharts(record: DrillRecord, { run, entries }: DrillParts): Chart[] {
  const ledger = ledgerChart(record, run, entries);
  return [...(ledger === null ? [] : [ledger]), ...runCharts(run)];
}

/** Counts how many were due in each window of a plot, from the start of the load to its end. */
export function countedByTime(
  { phases }: Pick<DrillRecord, 'phases'>,
  entries: readonly LedgerRow[],
): number[] {
  const width = windowSeconds(phases.endMs / 1000);
  const counts = Array.from({ length: Math.ceil(phases.endMs / 1000 / width) }, () => 0);
  for (const { tMs } of entries) {
    const at = Math.floor(tMs / 1000 / width);
    if (at < counts.length) counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts;
}

/** By when they were due; what was answered and executed once is left out. */
function ledgerChart(
  record: DrillRecord,
  run: RunData,
  entries: readonly LedgerRow[],
): LineChart | null {
  const width = windowSeconds(record.phases.endMs / 1000);
  const seen = LEDGER_CLASSES.filter(
    (name) => name !== 'once' && entries.some((entry) => entry.class === name),
  );
  if (seen.length === 0) return null;
  return {
    kind: 'line',
    id: 'ledger',
    title: 'Requests that were not answered and executed once',
    x: { label: 'due, since the load began', unit: 's', min: 0 },
    y: { label: `requests in ${String(width)} s`, min: 0 },
    series: seen.map((name) => ({
      label: LEDGER_WORDS[name].title,
      points: countedByTime(
        record,
        entries.filter((entry) => entry.class === name),
      ).map((count, index): [number, number] => [(index + 0.5) * width, count]),
    })),
    marks: faultMarks(run.record),
  };
}
