import { drillAdvice } from '../analysis/advice';
import type { DrillRecord } from '../record';
import { duration } from '../../../ui/numbers';
import { conditionsOf, subtitle } from '../../../report/conditions';
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
import { repeatCommand } from '../../../report/text/units';
import type { Tone } from '../../../report/tone';
import { drillCharts, type DrillParts } from './charts';
import {
  drillFigureRows,
  drillTakes,
  ledgerFigure,
  ledgerTable,
  mainFigures,
  namedIds,
  promiseTable,
} from './figures';

const OUTCOMES: Record<DrillRecord['verdict']['outcome'], Tone> = {
  ...{ pass: 'good', fail: 'bad', invalid: 'unsure' },
};

export const drillVerdict = ({ verdict: { outcome, sentence } }: DrillRecord): ShownVerdict => ({
  ...{ tone: OUTCOMES[outcome], word: outcome.toUpperCase(), sentence },
});

/** The report of one drill; without its run it has no plots. */
export function drillDocument(
  record: DrillRecord,
  parts: DrillParts | null = null,
): ReportDocument {
  const { verdict, fault } = record;
  const ledger = ledgerTable(record);
  const promises = promiseTable(record);
  const takes = parts === null ? [] : drillTakes(parts.run.record);
  const { picture, rest } = firstOf(parts === null ? [] : drillCharts(record, parts), 'ledger');
  return {
    title: `Drill ${fault.name}: ${fault.title}`,
    subtitle: subtitle(record),
    verdict: drillVerdict(record),
    summary: [...mainFigures(record), ...takes],
    urgent: [section('What to change', list(drillAdvice(record)))],
    doubts: verdict.doubts,
    picture,
    figures: [...drillFigureRows(record), ledgerFigure(record), ...takes],
    sections: [
      section(
        'The ledger',
        table(ledger.head, ledger.rows),
        paragraph(
          'Every request with its class and what each source says of it is in ledger.csv beside this file.',
        ),
      ),
      section('Ids', list(namedIds(record))),
      { ...section('What was promised', table(promises.head, promises.rows)), isInTerminal: true },
      section(
        'What was done',
        list(fault.done.map(({ tMs, text }) => `${duration(tMs)}: ${text}`)),
      ),
      section(
        'Over time',
        plots(rest),
        paragraph(
          'The run under the fault and the control have reports of their own, in the folder runs/ beside this file.',
        ),
      ),
    ],
    howToRepeat: [repeatCommand(record.command)],
    conditions: conditionsOf(record),
  };
}
