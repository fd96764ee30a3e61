import { LEDGER_CLASSES, LEDGER_WORDS } from '../analysis/ledger-class';
import type { DrillRecord } from '../record';
import type { BarChart, Chart, LineChart } from '../../../report/plot/chart';
import { marksOf, runCharts } from '../../../run/report/charts';
import type { RunData } from '../../../run/report/data';

export interface DrillParts {
  /** The run under the fault. */
  run: RunData;
}

/** What became of the requests, then what the run itself shows, each with the fault on its time axis. */
export function drillCharts(record: DrillRecord, parts: DrillParts | null): Chart[] {
  const ledger = record.timeline === undefined ? ledgerBars(record) : ledgerChart(record);
  return [...(ledger === null ? [] : [ledger]), ...(parts === null ? [] : runCharts(parts.run))];
}

const TITLE = 'Requests that were not answered and executed once';

/** By when they were due; what was answered and executed once is left out. */
function ledgerChart({ timeline, fault }: DrillRecord): LineChart | null {
  if (timeline === undefined) return null;
  const { windowSeconds: width, classes } = timeline;
  const series = LEDGER_CLASSES.flatMap((name) => {
    const counts = classes[name];
    if (counts === undefined) return [];
    return {
      label: LEDGER_WORDS[name].title,
      points: counts.map((count, index): [number, number] => [(index + 0.5) * width, count]),
    };
  });
  if (series.length === 0) return null;
  return {
    ...{ kind: 'line', id: 'ledger', title: TITLE, series },
    x: { label: 'due, since the load began', unit: 's', min: 0 },
    y: { label: `requests in ${String(width)} s`, min: 0 },
    marks: marksOf(fault.done),
  };
}

/** Drawn if it is not known when the requests were due. */
function ledgerBars({ ledger: { classes } }: DrillRecord): BarChart | null {
  const bars = LEDGER_CLASSES.filter((name) => name !== 'once' && classes[name].requests > 0).map(
    (name) => ({ label: LEDGER_WORDS[name].title, value: classes[name].requests }),
  );
  return bars.length === 0
    ? null
    : { kind: 'bar', id: 'ledger', title: TITLE, unit: 'requests', bars };
}
