/** Whether the promises were kept in a drill, and whether the drill says anything at all. */
import { holds } from '../../../../../loadtests/lib/condition';
import { LEDGER_WORDS, LOSSES, type LedgerClass } from './ledger-class';
import {
  AT_ONCE,
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
import { counted, formatNumber } from '../../../ui/numbers';

/** Requests that may still be lost, or be lost already: with them, nothing bounds how many are. */
export const notKnown = ({ classes }: Pick<DrillLedger, 'classes'>): number =>
  classes.running.requests + classes.unknown.requests;

export interface DrillFacts {
  fault: DrillFault;
  /** The run under the fault. */
  run: {
    summary: { generator: Pick<RunRecord['summary']['generator'], 'saturated' | 'faults'> };
    verdict: Pick<RunRecord['verdict'], 'outcome' | 'sentence'>;
  };
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
  const broken = promises.filter(({ kept }) => kept === false);
  // What is broken already stays so, whatever else would have come.
  const invalid = [
    ...invalidities(facts),
    ...(facts.isOver || facts.faultFailed !== null || broken.length > 0 ? [] : [NOT_OVER]),
    ...(broken.length > 0 ? [] : untold(facts)),
    ...(broken.length > 0 || facts.faultFailed !== null ? [] : notJudged(promises)),
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
          }${isUnproven(facts.fault) ? '; nothing proves that the fault had an effect' : ''}.`;
  return { outcome, sentence, promises, invalid, doubts: doubtsOf(facts) };
}

/** What the user's commands do is not measured, unless another one tells. */
const isUnproven = ({ name, isProven: hasProof }: DrillFault): boolean =>
  name === CUSTOM && hasProof !== true;

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

/** Promises that nobody can judge, each with the reason. */
const notJudged = (promises: readonly Judged[]): string[] =>
  promises
    .filter(({ kept }) => kept === null)
    .map(({ promise, measured }) => `the promise ${promise.text} cannot be judged: ${measured}`);

/** That a promise was kept says nothing where nobody knows, or where nothing could have broken it. */
function untold(facts: DrillFacts): string[] {
  const { promises, ledger, figures, isAnythingAtRisk } = facts;
  const asks = (metric: PromiseMetric): boolean => promises.some((one) => one.metric === metric);
  const isNoneMet = figures?.availability?.during.requests === 0;
  const unknown = ledger.classes.unknown.requests;
  return [
    // Any outcome may be theirs, so no count of requests is known, and none of the promises about them.
    ...(unknown > 0 && !asks('lost') ? [unknownText(ledger)] : []),
    ...(figures?.isRecoveryUnknown === true && !asks('recover') ? [TOO_FEW_AFTER] : []),
    ...(facts.faultFailed === null ? missedBy(facts.fault) : []),
    ...((isAnythingAtRisk && !(asks('errors-during') && isNoneMet)) || facts.faultFailed !== null
      ? []
      : [
          'no request was open during the fault, so nothing was at risk: use a higher --rate, a workload that takes longer, or --every',
        ]),
  ];
}

const TOO_FEW_AFTER =
  'too few requests were due after the fault to tell whether the SLO was met again: use a longer --after or a higher --rate';

const unknownText = ({ classes: { unknown }, withoutExecutions }: DrillLedger): string =>
  `it is unknown whether n8n lost ${counted(unknown.requests, 'request')}, because n8n's executions could not be read (${withoutExecutions ?? 'no attempt was made'})`;

/** Nothing of the load was at risk on a victim: it ran nothing, took no request, or its links carried nothing. */
export const isSpared = (victim: Victim): boolean =>
  victim.executions === 0 || requestsOn(victim) === 0 || hadNoTraffic(victim);

const hadNoTraffic = ({ connections, bytes }: Victim): boolean => connections === 0 && bytes === 0;

/** What was open on it when the fault came; drills until 2026-12-01 recorded what it had answered since it started. */
const requestsOn = ({ open, requests }: Victim): number | null | undefined =>
  open === undefined ? requests : open;

/** Whether something shows that a victim had anything of the load at risk: what does not tell, proves nothing. */
export const isProven = (victim: Victim): boolean =>
  !isSpared(victim) && victim.executions !== null && requestsOn(victim) !== null;

/** Why a fault has shown nothing of which no victim is known to have been busy. */
function missedBy({ victims = [] }: DrillFault): string[] {
  if (victims.length === 0 || victims.some(isProven)) return [];
  const silent = namesOf(victims.filter((victim) => !isSpared(victim)));
  if (silent !== '') {
    return [
      `the metrics of n8n do not show whether ${silent} was at work when the fault occurred, so it is unknown whether anything was at risk`,
    ];
  }
  const [ran, took, carried] = [
    namesOf(victims.filter(({ executions }) => executions === 0)),
    namesOf(victims.filter((victim) => requestsOn(victim) === 0)),
    namesOf(victims.filter((one) => one.executions !== 0 && requestsOn(one) !== 0)),
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
    ...(isUnproven(fault)
      ? [
          'The drill did not measure whether the commands of this fault had an effect on n8n: set --proof.',
        ]
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
  if (metric === AT_ONCE) return judgedAtOnce(promise, ledger);
  if (metric === 'due-never' || metric === 'due-repeated') {
    return judgedDue(promise, metric, schedule);
  }
  if (metric === 'detect' || metric === 'drain' || metric === 'recover') {
    return timed(promise, figures);
  }
  if (metric === 'errors-during' || metric === 'errors-outside') {
    return judgedErrors(promise, metric, figures);
  }
  if (metric === 'errors' && figures === null) {
    return { promise, kept: null, measured: 'the fault was not injected' };
  }
  const count =
    metric === 'errors'
      ? (figures?.errors?.requests ?? 0)
      : metric === 'lost'
        ? ledger.lost
        : ledger.classes[metric].requests;
  // A class has all requests: n8n may repeat one that was answered before the fault.
  const among = metric === 'errors' || metric === 'lost' ? ledger.exposed : ledger.sent;
  const were = count === 1 ? 'was' : 'were';
  const doubted = metric === 'errors' ? { more: 0, reasons: [] } : alsoIn(metric, ledger);
  const shown = count === 0 ? 'none' : String(count);
  const told = metric === 'lost' ? errorsOf(ledger) : '';
  const reasons = doubted.reasons.map((reason) => `, and ${reason}`).join('');
  return {
    promise,
    kept: keptBetween(promise, { low: count, high: count + doubted.more, among }),
    measured: `${shown} of ${counted(among, 'request')} ${were} ${titleOf(metric, ledger)}${told}${reasons}`,
  };
}

/** Null where the count decides of it, and is not known: it is anything from `low` to `high`. */
function keptBetween(
  promise: DrillPromise,
  { low, high, among }: { low: number; high: number; among: number },
): boolean | null {
  const isKept = (count: number): boolean =>
    holds(promise.unit === 'share' ? count / Math.max(1, among) : count, promise);
  if (low === high) return isKept(low);
  const counts = Array.from({ length: high - low + 1 }, (_, index) => low + index);
  const kept = counts.filter(isKept).length;
  return kept === 0 ? false : kept === counts.length ? true : null;
}

/** How many requests more may be in what a promise counts, with the reasons. */
function alsoIn(metric: 'lost' | LedgerClass, ledger: DrillLedger): Doubted {
  const { classes, nameless, sources, sent } = ledger;
  const unknown = classes.unknown.requests;
  const reasons = unknown > 0 ? [unknownText(ledger)] : [];
  if (metric === 'repeated' && sources.effects === null) {
    return { more: sent, reasons: [...reasons, NOT_COUNTED(metric)] };
  }
  if (metric !== 'lost') return { more: metric === 'unknown' ? 0 : unknown, reasons };
  const running = classes.running.requests;
  if (running > 0) {
    // n8n had the time of the drain for them, and nothing shows that a worker is still at them.
    reasons.push(
      `${counted(running, 'request')} ${running === 1 ? 'was' : 'were'} still running at the end, so any of them may be lost`,
    );
  }
  if (nameless > 0) {
    reasons.push(
      `${counted(nameless, 'failed execution')} no longer ${nameless === 1 ? 'has' : 'have'} a request id, so any of them may belong to a lost request`,
    );
  }
  return { more: unknown + running + nameless, reasons };
}

interface Doubted {
  more: number;
  reasons: string[];
}

/** n8n's own successes show what n8n stored, not how often a worker did the work. */
const NOT_COUNTED = (metric: string): string =>
  `no service outside n8n counts how often work was done: use the side-effect workload, or set a --promise without ${metric}`;

/** `lost` promises about all that was accepted and not done, which is more than one class. */
function titleOf(metric: 'errors' | LedgerClass, { classes, lost }: DrillLedger): string {
  if (metric === 'errors') return 'not answered as expected';
  if (metric !== 'lost') return LEDGER_WORDS[metric].title;
  if (lost === 0) return 'lost';
  return LOSSES.filter((name) => classes[name].requests > 0)
    .map((name) => LEDGER_WORDS[name].title)
    .join(', or ');
}

function errorsOf({ classes, lostWithError }: DrillLedger): string {
  const { requests } = classes.lost;
  if (lostWithError === null || requests === 0) return '';
  if (lostWithError === requests) return '; every caller got an error';
  return `; ${formatNumber(requests - lostWithError)} of the callers got no error`;
}

/** Counts all requests, as any of them may be retried. */
function judgedTwice(promise: DrillPromise, { ledger, recovery = null }: DrillFacts): Judged {
  const { sent, sources, workByResponse, unfinishedTwins = 0 } = ledger;
  if (workByResponse === undefined || sources.effects === null) {
    return { promise, kept: null, measured: NOT_COUNTED(DONE_TWICE) };
  }
  const count = Object.values(workByResponse.more).reduce((sum, one) => sum + one, 0);
  const retries =
    recovery === null
      ? ''
      : `, with ${counted(retriesOf(recovery), 'retry', 'retries')} by recovery`;
  const twins =
    unfinishedTwins === 0
      ? ''
      : `, and of ${String(unfinishedTwins)} that ${unfinishedTwins === 1 ? 'was' : 'were'} done once, a second execution has not ended`;
  return {
    promise,
    kept: keptBetween(promise, { low: count, high: count + unfinishedTwins, among: sent }),
    measured: `the work of ${count === 0 ? 'none' : String(count)} of ${counted(sent, 'request')} was done more than once${retries}${twins}`,
  };
}

function judgedAtOnce(promise: DrillPromise, { sent, sources, atOnce }: DrillLedger): Judged {
  if (atOnce === undefined || sources.effects === null) {
    return { promise, kept: null, measured: NOT_COUNTED(AT_ONCE) };
  }
  const { requests, unknown } = atOnce;
  const also =
    unknown === 0
      ? ''
      : `, and ${String(unknown)} that ${unknown === 1 ? 'was' : 'were'} begun again may have`;
  return {
    promise,
    kept: keptBetween(promise, { low: requests, high: requests + unknown, among: sent }),
    measured: `the work of ${requests === 0 ? 'none' : String(requests)} of ${counted(sent, 'request')} ran twice at the same time${also}`,
  };
}

function judgedErrors(
  promise: DrillPromise,
  metric: ErrorCount,
  figures: DrillFigures | null,
): Judged {
  const isDuring = metric === 'errors-during';
  const seen = figures?.availability?.[isDuring ? 'during' : 'outside'];
  const which = isDuring ? 'open during the fault' : 'outside the fault';
  if (seen === undefined || seen.requests === 0) {
    return { promise, kept: null, measured: `no request was ${which}` };
  }
  const { requests, answered } = seen;
  const count = requests - answered;
  return {
    promise,
    kept: holds(promise.unit === 'share' ? count / requests : count, promise),
    measured: `${count === 0 ? 'none' : String(count)} of ${counted(requests, 'request')} ${which} ${count === 1 ? 'was' : 'were'} not answered as expected`,
  };
}

function judgedDue(
  promise: DrillPromise,
  metric: DueCount,
  schedule: DrillSchedule | null,
): Judged {
  if (schedule === null || schedule.due === 0) {
    return { promise, kept: null, measured: 'no run was scheduled' };
  }
  const { times } = metric === 'due-never' ? schedule.never : schedule.repeated;
  const executed = metric === 'due-never' ? 'skipped' : 'executed more than once';
  const shown = times === 0 ? 'none' : String(times);
  return {
    promise,
    kept: holds(promise.unit === 'share' ? times / schedule.due : times, promise),
    measured: `${shown} of ${counted(schedule.due, 'scheduled run')} ${times === 1 ? 'was' : 'were'} ${executed}`,
  };
}

function timed(promise: DrillPromise, figures: DrillFigures | null): Judged {
  const { metric } = promise;
  if (figures === null) return { promise, kept: null, measured: 'the fault was not injected' };
  if (metric === 'detect') {
    const seconds = figures.detectSeconds;
    // Nothing to be noticed.
    if (seconds === null) return { promise, kept: true, measured: 'no caller had an error' };
    return within(promise, seconds, 'the first caller had an error after');
  }
  if (metric === 'drain') {
    if (figures.backlog === null) {
      return {
        promise,
        kept: null,
        measured: 'nothing shows how many jobs waited after the fault',
      };
    }
    const { drainSeconds } = figures.backlog;
    if (drainSeconds === null) {
      return { promise, kept: false, measured: 'the backlog was not cleared during the drill' };
    }
    return within(promise, drainSeconds, 'the backlog was cleared after');
  }
  if (figures.isRecoveryUnknown === true) return { promise, kept: null, measured: TOO_FEW_AFTER };
  const seconds = figures.recoverSeconds;
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
