import type { CellRecord, SweepRecord } from '../record';
import { hostFigures, measured, ranOn } from '../../../report/conditions';
import {
  firstOf,
  list,
  paragraph,
  plots,
  section,
  table,
  type ReportDocument,
  type ShownVerdict,
} from '../../../report/document';
import { repeatCommand, utc } from '../../../report/text/units';
import { firstChartId, sweepCharts } from './charts';
import { decisionFigures, sizesOf } from './decision';
import {
  controlFigure,
  crashes,
  sweepDoubts,
  sweepFigures,
  sweepLimits,
  sweepSentence,
  sweepSure,
  sweepTable,
} from './figures';

const CELLS = 'Each measurement has its own report in the folder cells/ next to the record.';

export function sweepVerdict(sweep: SweepRecord, records: readonly CellRecord[]): ShownVerdict {
  const isDone = records.length === sweep.steps.length;
  const sizes = sizesOf(sweep, records);
  const isNone = sizes !== null && sizes.every(({ least }) => least === null);
  const isUnclear = isNone && sizes.some(({ doubtful }) => doubtful !== null);
  return {
    ...(isDone
      ? ({ tone: isUnclear ? 'unsure' : isNone ? 'bad' : 'good', word: 'DONE' } as const)
      : ({ tone: 'unsure', word: 'STOPPED' } as const)),
    sentence: sweepSentence(sweep, records),
  };
}

/** The report of a sweep, also of one that has not come to its end. */
export function sweepDocument(sweep: SweepRecord, records: readonly CellRecord[]): ReportDocument {
  const { head, rows } = sweepTable(sweep, records);
  const charts = sweepCharts(sweep, records);
  const { pictures, rest } = firstOf(charts.flat(), firstChartId(sweep));
  const others = charts.map((some) => some.filter((chart) => rest.includes(chart)));
  // Small plots of one metric stay together; plots that stand for a metric each go side by side.
  const groups = others.every((some) => some.length <= 1) ? [others.flat()] : others;
  const versions = records.find(({ run }) => run !== null)?.versions ?? {};
  return {
    title: sweep.title,
    subtitle: utc(sweep.startedAt),
    ranOn: ranOn({ topology: null, versions, machine: sweep.machine }),
    verdict: sweepVerdict(sweep, records),
    // Which cell is best and what limits it, and from where on a difference is one.
    summary: [...decisionFigures(sweep, records), controlFigure(sweep, records)],
    pictures,
    howSure: sweepSure(sweep, records),
    doubts: sweepDoubts(sweep, records),
    figures: sweepFigures(sweep, records),
    sections: [
      section('Results', ...groups.map(plots)),
      {
        ...section('Every cell', table(head, rows), paragraph(CELLS)),
        isInTerminal: true,
      },
      {
        ...section(
          'What limited each cell',
          list(sweepLimits(sweep, records).map(({ cell, text }) => `${cell}: ${text}`)),
        ),
        isInTerminal: true,
      },
      section(
        'What crashed',
        list(crashes(records).map(({ id, sentence }) => `${id}: ${sentence}`)),
      ),
    ],
    howToRepeat: [repeatCommand(sweep.command)],
    conditions: measured(...hostFigures({ ...sweep, versions })),
  };
}
