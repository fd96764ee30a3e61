/** What a system is promised to do in a drill, written like an SLO: `lost=0`, `errors<1%`, `recover<60s`. */
import { LEDGER_CLASSES } from './ledger-class';
import { Mistake } from '../../../ui/exit';
import { parseDuration } from '../../../../../loadtests/lib/duration';

/** Counts of due times of a schedule. */
export const DUE_COUNTS = ['due-never', 'due-repeated'] as const;
export type DueCount = (typeof DUE_COUNTS)[number];
/** Counts of requests. `lost` is all that was accepted and not done; `errors` all without the expected response. */
const COUNTS = ['errors', ...LEDGER_CLASSES, ...DUE_COUNTS] as const;
/** Seconds since the fault. */
const TIMES = ['detect', 'recover', 'drain'] as const;

export const PROMISE_METRICS = [...COUNTS, ...TIMES] as const;
export type PromiseMetric = (typeof PROMISE_METRICS)[number];

export interface DrillPromise {
  /** As the user wrote it. */
  text: string;
  metric: PromiseMetric;
  operator: '=' | '<' | '<=';
  /** A number of requests or due times, a share of them, or seconds. */
  bound: number;
  unit: 'requests' | 'share' | 'seconds';
}

/** One or several, separated by commas. */
export function parsePromises(text: string): DrillPromise[] {
  const parts = text.split(',').map((part) => part.trim());
  return parts.filter((part) => part !== '').map(parsePromise);
}

function parsePromise(text: string): DrillPromise {
  const [, name, operator, value] =
    /^([a-z0-9-]+)\s*(<=|=|<)\s*([\d.]+\s*[a-z%]*)$/i.exec(text) ?? [];
  if (name === undefined || operator === undefined || value === undefined) {
    throw new Mistake(
      `the promise '${text}' is not understood: write it like lost=0, errors<1% or recover<60s.`,
    );
  }
  const metric = PROMISE_METRICS.find((known) => known === name);
  if (metric === undefined) {
    throw new Mistake(
      `the promise '${text}' names nothing that a drill counts: choose one of ${PROMISE_METRICS.join(', ')}.`,
    );
  }
  const common = { text, metric, operator: operator as DrillPromise['operator'] };
  if (TIMES.some((time) => time === metric)) {
    return { ...common, bound: secondsOf(text, value), unit: 'seconds' };
  }
  const isShare = value.endsWith('%');
  const bound = Number(value.replace('%', ''));
  if (!Number.isFinite(bound) || (!isShare && !Number.isInteger(bound))) {
    throw new Mistake(
      `the promise '${text}' needs a whole number of requests, or a share like ${metric}<1%.`,
    );
  }
  return isShare
    ? { ...common, bound: bound / 100, unit: 'share' }
    : { ...common, bound, unit: 'requests' };
}

function secondsOf(text: string, value: string): number {
  try {
    return parseDuration(value);
  } catch {
    throw new Mistake(`the promise '${text}' needs a time with its unit, like recover<60s.`);
  }
}
