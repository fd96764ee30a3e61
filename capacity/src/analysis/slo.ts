import type { Slo, SloMetric, SloOperator } from '../plan/slo';
import type { LatencySummary, Summary, Verdict } from '../record/record';
import { figures } from './figures';

export type Breach = Verdict['breaches'][number];

/** The SLOs that were missed, each with what was measured. */
export function breaches(slos: readonly Slo[], summary: Summary): Breach[] {
  return slos.flatMap((slo) => {
    const measured = measure(slo.metric, summary);
    if (measured !== null && holds(measured, slo.operator, slo.bound)) return [];
    return [
      {
        slo: slo.text,
        // Without a single answer a latency has no value; the record's JSON needs a number.
        measured: measured ?? Number.MAX_VALUE,
        text:
          measured === null
            ? `${slo.text} is missed: no request got a response to measure`
            : `${slo.metric} ${format(slo.metric, measured)}, limit ${format(slo.metric, slo.bound)}`,
      },
    ];
  });
}

/**
 * How near the worst SLO is to its bound: 1 is at it, 2 twice beyond. Null where no SLO has a scale:
 * a backlog of 0 is met or not.
 */
export function pressure(slos: readonly Slo[], summary: Summary): number | null {
  const all = slos.flatMap(({ metric, operator, bound }) => {
    const measured = measure(metric, summary);
    if (measured === null || bound <= 0 || operator === '=' || metric === 'backlog') return [];
    return [operator.startsWith('<') ? measured / bound : bound / Math.max(measured, 1e-3)];
  });
  return all.length === 0 ? null : Math.max(...all);
}

function measure(metric: SloMetric, summary: Summary): number | null {
  if (metric === 'errors') return summary.errors.share;
  if (metric === 'throughput') return summary.achieved.shareOfOffered;
  if (metric === 'backlog') return unfinished(summary);
  const name: keyof LatencySummary = metric === 'p99.9' ? 'p999' : metric;
  return summary.latencyMs?.[name] ?? null;
}

/** Executions that n8n had not done when the load ended and its time to drain was over. */
function unfinished({ backlog, executions }: Summary): number {
  if (backlog !== null && backlog.drainedAfterSeconds === null) return Math.max(1, backlog.atEnd);
  return executions?.unfinished ?? 0;
}

function holds(measured: number, operator: SloOperator, bound: number): boolean {
  if (operator === '<') return measured < bound;
  if (operator === '<=') return measured <= bound;
  if (operator === '>') return measured > bound;
  if (operator === '>=') return measured >= bound;
  return measured === bound;
}

function format(metric: SloMetric, measured: number): string {
  if (metric === 'backlog') return String(measured);
  if (metric === 'errors' || metric === 'throughput') return `${figures(measured * 100)} %`;
  return duration(measured);
}

/** `24 ms`, `24.9 s`. */
export function duration(milliseconds: number): string {
  return milliseconds < 1_000
    ? `${figures(milliseconds)} ms`
    : `${figures(milliseconds / 1_000)} s`;
}
