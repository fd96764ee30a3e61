/**
 * What n8n completed while it was loaded. A workload that answers at once is accepted long before it is
 * executed, and what is executed after the load has ended is a debt, not capacity.
 */
import type { ExecutionCounts, Completions, RequestSample } from '../../record/run-record';
import type { TracedExecutions } from '../../analysis/traced-execution';
import type { Window } from '../../analysis/metrics';

/** Executions that ended between two looks at n8n's counts, taken at the ends of the measured part. */
export interface CountedWithin {
  executions: number;
  /** What lay between the two looks. */
  seconds: number;
  openAtEnd: number;
  source: string;
}

export interface Completed {
  completions: Completions;
  /** Executions begun and not ended, over the measured part; empty where they are only counted. */
  open: { tMs: number; value: number }[];
}

interface Order {
  measured: Window;
  /** In the measured part. */
  offered: number;
  executionsPerRequest: number | null;
}

const TICK_MS = 1_000;

/** One by one where each execution is known, else by the counts; null where n8n told neither. */
export function completed(
  requests: readonly RequestSample[],
  traced: TracedExecutions,
  counted: CountedWithin | null,
  order: Order,
): Completed | null {
  const exact = 'skipped' in traced ? null : completedOneByOne(requests, traced, order);
  if (exact !== null) return exact;
  if (counted === null || order.executionsPerRequest === null || counted.seconds <= 0) return null;
  const { executions, seconds, openAtEnd, source } = counted;
  const perSecond = executions / order.executionsPerRequest / seconds;
  const requestsDone = Math.round((perSecond * lengthMs(order.measured)) / 1_000);
  return {
    completions: completionsOf(requestsDone, openAtEnd, source, order),
    open: [],
  };
}

function completedOneByOne(
  requests: readonly RequestSample[],
  { executions, source }: Exclude<TracedExecutions, { skipped: string }>,
  order: Order,
): Completed | null {
  const endedAtMs = new Map<string, number>();
  let untold = 0;
  for (const { loadId, outcome, endedAtMs: at } of executions) {
    if (loadId === null || outcome === 'unfinished' || outcome === 'failed') continue;
    if (at === undefined) untold += 1;
    else endedAtMs.set(loadId, Math.min(at, endedAtMs.get(loadId) ?? Infinity));
  }
  if (untold > 0 || endedAtMs.size === 0) return null;
  // From when a request was due to the end of its execution, by two clocks: only differences count.
  const took = requests.flatMap(({ id, tMs }) => {
    const at = endedAtMs.get(id);
    return at === undefined ? [] : [at - tMs];
  });
  const fastest = took.reduce((min, one) => Math.min(min, one), Infinity);
  const { fromMs, toMs } = order.measured;
  const doneAtMs = ({ id }: RequestSample): number => {
    const at = endedAtMs.get(id);
    return at === undefined ? Infinity : at - fastest;
  };
  const accepted = requests.filter(({ ok, id }) => ok || endedAtMs.has(id));
  const done = accepted.filter((each) => doneAtMs(each) >= fromMs && doneAtMs(each) < toMs);
  const open = openOverTime(
    accepted.map(({ tMs }) => tMs),
    accepted.map(doneAtMs),
    order.measured,
  );
  return {
    completions: completionsOf(done.length, open.at(-1)?.value ?? 0, source, order),
    open,
  };
}

function completionsOf(
  requests: number,
  openAtEnd: number,
  source: string,
  { measured, offered }: Order,
): Completions {
  return {
    requests,
    ratePerSecond: (1_000 * requests) / lengthMs(measured),
    shareOfOffered: offered === 0 ? 0 : Math.min(1, requests / offered),
    openAtEnd,
    source,
  };
}

/** Begun less done, at every tick and at the end. */
function openOverTime(
  beganMs: readonly number[],
  doneMs: readonly number[],
  { fromMs, toMs }: Window,
): Completed['open'] {
  const begins = [...beganMs].sort((a, b) => a - b);
  const ends = [...doneMs].sort((a, b) => a - b);
  const open: Completed['open'] = [];
  let begun = 0;
  let ended = 0;
  for (let tMs = fromMs; ; tMs = Math.min(toMs, tMs + TICK_MS)) {
    while (begun < begins.length && (begins[begun] ?? Infinity) <= tMs) begun += 1;
    while (ended < ends.length && (ends[ended] ?? Infinity) <= tMs) ended += 1;
    open.push({ tMs, value: begun - ended });
    if (tMs >= toMs) return open;
  }
}

const lengthMs = ({ fromMs, toMs }: Window): number => toMs - fromMs;

/**
 * n8n's statistics count an execution that crashed when it fails and again when it is recovered; its rows
 * are one each.
 */
export function countedOnce(
  counts: ExecutionCounts | null,
  traced: TracedExecutions,
): ExecutionCounts | null {
  if (counts === null || 'skipped' in traced || traced.made === null) return counts;
  const { executions, made } = traced;
  const count = (wanted: string): number =>
    executions.filter(({ outcome }) => outcome === wanted).length;
  if (executions.length >= made && count('not kept') === 0) {
    return {
      ...counts,
      succeeded: count('succeeded'),
      failed: count('failed'),
      unfinished: count('unfinished'),
    };
  }
  const { succeeded, failed, unfinished } = counts;
  return { ...counts, failed: Math.min(failed, Math.max(0, made - succeeded - unfinished)) };
}
