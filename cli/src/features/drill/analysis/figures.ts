/**
 * How a system came through a fault, from its requests and samples. Times are seconds since the fault. Where it
 * is repeated, the first error counts from the first time, and recovery and the drain of the backlog from the last.
 */
import type { Slo } from '../../../../../loadtests/lib/slo';
import type { Availability, DrillFault, DrillFigures, DrillPhases } from '../record';
import type { MetricSample, RequestSample } from '../../../record/run-record';
import { totals } from '../../../analysis/metrics';
import { missedSlo } from '../../../analysis/slo/window-slo';

/** A window of this length or longer is judged at each second. */
const WINDOW_MS = 5_000;
const STEP_MS = 1_000;
/** Fewer requests say nothing about a percentile. */
const MIN_REQUESTS = 10;

const endOf = ({ tMs, durationMs }: RequestSample): number => tMs + durationMs;

/** What was open when the fault came, or due later. */
export const exposedTo = (
  requests: readonly RequestSample[],
  faultMs: number,
): readonly RequestSample[] => requests.filter((request) => endOf(request) >= faultMs);

/** In pods, and in drills until 2026-12-01, it may take this long until a fault that was made is told. */
const TOLD_WITHIN_MS = 1_000;

type MadeFault = Pick<DrillFault, 'done' | 'everySeconds' | 'turns'>;

export interface FaultSpan {
  /** When it may have been made first. */
  fromMs: number;
  /** When it was told to be made; left out: at once. */
  toldMs?: number;
  toMs: number;
}

/** While the fault lasted, or each of its turns. */
export function spansOf(
  { done, everySeconds, turns }: MadeFault,
  overMs: number | null,
): FaultSpan[] {
  const [first] = done;
  const [only] = turns ?? [];
  if (everySeconds === undefined && (turns?.length ?? 1) === 1 && first !== undefined) {
    return [{ ...from(first.tMs, only?.begunMs), toMs: overMs ?? Infinity }];
  }
  // Drills that were recorded without turns repeated faults of a moment only.
  return (
    turns?.map(({ begunMs, fromMs, toMs }) => ({
      ...from(fromMs, begunMs),
      toMs: toMs ?? Infinity,
    })) ?? done.map(({ tMs }) => ({ ...from(tMs), toMs: tMs }))
  );
}

const from = (toldMs: number, begunMs = toldMs - TOLD_WITHIN_MS): Omit<FaultSpan, 'toMs'> => ({
  ...{ toldMs, fromMs: begunMs },
});

/** Whether a request was open in one. */
export const isOpenIn = (request: RequestSample, { fromMs, toMs }: FaultSpan): boolean =>
  request.tMs <= toMs && endOf(request) >= fromMs;

/** Tells of a request whether it was open in one of them. */
const metBy =
  (spans: readonly FaultSpan[]) =>
  (request: RequestSample): boolean =>
    spans.some((span) => isOpenIn(request, span));

/**
 * A fault of a moment is told to be over long before n8n has its connections again: each span goes on until the SLO is met
 * again, and at most until the next one.
 */
function untilMet(
  spans: readonly FaultSpan[],
  requests: readonly RequestSample[],
  slos: readonly Slo[],
  phases: DrillPhases & { everySeconds: number | undefined },
): FaultSpan[] {
  const { everySeconds = Infinity } = phases;
  return spans.map((span, index) => {
    const { fromMs, toMs } = span;
    const next = spans[index + 1];
    const toldMs = span.toldMs ?? fromMs;
    const nextMs =
      next === undefined
        ? Math.min(phases.endMs, toldMs + 1000 * everySeconds)
        : (next.toldMs ?? next.fromMs);
    const { recoverSeconds, isRecoveryUnknown } = recovery(requests, slos, {
      ...{ ...phases, faultMs: toldMs, endMs: nextMs },
    });
    if (isRecoveryUnknown === true) return { fromMs, toMs };
    const metMs = recoverSeconds === null ? nextMs : toldMs + 1000 * recoverSeconds;
    return { fromMs, toMs: Math.max(toMs, metMs) };
  });
}

export const isAnythingAtRisk = (
  requests: readonly RequestSample[],
  fault: MadeFault,
  overMs: number | null,
): boolean => requests.some(metBy(spansOf(fault, overMs)));

/** Responses as expected, of the requests that were open during the fault, and of all others after the warm-up. */
function availability(
  requests: readonly RequestSample[],
  slos: readonly Slo[],
  fault: MadeFault,
  phases: DrillPhases,
): Availability {
  const { steady, overMs } = phases;
  const isMet = metBy(
    untilMet(spansOf(fault, overMs), requests, slos, {
      ...{ ...phases, everySeconds: fault.everySeconds },
    }),
  );
  const parts = { during: { requests: 0, answered: 0 }, outside: { requests: 0, answered: 0 } };
  for (const request of requests) {
    if (request.tMs < steady.fromMs) continue;
    const part = parts[isMet(request) ? 'during' : 'outside'];
    part.requests += 1;
    if (request.ok) part.answered += 1;
  }
  return parts;
}

