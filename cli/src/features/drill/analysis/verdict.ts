/** Whether the promises were kept in a drill, and whether the drill says anything at all. */
import { holds } from '../../../../../loadtests/lib/condition';
import { LEDGER_WORDS, LOSSES, type LedgerClass } from './ledger-class';
import {
  DONE_TWICE,
  type DrillPromise,
  type DueCount,
  type ErrorCount,
  type PromiseMetric,
} from './promise';
import {
  CUSTOM,
  isCombined,
  type DrillControl,
  type DrillFault,
  type DrillFigures,
  type DrillLedger,
  type DrillRecovery,
  type DrillSchedule,
  type DrillVerdict,
  type Victim,
} from '../record';
import type { RunRecord } from '../../../record/run-record';
import { textOf } from '../../../record/summary';
import { boundAfterNone } from './ledger-summary';
import { counted, formatNumber } from '../../../ui/numbers';

/** Requests that may still be lost, or be lost already: with them, nothing bounds how many are. */
export const notKnown = ({ classes }: Pick<DrillLedger, 'classes'>): number =>
  classes.running.requests + classes.unknown.requests;

export interface DrillFacts {
  fault: DrillFault;
  /** The run under the fault. */
  run: Pick<RunRecord, 'summary' | 'verdict'>;
  /** The SLO that the steady phase missed, with what was measured; null: none. */
  steadyMissed: string | null;
  /** Requests by which the steady phase was judged. */
  steadyRequests: number;
  /** Why the fault could not be made; null: it was. */
  faultFailed: string | null;
  /** By whom the drill was stopped after its load, while it waited for n8n; null: by nobody. */
  stopped: string | null;
  /** The fault had ended when the load did, and its end is part of what was seen. */
  isOver: boolean;
  ledger: DrillLedger;
  /** Ids that nobody sent, and yet a source has. */
  unexpected: readonly string[];
  figures: DrillFigures | null;
  /** A request was open while the fault was made. */
  isAnythingAtRisk: boolean;
  /** Null: there was none. */
  schedule: DrillSchedule | null;
  /** What recovery did beside it; left out: none ran. */
  recovery?: DrillRecovery | null;
  control: DrillControl | null;
  promises: readonly DrillPromise[];
}

export function drillVerdict(facts: DrillFacts): DrillVerdict {
  const promises = facts.promises.map((promise) => judged(promise, facts));
  const isUnknown = ({ promise }: Judged): boolean =>
    promise.metric === 'recover' && facts.figures?.isRecoveryUnknown === true;
  const broken = promises.filter((one) => !one.kept && !isUnknown(one));
  // What is broken already stays so, whatever else would have come.
  const invalid = [
    ...invalidities(facts),
    ...(facts.isOver || facts.faultFailed !== null || broken.length > 0 ? [] : [NOT_OVER]),
    ...(broken.length > 0 ? [] : untold(facts)),
  ];
  const outcome = invalid.length > 0 ? 'invalid' : broken.length > 0 ? 'fail' : 'pass';
  const what = whatOf(facts.fault);
  const sentence =
    outcome === 'invalid'
      ? `The drill is invalid: ${invalid.join('; ')}.`
      : outcome === 'fail'
        ? `After ${what}, ${broken.map(({ promise, measured }) => `the promise ${promise.text} was broken: ${measured}`).join('; ')}.`
        : `After ${what}, every promise was kept: ${
            firstOf(promises)
              .map(({ measured }) => measured)
              .join('; ') || 'no promise was made'
          }.`;
  return { outcome, sentence, promises, invalid, doubts: doubtsOf(facts) };
}

/** What decides of those that were kept: what was lost, what callers saw and when the SLO was met again. */
const FIRST: readonly PromiseMetric[] = ['lost', DONE_TWICE, 'due-never', 'errors', 'recover'];

/** The others stand below the sentence, with what was measured. */
function firstOf(promises: readonly Judged[]): readonly Judged[] {
  const first = promises.filter(({ promise }) => FIRST.includes(promise.metric));
  return first.length === 0 ? promises : first;
}

/** One that was repeated, or is made of several, may have hit another instance each time. */
function whatOf({ name, title, done, everySeconds }: DrillFault): string {
  if (isCombined(name)) return title;
  if (everySeconds !== undefined) return `${title} every ${formatNumber(everySeconds)} s`;
  return done[0]?.text ?? title;
}

const NOT_OVER = 'the load ended before the fault did: use a longer --for or --after';

