/** The summary for a person. */
import type { LoadSummary } from './load-summary.ts';

export function sentences(summary: LoadSummary): string {
  const { latencyMs, latenessMs, errors, protocols } = summary;
  return [
    '',
    `  ${summary.profile} of ${summary.workloads.join(', ')} against ${summary.baseUrl}`,
    ...summary.notValid.map((why) => `  NOT VALID     ${why}`),
    `  requests      ${String(summary.requests)}, expected responses ${String(summary.expected)} (${summary.expectedPerSecond.toFixed(1)}/s)`,
    `  errors        ${counts(errors)}`,
    `  responses     ${counts(protocols)}`,
    ...(latenessMs === null || latenessMs.p50 === null
      ? []
      : [
          `  started late  median ${milliseconds(latenessMs.p50, 1)}, p99 ${milliseconds(latenessMs.p99, 1)}; part of the latency`,
        ]),
    latencyMs === null
      ? '  latency       none: no request got its expected response'
      : `  latency       p50 ${milliseconds(latencyMs.p50)}, p95 ${milliseconds(latencyMs.p95)}, p99 ${milliseconds(latencyMs.p99)}, max ${milliseconds(latencyMs.max)}`,
    ...summary.slo.map(({ text, met }) => `  ${wordFor(met)} ${text}`),
    '',
    '',
  ].join('\n');
}

function wordFor(met: boolean | null): string {
  if (met === null) return 'not known    ';
  return met ? 'met          ' : 'missed       ';
}

const milliseconds = (value: number | null, digits = 0): string =>
  value === null ? 'not known' : `${value.toFixed(digits)} ms`;

const counts = (byName: Readonly<Record<string, number>>): string =>
  Object.entries(byName)
    .map(([name, count]) => `${name} ${String(count)}`)
    .join(', ') || 'none';