export function drillFigures(
  requests: readonly RequestSample[],
  samples: readonly MetricSample[],
  slos: readonly Slo[],
  phases: DrillPhases & { faultMs: number },
  fault: MadeFault,
): DrillFigures {
  const exposed = exposedTo(requests, phases.faultMs);
  const lastMs = phases.lastMs ?? phases.faultMs;
  return {
    detectSeconds: detected(exposed, phases.faultMs),
    ...recovery(requests, slos, { ...phases, faultMs: lastMs }),
    backlog: backlog(samples, { ...phases, lastMs }),
    slowestMs: largestOf(exposed.filter(({ ok }) => ok).map(({ durationMs }) => durationMs)),
    errors: errors(exposed, phases.faultMs),
    availability: availability(requests, slos, fault, phases),
  };
}

/** One that was still open when the load generator gave up has told its caller nothing. */
function detected(exposed: readonly RequestSample[], faultMs: number): number | null {
  const heard = exposed.filter(({ ok, errorKind }) => !ok && errorKind !== 'unanswered');
  const first = smallestOf(heard.map(endOf));
  return first === null ? null : (first - faultMs) / 1000;
}

type Recovery = Pick<DrillFigures, 'recoverSeconds' | 'isRecoveryUnknown'>;

/**
 * When the last request was due that was bad in a window which misses an SLO. What was still open at the
 * fault counts as due then.
 */
function recovery(
  requests: readonly RequestSample[],
  slos: readonly Slo[],
  { faultMs, endMs }: DrillPhases & { faultMs: number },
): Recovery {
  const due = requests
    .filter((request) => endOf(request) >= faultMs && request.tMs < endMs)
    .map((request) => ({ ...request, at: Math.max(request.tMs, faultMs) }));
  const rate = due.length / ((endMs - faultMs) / 1000);
  const widthMs = Math.max(WINDOW_MS, (1000 * MIN_REQUESTS) / Math.max(rate, 1e-9));
  if (faultMs + widthMs > endMs) return { recoverSeconds: null, isRecoveryUnknown: true };
  let recoverMs = faultMs;
  let isMissed = false;
  for (let from = faultMs; from + widthMs <= endMs; from += STEP_MS) {
    const window = due.filter(({ at }) => at >= from && at < from + widthMs);
    isMissed = window.length > 0 && missedSlo(slos, window) !== null;
    if (!isMissed) continue;
    const bad = window.filter((request) => isBad(request, slos)).map(({ at }) => at);
    recoverMs = Math.max(recoverMs, largestOf(bad) ?? from);
  }
  return { recoverSeconds: isMissed ? null : (recoverMs - faultMs) / 1000 };
}

const isBad = ({ ok, durationMs }: RequestSample, slos: readonly Slo[]): boolean =>
  !ok ||
  slos.some(
    ({ metric, operator, bound }) =>
      /^(p\d|max|mean)/.test(metric) && operator.startsWith('<') && durationMs >= bound,
  );

function backlog(
  samples: readonly MetricSample[],
  { steady, faultMs, lastMs }: DrillPhases & { faultMs: number; lastMs: number },
): DrillFigures['backlog'] {
  const waiting = totals(samples, { metric: 'queueWaiting' });
  // Samples that end before the fault show nothing of what came after it.
  if (!waiting.some(({ tMs }) => tMs >= lastMs)) return null;
  const max = (from: number, to: number): number =>
    largestOf(waiting.filter(({ tMs }) => tMs >= from && tMs < to).map(({ value }) => value)) ?? 0;
  const before = max(steady.fromMs, faultMs);
  const after = waiting.filter(({ tMs }) => tMs >= faultMs);
  const above = after.filter(({ value }) => value > before);
  const peak = max(faultMs, Infinity);
  const last = above.at(-1);
  if (last === undefined || last.tMs < lastMs) return { before, peak, drainSeconds: 0 };
  const next = after.find(({ tMs }) => tMs > last.tMs);
  return {
    before,
    peak,
    drainSeconds: next === undefined ? null : (next.tMs - lastMs) / 1000,
  };
}

function errors(exposed: readonly RequestSample[], faultMs: number): DrillFigures['errors'] {
  const due = exposed.filter(({ ok }) => !ok).map(({ tMs }) => (tMs - faultMs) / 1000);
  const [first, last] = [smallestOf(due), largestOf(due)];
  if (first === null || last === null) return null;
  return { requests: due.length, fromSeconds: first, toSeconds: last };
}

const smallestOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((a, b) => Math.min(a, b));

const largestOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((a, b) => Math.max(a, b));
