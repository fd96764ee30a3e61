import type { DrillRecord } from '../record';
import { duration } from '../../../ui/numbers';
import { conditionsOf, ranOn, subtitle } from '../../../report/conditions';
import {
  firstOf,
  list,
  paragraph,
  plots,
  section,
  table,
  type Block,
  type ReportDocument,
  type ShownVerdict,
  type Tone,
} from '../../../report/document';
import { repeatCommand } from '../../../report/text/units';
import { drillCharts, type DrillParts } from './charts';
import {
  drillFigureRows,
  drillTakes,
  howSure,
  ledgerFigure,
  ledgerTable,
  mainFigures,
  namedIds,
  promiseTable,
  responseTable,
} from './figures';
import type { LedgerClass } from '../analysis/ledger-class';

const OUTCOMES: Record<DrillRecord['verdict']['outcome'], Tone> = {
  ...{ pass: 'good', fail: 'bad', invalid: 'unsure' },
};

export const drillVerdict = ({ verdict: { outcome, sentence } }: DrillRecord): ShownVerdict => ({
  ...{ tone: OUTCOMES[outcome], word: outcome.toUpperCase(), sentence },
});

/** The report of one drill; without its run it has only the plot of the ledger. */
export function drillDocument(
  record: DrillRecord,
  parts: DrillParts | null = null,
): ReportDocument {
  const { verdict, fault } = record;
  const advice = drillAdvice(record);
  const ledger = ledgerTable(record);
  const responses = responseTable(record);
  const promises = promiseTable(record);
  const takes = parts === null ? [] : drillTakes(parts.run.record);
  /** What is kept of a drill without its run is the record alone. */
  const besideIt = (text: string): Block[] => (parts === null ? [] : [paragraph(text)]);
  const { pictures, rest } = firstOf(drillCharts(record, parts), 'ledger');
  return {
    title: `Drill ${fault.name}: ${fault.title}`,
    subtitle: subtitle(record),
    ranOn: ranOn(record),
    verdict: drillVerdict(record),
    summary: [...mainFigures(record), ...takes],
    urgent: [
      {
        ...section('What to change', list(advice)),
        isInTerminal: verdict.outcome === 'fail' && advice.length > 0,
      },
    ],
    pictures,
    howSure: howSure(record),
    doubts: verdict.doubts,
    figures: [...drillFigureRows(record), ledgerFigure(record), ...takes],
    sections: [
      section(
        'The ledger',
        table(ledger.head, ledger.rows),
        ...besideIt(
          'ledger.csv, next to this file, lists every request with its class and what each source reports about it.',
        ),
      ),
      ...(responses.rows.length === 0
        ? []
        : [section('Work done, by response', table(responses.head, responses.rows))]),
      section('Ids', list(namedIds(record))),
      { ...section('What was promised', table(promises.head, promises.rows)), isInTerminal: true },
      section(
        'What was done',
        list(fault.done.map(({ tMs, text }) => `${duration(tMs)}: ${text}`)),
      ),
      section(
        'Over time',
        plots(rest),
        ...besideIt(
          'The run under the fault and the control have their own reports, in the folder runs/ next to this file.',
        ),
      ),
    ],
    howToRepeat: [repeatCommand(record.command)],
    conditions: conditionsOf(record),
  };
}

/** What to do about requests that a fault has cost, by the class in which they ended. */
const ADVICE: Partial<Record<LedgerClass, string>> = {
  lost: 'Rerun lost executions of workflows that are safe to run twice, with n8n-tuned recover or recovery.enabled in the chart.',
  failed:
    'Set Retry On Fail in nodes that call a service, and set an error workflow: n8n shows these executions with the error of the node, but does not retry them.',
  'not-executed':
    'Let the workflow respond when it is done (Respond: When Last Node Finishes), and let callers check the response. If a worker loses a job as the job ends, n8n responds with status 200 and "the last node did not return any data".',
  repeated:
    'Include the request id in every change that the workflow makes outside n8n, so that a second execution changes nothing.',
  'error-but-done':
    'Let callers retry with the same id, and let the workflow check this id: n8n did the work although the caller got an error.',
  'no-response':
    'Let callers retry with the same id, and let the workflow check this id: the work was done, but the caller got no response.',
  refused: 'Let callers retry: n8n did not start refused requests.',
  unknown: 'Let callers retry with the same id: nothing is known about these requests.',
};

const IN_THE_DATABASE =
  'Store schedules in the database (executions.durableSchedules in the chart, n8n 2.41 or newer), so that n8n catches up on missed runs if main is back within N8N_SCHEDULER_MISFIRE_GRACE (60 s).';

const drillAdvice = ({ ledger, schedule }: Pick<DrillRecord, 'ledger' | 'schedule'>): string[] => [
  ...Object.entries(ADVICE)
    .filter(([name]) => ledger.classes[name as LedgerClass].requests > 0)
    .map(([, advice]) => advice),
  ...((schedule?.never.times ?? 0) > 0 ? [IN_THE_DATABASE] : []),
];