/** That a promise was kept says nothing where nobody knows, or where nothing could have broken it. */
function untold(facts: DrillFacts): string[] {
  const { promises, ledger, figures, isAnythingAtRisk } = facts;
  const { classes, nameless, withoutExecutions } = ledger;
  const asks = (...metrics: PromiseMetric[]): boolean =>
    promises.some(({ metric }) => metrics.includes(metric));
  const unknown = classes.unknown.requests;
  const isNoneMet = figures?.availability?.during.requests === 0;
  return [
    // Any outcome may be theirs, so no count of requests is known, and none of the promises about them.
    ...(unknown > 0
      ? [
          `it is unknown whether n8n lost ${counted(unknown, 'request')}, because n8n's executions could not be read (${withoutExecutions ?? 'no attempt was made'})`,
        ]
      : []),
    ...(asks('lost') && nameless > 0
      ? [
          `${counted(nameless, 'failed execution')} no longer ${nameless === 1 ? 'has' : 'have'} a request id, so any of them may belong to a lost request`,
        ]
      : []),
    // n8n's own successes show what n8n stored, not how often a worker did the work.
    ...(asks(DONE_TWICE) && (ledger.sources.effects === null || ledger.workByResponse === undefined)
      ? [
          'no service outside n8n counts how often work was done: use the side-effect workload, or set a --promise without done-twice',
        ]
      : []),
    ...(figures?.isRecoveryUnknown === true
      ? [
          'too few requests were due after the fault to tell whether the SLO was met again: use a longer --after or a higher --rate',
        ]
      : []),
    ...(facts.faultFailed === null ? missedBy(facts.fault) : []),
    ...((isAnythingAtRisk && !(asks('errors-during') && isNoneMet)) || facts.faultFailed !== null
      ? []
      : [
          'no request was open during the fault, so nothing was at risk: use a higher --rate, a workload that takes longer, or --every',
        ]),
  ];
}

/** Nothing of the load was at risk on a victim: it ran nothing, took no request, or its links carried nothing. */
export const isSpared = ({ executions, requests, connections, bytes }: Victim): boolean =>
  executions === 0 || requests === 0 || (connections === 0 && bytes === 0);

/** Why a fault of which each victim was idle has shown nothing. */
function missedBy({ victims = [] }: DrillFault): string[] {
  if (victims.length === 0 || !victims.every(isSpared)) return [];
  const [ran, took, carried] = [
    namesOf(victims.filter(({ executions }) => executions === 0)),
    namesOf(victims.filter(({ requests }) => requests === 0)),
    namesOf(victims.filter(({ executions, requests }) => executions !== 0 && requests !== 0)),
  ];
  const shown = [
    ...(ran === '' ? [] : [`${ran} ran no execution when the fault occurred`]),
    ...(took === '' ? [] : [`${took} took none of the requests`]),
    ...(carried === '' ? [] : [`nothing passed between n8n and ${carried} during the fault`]),
  ];
  return [
    `${shown.join(', and ')}, so nothing was at risk: ${took === '' ? '' : 'to drill main, remove --webhooks; otherwise, '}use a higher --rate, a workload that takes longer, or --every`,
  ];
}

const namesOf = (victims: readonly Victim[]): string =>
  [...new Set(victims.map(({ name }) => name))].join(', ');

function invalidities(facts: DrillFacts): string[] {
  const { run, ledger, control, schedule } = facts;
  const { saturated, faults } = run.summary.generator;
  return [
    ...(facts.faultFailed === null
      ? []
      : [`the fault could not be injected (${facts.faultFailed})`]),
    ...(run.verdict.outcome === 'aborted' ? [run.verdict.sentence.replace(/\.$/, '')] : []),
    ...(facts.stopped === null || run.verdict.outcome === 'aborted'
      ? []
      : [`the drill was ${facts.stopped} before n8n had finished the accepted requests`]),
    ...(saturated ? [`the load generator was the limit (${faults.map(textOf).join('; ')})`] : []),
    ...(facts.steadyRequests === 0
      ? ['no request ended before the fault: use a longer --steady']
      : []),
    ...(facts.steadyMissed === null
      ? []
      : [`the SLO was missed before the fault (${facts.steadyMissed})`]),
    ...(control?.missed == null
      ? []
      : [`the control without the fault missed the SLO (${control.missed})`]),
    ...(schedule !== null && schedule.never.times === schedule.due
      ? ['according to the service outside n8n, no scheduled run took place']
      : []),
    ...(ledger.sources.executions === null && ledger.sources.effects === null
      ? [`only the callers' data is available (${ledger.withoutExecutions ?? 'no source'})`]
      : []),
    ...(facts.unexpected.length === 0
      ? []
      : [
          `the ledger does not add up: a source has requests that the drill did not send (${facts.unexpected.slice(0, 5).join(', ')})`,
        ]),
  ];
}

