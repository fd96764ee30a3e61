import { costOfRun } from '../../../analysis/cost';
import { boundOf, losingFaults, repeatingFaults, type FaultCount } from '../analysis/bounds';
import { notKnown } from '../analysis/verdict';
import { CALLER_GOT, LEDGER_CLASSES, LEDGER_WORDS, WORK_DONE } from '../analysis/ledger-class';
import {
  isCombined,
  type Availability,
  type DrillRecord,
  type DrillRecovery,
  type DrillSchedule,
  type NamedTimes,
} from '../record';
import type { RunRecord } from '../../../record/run-record';
import { type Figure, costFigures } from '../../../report/text/units';
import { counted, duration, formatNumber, percent } from '../../../ui/numbers';

/** The figures of a drill, in reading order; the same in HTML, Markdown and the terminal. */
export function drillFigureRows(record: DrillRecord): Figure[] {
  const { figures, phases, control, schedule, recovery } = record;
  const rows: Figure[] = [
    faultFigure(record),
    { name: 'Sent', value: sentText(record) },
    lostFigure(record),
    ...inFlightRows(record),
    { name: 'Sources', value: sourcesText(record) },
  ];
  if (figures !== null) rows.push(detectedFigure(figures), ...cameThrough(figures, record));
  if (schedule !== undefined) rows.push(...scheduleRows(schedule));
  if (recovery !== undefined) rows.push({ name: 'Retried', value: retriedText(recovery) });
  if (phases.faultMs === null) rows.push({ name: 'Phases', value: 'the fault was never injected' });
  if (control !== null) rows.push({ name: 'Control', value: controlText(control) });
  return rows;
}

/** What is decided from: what the fault cost, and how long it took until all was well again. */
export const mainFigures = (record: DrillRecord): Figure[] => [
  faultFigure(record),
  lostFigure(record),
  ...(record.figures === null ? [] : cameThrough(record.figures, record)),
  ...(record.schedule === undefined ? [] : [scheduleFigure(record.schedule)]),
];

/** One fault tells little about the next one. */
export function howSure(record: DrillRecord): string {
  const { ledger, control } = record;
  const against = control === null ? ', without a control' : ' and a control without the fault';
  const bounds = boundsOf(record);
  const atMost =
    bounds === null
      ? ''
      : ` With 95% confidence, at most ${percent(bounds.faults)} of such faults lose a request${
          bounds.requests === null
            ? ''
            : `; if they lose everything in flight on the victim, at most ${percent(bounds.requests)} of exposed requests are lost`
        }.`;
  const twice = doneTwiceIn(record);
  const repeats =
    twice === null || ledger.moments === undefined
      ? ''
      : ` At most ${percent(boundOf(repeatingFaults(record, twice)))} of them do work twice.`;
  return `One drill with ${counted(ledger.exposed, 'exposed request')}${against}.${atMost}${atMost === '' ? '' : repeats}`;
}

/** Requests whose work was done more than once; null: nothing counts that. */
const doneTwiceIn = ({ ledger: { sources, workByResponse } }: DrillRecord): number | null =>
  sources.effects === null || workByResponse === undefined
    ? null
    : Object.values(workByResponse.more).reduce((sum, one) => sum + one, 0);

/**
 * `faults`: the share of such faults that may lose work. `requests`: the share of exposed requests that is, if those lose all that
 * was in flight on their victims; null where that is unknown, or something was lost.
 */
function boundsOf(
  record: DrillRecord,
): { count: FaultCount; faults: number; requests: number | null } | null {
  const count = record.figures === null ? null : losingFaults(record);
  if (count === null) return null;
  const { inFlight, exposed, lost } = record.ledger;
  const faults = boundOf(count);
  // All may, which rules nothing out.
  if (faults === 1) return null;
  const isKnown = lost === 0 && inFlight !== undefined && inFlight.executions > 0 && exposed > 0;
  return {
    ...{ count, faults },
    requests: isKnown ? Math.min(1, (faults * inFlight.executions) / exposed) : null,
  };
}

const faultFigure = (record: DrillRecord): Figure => ({ name: 'Fault', value: faultText(record) });

const lostFigure = (record: DrillRecord): Figure => ({ name: 'Lost', value: lostText(record) });

/** What was at risk on the victims: most exposed requests never reach them. */
function inFlightRows({ ledger: { lost, inFlight } }: DrillRecord): Figure[] {
  if (inFlight === undefined) return [];
  const { executions, faults } = inFlight;
  const perFault = faults === 0 ? '' : `, ${formatNumber(lost / faults)} per fault`;
  return [
    {
      name: 'Lost in flight',
      value: `${counted(lost, 'request')} lost, with ${counted(executions, 'execution')} in flight on the victims of ${counted(faults, 'fault')}${perFault}`,
    },
  ];
}

