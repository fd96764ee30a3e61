/**
 * What a run of k6 alone says at its end: one JSON shape, whatever k6's own looks like in its version.
 * The command does not use it: it counts from the raw requests.
 */
import { COUNTED_KINDS } from './errors.ts';
import type { LoadSummary } from './load-summary.ts';
import { thresholdsOf } from './options.ts';
import type { RunIdentity, Settings } from './settings.ts';

export type SummaryFiles = Record<string, string>;

/** v1 nests the values, and so does v2's default; its machine-readable form does not. */
type K6Metric = { values?: Record<string, number>; thresholds?: Record<string, { ok: boolean }> };

export function summaryOf(settings: Settings, data: unknown): SummaryFiles {
  const { metrics = {}, setup_data: run = settings } = data as {
    metrics?: Record<string, K6Metric>;
    setup_data?: RunIdentity;
  };
  const summary = loadSummary({ ...settings, runId: run.runId }, metrics);
  const json = `${JSON.stringify(summary, null, 2)}\n`;
  const files: SummaryFiles = settings.prints ? {} : { stdout: sentences(summary) };
  return settings.summaryFile === null ? files : { ...files, [settings.summaryFile]: json };
}

function loadSummary(settings: Settings, metrics: Record<string, K6Metric>): LoadSummary {
  const { plan, slos, runId, baseUrl } = settings;
  const value = (metric: string, name: string): number => metrics[metric]?.values?.[name] ?? 0;
  // Of a rate, passes are the trues: the wrong ones.
  const wrong = value('load_wrong', 'passes');
  const expected = value('load_wrong', 'fails');
  const counted = COUNTED_KINDS.map((kind): [string, number] => [
    kind,
    value(`load_errors_${kind.replaceAll(' ', '_')}`, 'count'),
  ]);
  const errors = Object.fromEntries(counted.filter(([, count]) => count > 0));
  const latency = metrics.load_duration?.values;
  const at = (name: string): number => latency?.[name] ?? 0;
  return {
    schemaVersion: 3,
    runId,
    baseUrl,
    workloads: settings.requests.map(({ workload }) => workload),
    profile: plan.profile,
    loop: plan.loop,
    warmupSeconds: plan.warmupSeconds,
    durationSeconds: plan.durationSeconds,
    requests: wrong + expected,
    expected,
    expectedPerSecond: expected / plan.durationSeconds,
    errors,
    unanswered: {
      requests: errors.unanswered ?? 0,
      oldestAgeMs: value('load_unanswered_age', 'max'),
    },
    arrivals: plan.loop === 'open' ? plan.arrivals : null,
    notSent: value('load_not_sent', 'count'),
    latenessMs:
      plan.loop === 'open'
        ? {
            p50: value('load_late', 'med'),
            p99: value('load_late', 'p(99)'),
            max: value('load_late', 'max'),
          }
        : null,
    newConnections: value('load_new_connections', 'count'),
    latencyMs:
      latency === undefined || at('max') === 0
        ? null
        : {
            mean: at('avg'),
            min: at('min'),
            p50: at('med'),
            p90: at('p(90)'),
            p95: at('p(95)'),
            p99: at('p(99)'),
            p999: at('p(99.9)'),
            max: at('max'),
          },
    slo: slos.map((slo) => ({
      text: slo.text,
      met: thresholdsOf([slo]).every(
        ({ metric, expression }) => metrics[metric]?.thresholds?.[expression]?.ok !== false,
      ),
    })),
  };
}

function sentences(summary: LoadSummary): string {
  const { latencyMs, errors } = summary;
  const kinds = Object.entries(errors).map(([kind, count]) => `${kind} ${String(count)}`);
  return [
    '',
    `  ${summary.profile} of ${summary.workloads.join(', ')} against ${summary.baseUrl}`,
    `  requests      ${String(summary.requests)}, expected responses ${String(summary.expected)} (${summary.expectedPerSecond.toFixed(1)}/s)`,
    `  errors        ${kinds.join(', ') || 'none'}`,
    ...(summary.notSent === 0
      ? []
      : [
          `  NOT VALID     ${String(summary.notSent)} requests were due and not sent, because too many were open: raise MAX_OPEN`,
        ]),
    ...(summary.latenessMs === null
      ? []
      : [
          `  started late  median ${summary.latenessMs.p50.toFixed(1)} ms, p99 ${summary.latenessMs.p99.toFixed(1)} ms; part of the latency`,
        ]),
    latencyMs === null
      ? '  latency       none: no request got its expected response'
      : `  latency ms    p50 ${latencyMs.p50.toFixed(0)}, p95 ${latencyMs.p95.toFixed(0)}, p99 ${latencyMs.p99.toFixed(0)}, max ${latencyMs.max.toFixed(0)}`,
    ...summary.slo.map(({ text, met }) => `  ${met ? 'met   ' : 'missed'}        ${text}`),
    '',
    '',
  ].join('\n');
}