function doubtsOf({
  fault,
  ledger,
  control,
  isOver,
  faultFailed,
  recovery = null,
}: DrillFacts): string[] {
  const { victims = [] } = fault;
  const { sources, withoutExecutions } = ledger;
  const off = control === null ? 0 : control.sent - control.classes.once.requests;
  const due = control?.schedule;
  const dueOff = due === undefined ? 0 : due.due - due.once;
  return [
    ...(sources.effects === null
      ? [
          'No service outside n8n counts the work of this workload, so the drill cannot detect work that ran twice, or that n8n marked as crashed although it was done. The side-effect workload calls such a service.',
        ]
      : []),
    ...(withoutExecutions === null
      ? []
      : [`The ledger was made without n8n's own executions: ${withoutExecutions}.`]),
    ...(control === null
      ? ['There was no control, so these results may also occur without the fault.']
      : []),
    ...(victims.some(({ executions }) => executions === null)
      ? ['The metrics of n8n do not show how many executions the victim of the fault was running.']
      : []),
    ...(victims.some(({ requests }) => requests === null)
      ? ['The metrics of n8n do not show how many requests the victim of the fault took.']
      : []),
    ...(fault.name === CUSTOM
      ? ['The drill did not measure whether the commands of this fault had an effect on n8n.']
      : []),
    ...(recovery !== null && retriesOf(recovery) === 0
      ? ['Recovery retried nothing, so the drill does not show what a retry repeats.']
      : []),
    ...(isOver || faultFailed !== null
      ? []
      : ['The load ended before the fault did: more requests may have been lost afterwards.']),
    ...(off === 0
      ? []
      : [
          `In the control, ${counted(off, 'request')} ${off === 1 ? 'was' : 'were'} not answered and executed exactly once.`,
        ]),
    ...(dueOff === 0
      ? []
      : [
          `In the control, ${counted(dueOff, 'scheduled run')} ${dueOff === 1 ? 'was' : 'were'} not executed exactly once.`,
        ]),
  ];
}

const retriesOf = ({ attempts }: DrillRecovery): number =>
  Object.values(attempts).reduce((sum, count) => sum + count, 0);

type Judged = DrillVerdict['promises'][number];

function judged(promise: DrillPromise, facts: DrillFacts): Judged {
  const { ledger, figures, schedule } = facts;
  const { metric } = promise;
  if (metric === DONE_TWICE) return judgedTwice(promise, facts);
  if (metric === 'due-never' || metric === 'due-repeated') {
    return judgedDue(promise, metric, schedule);
  }
  if (metric === 'detect' || metric === 'drain' || metric === 'recover') {
    return timed(promise, figures);
  }
  if (metric === 'errors-during' || metric === 'errors-outside') {
    return judgedErrors(promise, metric, figures);
  }
  const count =
    metric === 'errors'
      ? (figures?.errors?.requests ?? 0)
      : metric === 'lost'
        ? ledger.lost
        : ledger.classes[metric].requests;
  // A class has all requests: n8n may repeat one that was answered before the fault.
  const among = metric === 'errors' || metric === 'lost' ? ledger.exposed : ledger.sent;
  const share = among === 0 ? 0 : count / among;
  const kept = holds(promise.unit === 'share' ? share : count, promise);
  const were = count === 1 ? 'was' : 'were';
  const bound = metric !== 'lost' ? '' : count === 0 ? openText(ledger) : errorsOf(ledger);
  const shown = count === 0 ? 'none' : String(count);
  return {
    promise,
    kept,
    measured: `${shown} of ${counted(among, 'request')} ${were} ${titleOf(metric, ledger)}${bound}`,
  };
}

/** `lost` promises about all that was accepted and not done, which is more than one class. */
function titleOf(metric: 'errors' | LedgerClass, { classes, lost }: DrillLedger): string {
  if (metric === 'errors') return 'not answered as expected';
  if (metric !== 'lost') return LEDGER_WORDS[metric].title;
  if (lost === 0) return 'lost';
  return LOSSES.filter((name) => classes[name].requests > 0)
    .map((name) => LEDGER_WORDS[name].title)
    .join(', or ');
}

function openText(ledger: DrillLedger): string {
  const open = notKnown(ledger);
  return open > 0 ? `, and the outcome of ${String(open)} is unknown` : '';
}

/**
 * What a drill that lost nothing rules out about such faults, with 95% confidence: the share of them that lose work, and the
 * share of exposed requests that are lost if those lose all that is in flight on their victims, null where that is unknown.
 * Requests of one fault are lost together, so the number of faults bounds how many of them lose work, however many requests
 * there were. Null where the drill lost something, or may have.
 */
export function boundsOfNone({
  ledger,
  fault,
  figures,
}: Pick<DrillFacts, 'ledger' | 'fault' | 'figures'>): {
  faults: number;
  requests: number | null;
} | null {
  if (figures === null || ledger.lost > 0 || notKnown(ledger) > 0) return null;
  const { inFlight, exposed } = ledger;
  // One whose victim was idle could have lost none.
  const faults = boundAfterNone(faultsAtRisk(fault));
  const isKnown = inFlight !== undefined && inFlight.executions > 0 && exposed > 0;
  return {
    faults,
    requests: isKnown ? Math.min(1, (faults * inFlight.executions) / exposed) : null,
  };
}

