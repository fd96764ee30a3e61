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
} from '../../../report/document';
import { repeatCommand } from '../../../report/text/units';
import type { Tone } from '../../../report/tone';
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
  const ledger = ledgerTable(record);
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
    urgent: [section('What to change', list(drillAdvice(record)))],
    pictures,
    howSure: howSure(record),
    doubts: verdict.doubts,
    figures: [...drillFigureRows(record), ledgerFigure(record), ...takes],
    sections: [
      section(
        'The ledger',
        table(ledger.head, ledger.rows),
        ...besideIt(
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
        ...besideIt(
          'The run under the fault and the control have reports of their own, in the folder runs/ beside this file.',
        ),
      ),
    ],
    howToRepeat: [repeatCommand(record.command)],
    conditions: conditionsOf(record),
  };
}

/** What to do about requests that a fault has cost, by the class in which they ended. */
const ADVICE: Partial<Record<LedgerClass, string>> = {
  lost: 'Run what was accepted and lost again: n8n-tuned recover, or recovery.enabled of the chart, for workflows that may run twice.',
  failed:
    'Let nodes that call a service try again (Retry On Fail), and give the workflow an error workflow: n8n lists these executions with the error of their node, and retries none.',
  'not-executed':
    'Let the workflow respond when it is done (Respond: When Last Node Finishes), and let callers read the response: status 200 alone, with "the last node did not return any data", is also what n8n answers for a job that a worker lost as it ended.',
  repeated:
    'Let what the workflow changes outside n8n carry the id of its request, so that a second execution changes nothing.',
  'error-but-done':
    'Let callers that try again send the same id, and let the workflow check it: n8n did the work although its caller got an error.',
  'no-response':
    'Let callers that try again send the same id, and let the workflow check it: the work was done, but its caller got no response.',
  refused: 'Let callers try again: what was refused was not begun.',
  unknown: 'Let callers try again with the same id: nothing is known of these requests.',
};

const IN_THE_DATABASE =
  'Keep schedules in the database (executions.durableSchedules of the chart, n8n 2.41 or newer), so that what was due while no main ran is executed when one is back within N8N_SCHEDULER_MISFIRE_GRACE (60 s).';

const drillAdvice = ({ ledger, schedule }: Pick<DrillRecord, 'ledger' | 'schedule'>): string[] => [
  ...Object.entries(ADVICE)
    .filter(([name]) => ledger.classes[name as LedgerClass].requests > 0)
    .map(([, advice]) => advice),
  ...((schedule?.never.times ?? 0) > 0 ? [IN_THE_DATABASE] : []),
];
