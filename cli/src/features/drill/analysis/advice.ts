/** What to do about requests that a fault has cost, by the class in which they ended. */
import type { LedgerClass } from './ledger-class';
import type { DrillRecord } from '../record';

const ADVICE: Partial<Record<LedgerClass, string>> = {
  lost: 'Run what was accepted and lost again: n8n-tuned recover, or recovery.enabled of the chart, for workflows that may run twice.',
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

export const drillAdvice = ({
  ledger,
  schedule,
}: Pick<DrillRecord, 'ledger' | 'schedule'>): string[] => [
  ...Object.entries(ADVICE)
    .filter(([name]) => ledger.classes[name as LedgerClass].requests > 0)
    .map(([, advice]) => advice),
  ...((schedule?.never.times ?? 0) > 0 ? [IN_THE_DATABASE] : []),
];