/** How often the fault was made where something was at risk. */
export function faultsAtRisk({
  done,
  everySeconds,
  turns,
  victims = [],
}: Pick<DrillFault, 'done' | 'everySeconds' | 'turns' | 'victims'>): number {
  const made = everySeconds === undefined ? 1 : (turns ?? done).length;
  return made - Math.min(made, victims.filter(isSpared).length);
}

function errorsOf({ classes, lostWithError }: DrillLedger): string {
  const { requests } = classes.lost;
  if (lostWithError === null || requests === 0) return '';
  if (lostWithError === requests) return '; every caller got an error';
  return `; ${formatNumber(requests - lostWithError)} of the callers got no error`;
}

/** Counts all requests, as any of them may be retried. */
function judgedTwice(promise: DrillPromise, { ledger, recovery = null }: DrillFacts): Judged {
  const { sent, workByResponse } = ledger;
  if (workByResponse === undefined) {
    return { promise, kept: true, measured: 'it is unknown how often work was done' };
  }
  const count = Object.values(workByResponse.more).reduce((sum, one) => sum + one, 0);
  const retries =
    recovery === null
      ? ''
      : `, with ${counted(retriesOf(recovery), 'retry', 'retries')} by recovery`;
  return {
    promise,
    kept: holds(promise.unit === 'share' ? count / Math.max(1, sent) : count, promise),
    measured: `the work of ${count === 0 ? 'none' : String(count)} of ${counted(sent, 'request')} was done more than once${retries}`,
  };
}

/** Without figures the fault was not made, and the drill is invalid. */
function judgedErrors(
  promise: DrillPromise,
  metric: ErrorCount,
  figures: DrillFigures | null,
): Judged {
  const isDuring = metric === 'errors-during';
  const seen = figures?.availability?.[isDuring ? 'during' : 'outside'];
  const { requests, answered } = seen ?? { requests: 0, answered: 0 };
  const count = requests - answered;
  const share = requests === 0 ? 0 : count / requests;
  const which = isDuring ? 'open during the fault' : 'outside the fault';
  return {
    promise,
    kept: holds(promise.unit === 'share' ? share : count, promise),
    measured: `${count === 0 ? 'none' : String(count)} of ${counted(requests, 'request')} ${which} ${count === 1 ? 'was' : 'were'} not answered as expected`,
  };
}

function judgedDue(
  promise: DrillPromise,
  metric: DueCount,
  schedule: DrillSchedule | null,
): Judged {
  if (schedule === null) return { promise, kept: true, measured: 'there is no schedule' };
  const { times } = metric === 'due-never' ? schedule.never : schedule.repeated;
  const share = schedule.due === 0 ? 0 : times / schedule.due;
  const executed = metric === 'due-never' ? 'skipped' : 'executed more than once';
  const shown = times === 0 ? 'none' : String(times);
  return {
    promise,
    kept: holds(promise.unit === 'share' ? share : times, promise),
    measured: `${shown} of ${counted(schedule.due, 'scheduled run')} ${times === 1 ? 'was' : 'were'} ${executed}`,
  };
}

function timed(promise: DrillPromise, figures: DrillFigures | null): Judged {
  const { metric } = promise;
  if (metric === 'detect') {
    const seconds = figures?.detectSeconds ?? null;
    // Nothing to be noticed.
    if (seconds === null) return { promise, kept: true, measured: 'no caller had an error' };
    return within(promise, seconds, 'the first caller had an error after');
  }
  if (metric === 'drain') {
    if (figures?.backlog == null) return { promise, kept: true, measured: 'there is no queue' };
    const { drainSeconds } = figures.backlog;
    if (drainSeconds === null) {
      return { promise, kept: false, measured: 'the backlog was not cleared during the drill' };
    }
    return within(promise, drainSeconds, 'the backlog was cleared after');
  }
  const seconds = figures?.recoverSeconds ?? null;
  if (figures?.isRecoveryUnknown === true) {
    return { promise, kept: false, measured: 'it is unknown when the SLO was met again' };
  }
  if (seconds === null) {
    return { promise, kept: false, measured: 'the SLO was not met again during the drill' };
  }
  if (seconds === 0) {
    return {
      promise,
      kept: holds(0, promise),
      measured: 'requests due after the fault met the SLO',
    };
  }
  return within(promise, seconds, 'the SLO was met again after');
}

const within = (promise: DrillPromise, seconds: number, words: string): Judged => ({
  promise,
  kept: holds(seconds, promise),
  measured: `${words} ${formatNumber(seconds)} s`,
});
