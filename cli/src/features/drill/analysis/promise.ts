/** What a system is promised to do in a drill, written like an SLO: `lost=0`, `errors<1%`, `recover<60s`. */
import { parseConditions, type Condition } from '../../../../../loadtests/lib/condition';
import { didYouMean } from '../../../../../loadtests/lib/nearest';
import { LEDGER_CLASSES } from './ledger-class';
import { Mistake } from '../../../ui/exit';
import { parseDuration } from '../../../../../loadtests/lib/duration';

/** Counts of due times of a schedule. */
export const DUE_COUNTS = ['due-never', 'due-repeated'] as const;
export type DueCount = (typeof DUE_COUNTS)[number];
/** Requests without the expected response: open during the fault, and all others. */
export const ERROR_COUNTS = ['errors-during', 'errors-outside'] as const;
export type ErrorCount = (typeof ERROR_COUNTS)[number];
/** Requests whose work was done more than once, whatever began it. */
export const DONE_TWICE = 'done-twice';
/** Requests whose work ran twice at the same time. */
export const AT_ONCE = 'at-once';
/** Counts of requests. `lost` is all that was accepted and not done; `errors` all without the expected response. */
const COUNTS = [
  'errors',
  ...ERROR_COUNTS,
  ...LEDGER_CLASSES,
  DONE_TWICE,
  AT_ONCE,
  ...DUE_COUNTS,
] as const;
/** Seconds since the fault. */
const TIMES = ['detect', 'recover', 'drain'] as const;

export const PROMISE_METRICS = [...COUNTS, ...TIMES] as const;
export type PromiseMetric = (typeof PROMISE_METRICS)[number];

/** `bound`: a number of requests or due times, a share of them, or seconds. */
export interface DrillPromise extends Condition<PromiseMetric> {
  unit: 'requests' | 'share' | 'seconds';
}

/** One or several, separated by commas. */
export const parsePromises = (text: string): DrillPromise[] =>
  parseConditions(text, {
    metrics: PROMISE_METRICS,
    notUnderstood: (part) =>
      `'${part}' is not a valid promise: use a form such as lost=0, errors<1% or recover<60s.`,
    noMetric: (part, metric) =>
      `the promise '${part}' uses a metric that a drill does not measure${didYouMean(metric, PROMISE_METRICS)}: choose one of ${PROMISE_METRICS.join(', ')}.`,
  }).map(({ value, unit, ...promise }) => ({
    ...promise,
    ...(TIMES.some((time) => time === promise.metric)
      ? { bound: secondsOf(promise.text, value, unit), unit: 'seconds' as const }
      : countOf(promise.text, value, unit)),
  }));

function secondsOf(text: string, value: number, unit: string): number {
  try {
    return parseDuration(`${String(value)}${unit}`);
  } catch {
    throw new Mistake(`the promise '${text}' requires a time with a unit, such as recover<60s.`);
  }
}

function countOf(text: string, value: number, unit: string): Pick<DrillPromise, 'bound' | 'unit'> {
  if (unit === '%') return { bound: value / 100, unit: 'share' };
  if (unit !== '' || !Number.isInteger(value)) {
    throw new Mistake(
      `the promise '${text}' requires a whole number, or a percentage such as errors<1%.`,
    );
  }
  return { bound: value, unit: 'requests' };
}