/** The classes of the ledger in one line. */
export const ledgerFigure = ({ ledger: { classes } }: DrillRecord): Figure => ({
  name: 'Ledger',
  value: LEDGER_CLASSES.filter((name) => classes[name].requests > 0)
    .map((name) => `${formatNumber(classes[name].requests)} ${LEDGER_WORDS[name].title}`)
    .join('; '),
});

function lostText(record: DrillRecord): string {
  const { lost, exposed } = record.ledger;
  const open = notKnown(record.ledger);
  const share = lost === 0 ? '' : ` (${percent(lost / exposed)})`;
  const bounds = boundsOf(record);
  const max =
    open > 0
      ? `, and the outcome of ${formatNumber(open)} is unknown`
      : bounds === null
        ? ''
        : `${losingText(bounds.count)}; at most ${percent(bounds.faults)} of such faults lose any (95% confidence)`;
  return `${formatNumber(lost)} of ${formatNumber(exposed)} exposed requests${share}${max}`;
}

/** A fault that was made once says it with what it lost. */
const losingText = ({ costly, faults, isAtMost }: FaultCount): string =>
  costly === 0 || faults === 1
    ? ''
    : `, in ${isAtMost ? 'at most ' : ''}${formatNumber(costly)} of ${counted(faults, 'fault')}`;

/** What n8n used in the run under the fault, and what a million such requests cost where prices were given. */
export const drillTakes = (run: RunRecord): Figure[] => costFigures(costOfRun(run), run.prices);

type CameThrough = NonNullable<DrillRecord['figures']>;

const detectedFigure = ({ detectSeconds }: CameThrough): Figure => ({
  name: 'Detected',
  value:
    detectSeconds === null
      ? 'no caller had an error'
      : `the first caller had an error after ${formatNumber(detectSeconds)} s`,
});

function cameThrough(figures: CameThrough, record: DrillRecord): Figure[] {
  const afterIt =
    record.fault.everySeconds === undefined ? 'after the fault' : 'after the last fault';
  const { recoverSeconds, backlog, slowestMs, errors, availability } = figures;
  const rows: Figure[] = [
    {
      name: 'Recovered',
      value:
        figures.isRecoveryUnknown === true
          ? 'unknown: too few requests were due after the fault'
          : recoverSeconds === null
            ? 'the SLO was not met again during the drill'
            : recoverSeconds === 0
              ? `requests due ${afterIt} met the SLO`
              : `requests due more than ${formatNumber(recoverSeconds)} s ${afterIt} met the SLO again`,
    },
  ];
  if (errors !== null) {
    rows.push({
      name: 'Errors',
      value: `${counted(errors.requests, 'request')} without the expected response, due from ${aroundFault(errors.fromSeconds)} to ${aroundFault(errors.toSeconds)}`,
    });
  }
  if (availability !== undefined) {
    rows.push({ name: 'Available', value: availableText(availability) });
  }
  if (backlog !== null) {
    const drained =
      backlog.drainSeconds === null
        ? 'not cleared during the drill'
        : `back to the level before the fault after ${formatNumber(backlog.drainSeconds)} s`;
    rows.push({
      name: 'Backlog',
      value: `at most ${counted(backlog.peak, 'job')} waiting (before the fault: ${formatNumber(backlog.before)}), ${drained}`,
    });
  }
  if (slowestMs !== null) {
    rows.push({ name: 'Slowest survivor', value: `waited ${duration(slowestMs)}` });
  }
  return rows;
}

/** One that was met by no request, as a moment between two of them, has no share. */
function availableText({ during, outside }: Availability): string {
  const part = ({ requests, answered }: Availability['during'], where: string): string[] =>
    requests === 0
      ? []
      : [`${percent(answered / requests)} of ${counted(requests, 'request')} ${where}`];
  return [...part(during, 'open during the fault'), ...part(outside, 'outside the fault')].join(
    ', ',
  );
}

const scheduleFigure = ({ everySeconds, due, once, repeated, never }: DrillSchedule): Figure => ({
  name: 'Schedule',
  value: `${counted(due, 'scheduled run')} (one every ${formatNumber(everySeconds)} s): ${formatNumber(once)} executed once, ${formatNumber(repeated.times)} executed more than once, ${formatNumber(never.times)} skipped`,
});

function scheduleRows(schedule: DrillSchedule): Figure[] {
  const named = (name: string, { times, at }: NamedTimes): Figure[] => {
    const more = times > at.length ? ` and ${formatNumber(times - at.length)} more` : '';
    const clock = at.map((time) => time.slice(11, 19)).join(', ');
    return times === 0 ? [] : [{ name, value: `${clock}${more} (UTC)` }];
  };
  return [
    scheduleFigure(schedule),
    ...named('Executed more than once', schedule.repeated),
    ...named('Never executed', schedule.never),
  ];
}

