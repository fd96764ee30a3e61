/** What n8n's own metrics say about whether it works: CPU and jobs, read between two probes. */
import { queueJobs } from '../../analysis/queue-jobs';
import { uptimeMs } from '../../linux/proc';
import type { MetricsEndpoint } from '../../targets/target';

const CPU = /^\w*process_cpu_seconds_total(?:\{[^}]*\})? ([\d.e+-]+)/m;

export interface MetricsSeen {
  atMs: number;
  /** Since the processes began; null where none says so. */
  cpuSeconds: number | null;
  jobs: number | null;
}

/** Pure: from the texts of all endpoints. */
export function metricsSeen(texts: readonly string[], atMs: number): MetricsSeen {
  const cpu = texts.flatMap((text) => CPU.exec(text)?.[1] ?? []).map(Number);
  const jobs = queueJobs(texts);
  return { atMs, cpuSeconds: sum(cpu), jobs: jobs && jobs.waiting + jobs.active };
}

const sum = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((a, b) => a + b, 0);

export function coresBetween(before: MetricsSeen | null, now: MetricsSeen): number | null {
  if (before === null || before.cpuSeconds === null || now.cpuSeconds === null) return null;
  return (1000 * (now.cpuSeconds - before.cpuSeconds)) / Math.max(1, now.atMs - before.atMs);
}

export async function readMetricsNow(
  endpoints: readonly MetricsEndpoint[],
  signal: AbortSignal,
): Promise<MetricsSeen> {
  const texts = await Promise.all(
    endpoints.map(async ({ url }) => {
      try {
        const patience = AbortSignal.any([signal, AbortSignal.timeout(2_000)]);
        return await (await fetch(url, { signal: patience })).text();
      } catch {
        return '';
      }
    }),
  );
  return metricsSeen(texts, uptimeMs());
}