/** What recovery beside the drill did. */
function retriedText({ passes, failedPasses, attempts, left }: DrillRecovery): string {
  const of = (counts: Record<string, number>): string =>
    Object.entries(counts)
      .map(([name, count]) => `${formatNumber(count)} ${name}`)
      .join(', ');
  const alone = of(left);
  return [
    of(attempts) || 'nothing was retried',
    ...(alone === '' ? [] : [`left alone in the end: ${alone}`]),
    `${formatNumber(passes)} passes of recovery`,
    ...(failedPasses === 0
      ? []
      : [`${formatNumber(failedPasses)} of them could not reach n8n or Redis`]),
  ].join('; ');
}

const aroundFault = (seconds: number): string =>
  seconds < 0
    ? `${formatNumber(-seconds)} s before the fault`
    : `${formatNumber(seconds)} s after the fault`;

function faultText({ fault, phases }: DrillRecord): string {
  const what = isCombined(fault.name) ? fault.title : (fault.done[0]?.text ?? fault.title);
  if (fault.done.length === 0) return `${fault.title}: not made`;
  const at = `${duration(phases.faultMs ?? 0)} into the load`;
  const { everySeconds } = fault;
  const again =
    everySeconds === undefined
      ? ''
      : `, and every ${formatNumber(everySeconds)} s for ${formatNumber(fault.lastsSeconds)} s`;
  return `${what}, ${at}${again}`;
}

const sentText = ({ ledger, ratePerSecond }: DrillRecord): string =>
  `${counted(ledger.sent, 'request')} at ${formatNumber(ratePerSecond)}/s, ${formatNumber(ledger.classes.once.requests)} answered and executed once`;

function sourcesText({ ledger: { sources } }: DrillRecord): string {
  return [
    'what was sent, what callers got',
    sources.executions === null ? null : `n8n's executions (${sources.executions})`,
    sources.effects === null ? null : `the effects outside n8n`,
  ]
    .filter((one) => one !== null)
    .join(', ');
}

function controlText(control: NonNullable<DrillRecord['control']>): string {
  const { sent, classes, missed, schedule } = control;
  const due =
    schedule === undefined
      ? ''
      : `, ${formatNumber(schedule.once)} of ${counted(schedule.due, 'scheduled run')} executed once`;
  const slo = missed === null ? 'the SLO met' : `the SLO missed (${missed})`;
  return `${counted(sent, 'request')} without the fault, ${formatNumber(classes.once.requests)} answered and executed once, ${slo}${due}`;
}

/** Every class with its count under the fault and in the control; those that nothing is in are left out. */
export function ledgerTable({ ledger, control }: DrillRecord): {
  head: string[];
  rows: string[][];
} {
  const known = LEDGER_CLASSES.filter(
    (name) => ledger.classes[name].requests > 0 || (control?.classes[name].requests ?? 0) > 0,
  );
  return {
    head: ['outcome of the requests', 'with the fault', 'control', 'meaning'],
    rows: [
      ...known.map((name) => [
        LEDGER_WORDS[name].title,
        formatNumber(ledger.classes[name].requests),
        control === null ? '-' : formatNumber(control.classes[name].requests),
        LEDGER_WORDS[name].meaning,
      ]),
      [
        'sent',
        formatNumber(ledger.sent),
        control === null ? '-' : formatNumber(control.sent),
        'Each request is in exactly one class.',
      ],
    ],
  };
}

const DONE_WORDS = { never: 'never', once: 'once', more: 'more than once' };

/** Whether the work was done, against what the callers know of it; no rows where the record has nothing of that. */
export const responseTable = ({ ledger }: DrillRecord): { head: string[]; rows: string[][] } => ({
  head: ['work done', 'expected response', 'error or another response', 'no response'],
  rows:
    ledger.workByResponse === undefined
      ? []
      : WORK_DONE.map((done) => [
          DONE_WORDS[done],
          ...CALLER_GOT.map((got) => formatNumber(ledger.workByResponse?.[done][got] ?? 0)),
        ]),
});

export const promiseTable = ({ verdict }: DrillRecord): { head: string[]; rows: string[][] } => ({
  head: ['promise', 'result', 'measured'],
  rows: verdict.promises.map(({ promise, kept, measured }) => [
    promise.text,
    kept === null ? 'not judged' : kept ? 'kept' : 'broken',
    measured,
  ]),
});

/** Ids of all classes that are not as they should be, for who wants to look them up. */
export const namedIds = ({ ledger }: DrillRecord): string[] =>
  LEDGER_CLASSES.filter((name) => name !== 'once' && ledger.classes[name].requests > 0).map(
    (name) => {
      const { requests, ids } = ledger.classes[name];
      const more = requests > ids.length ? ` and ${formatNumber(requests - ids.length)} more` : '';
      return `${LEDGER_WORDS[name].title}: ${ids.join(', ')}${more}`;
    },
  );
