import http from 'node:http';
import https from 'node:https';
import type { Metric } from '../record/metrics';
import type { MetricsEndpoint } from '../targets/target';
import type { Sampler, SampleSink } from './sampler';
import { sampler } from './ticker';
import type { SampledRole } from '../plan/roles';

/** What n8n counts of webhook requests (N8N_METRICS_INCLUDE_WEBHOOK_METRICS): a histogram by path, workflow and status. */

export const WEBHOOK_COUNTS = { N8N_METRICS_INCLUDE_WEBHOOK_METRICS: 'true' };

interface WebhookCounts {
  requests: number;
  /** With a 5xx status. */
  errors: number;
  sumSeconds: number;
  /** Requests up to each bound, in seconds; the last bound is infinite. */
  upTo: ReadonlyMap<number, number>;
}

const NAME = '\nn8n_webhook_request_duration_seconds_';

/** Null where n8n shows none: it does so from the first request on. */
export function parseWebhooks(text: string): WebhookCounts | null {
  let [requests, errors, sumSeconds] = [0, 0, 0];
  const upTo = new Map<number, number>();
  for (let at = text.indexOf(NAME); at >= 0; at = text.indexOf(NAME, at + 1)) {
    const end = text.indexOf('\n', at + 1);
    const line = text.slice(at + NAME.length, end < 0 ? undefined : end);
    const value = Number(line.slice(line.lastIndexOf(' ') + 1));
    if (line.startsWith('sum')) sumSeconds += value;
    else if (line.startsWith('count')) {
      requests += value;
      if (/status_code="5/.test(line)) errors += value;
    } else {
      const bound = Number(/le="([^"]+)"/.exec(line)?.[1]?.replace('+Inf', 'Infinity'));
      upTo.set(bound, (upTo.get(bound) ?? 0) + value);
    }
  }
  return upTo.size === 0 ? null : { requests, errors, sumSeconds, upTo };
}

export function writeWebhooks(
  sink: SampleSink,
  { role, instance }: { role: SampledRole; instance: string },
  now: WebhookCounts,
  before: WebhookCounts | null,
): void {
  sink.sample(role, instance, 'webhookRequests', now.requests);
  sink.sample(role, instance, 'webhookErrors', now.errors);
  const answered = before === null ? 0 : now.requests - before.requests;
  // A count that fell began anew, with its process.
  if (before === null || answered <= 0) return;
  const meanMs = (1000 * (now.sumSeconds - before.sumSeconds)) / answered;
  sink.sample(role, instance, 'webhookMeanMs', meanMs);
  sink.sample(role, instance, 'webhookP95Ms', 1000 * quantileOf(now, before, 0.95));
}

/** In seconds, as `histogram_quantile` of Prometheus has it: evenly spread within a bucket, and never above the last bound. */
export function quantileOf(
  now: Pick<WebhookCounts, 'upTo'>,
  before: Pick<WebhookCounts, 'upTo'>,
  share: number,
): number {
  const bounds = [...now.upTo.keys()].sort((a, b) => a - b);
  const grown = bounds.map((bound) => (now.upTo.get(bound) ?? 0) - (before.upTo.get(bound) ?? 0));
  const wanted = share * (grown.at(-1) ?? 0);
  const at = grown.findIndex((count) => count >= wanted);
  const [high = 0, low = 0] = [bounds[at], bounds[at - 1]];
  if (high === Infinity) return low;
  const [upTo = 0, below = 0] = [grown[at], grown[at - 1]];
  return upTo === below ? high : low + ((high - low) * (wanted - below)) / (upTo - below);
}

const mebi = 1024 * 1024;

/** n8n's name at /metrics, ours, and the factor to our unit. n8n 0.x has those of Node.js only. */
const GAUGES: readonly { theirs: string; ours: Metric; times: number }[] = [
  // Node.js begins its histogram anew with every scrape, so this is the p99 since the last one.
  { theirs: 'n8n_nodejs_eventloop_lag_p99_seconds', ours: 'eventLoopLagMs', times: 1000 },
  { theirs: 'n8n_nodejs_heap_size_used_bytes', ours: 'heapUsedMiB', times: 1 / mebi },
  { theirs: 'n8n_nodejs_external_memory_bytes', ours: 'externalMiB', times: 1 / mebi },
  { theirs: 'n8n_db_pool_connections_active', ours: 'dbPoolActive', times: 1 },
  { theirs: 'n8n_db_pool_connections_max', ours: 'dbPoolMax', times: 1 },
  { theirs: 'n8n_db_pool_requests_pending', ours: 'dbPoolPending', times: 1 },
  // Metric of the chart's limit-metrics.cjs.
  { theirs: 'n8n_tuned_heap_limit_bytes', ours: 'heapLimitMiB', times: 1 / mebi },
  { theirs: 'n8n_tuned_memory_limit_bytes', ours: 'shownMemoryLimitMiB', times: 1 / mebi },
  { theirs: 'n8n_tuned_worker_concurrency', ours: 'workerSlots', times: 1 },
  { theirs: 'n8n_expression_pool_cold_start_sync_total', ours: 'coldSandboxes', times: 1 },
  { theirs: 'n8n_workflow_started_total', ours: 'executionsStarted', times: 1 },
  { theirs: 'n8n_workflow_success_total', ours: 'executionsSucceeded', times: 1 },
  { theirs: 'n8n_workflow_failed_total', ours: 'executionsFailed', times: 1 },
];

/** Counters whose growth since the scrape before is sampled: per second, or per `by`. */
const GROWTHS: readonly { theirs: string; ours: Metric; by: string | null; times: number }[] = [
  { theirs: 'n8n_nodejs_gc_duration_seconds_sum', ours: 'gcShare', by: null, times: 1 },
  {
    theirs: 'n8n_db_pool_acquire_seconds_sum',
    ours: 'dbPoolAcquireMs',
    by: 'n8n_db_pool_acquire_seconds_count',
    times: 1000,
  },
];

/** Memory of a process that cannot be seen from here; for others the kernel is more precise. */
const UNSEEN_MEMORY = 'n8n_process_resident_memory_bytes';
const UNSEEN_CPU = 'n8n_process_cpu_seconds_total';

/** The queue that all mains share; where its Redis is seen, that says it at every tick, not every 20 s. */
const QUEUE: readonly { theirs: string; ours: Metric }[] = [
  { theirs: 'n8n_scaling_mode_queue_jobs_waiting', ours: 'queueWaiting' },
  { theirs: 'n8n_scaling_mode_queue_jobs_active', ours: 'queueActive' },
];

/** Nodes that a process has begun, and ended: those that execute count them, and main in queue mode does not. */
export const NODES = { begun: 'n8n_node_started_total', ended: 'n8n_node_finished_total' };

const WANTED: readonly string[] = [
  ...Object.values(NODES),
  ...GAUGES.map(({ theirs }) => theirs),
  ...GROWTHS.flatMap(({ theirs, by }) => [theirs, ...(by === null ? [] : [by])]),
  UNSEEN_MEMORY,
  UNSEEN_CPU,
  ...QUEUE.map(({ theirs }) => theirs),
];

interface Scraped {
  atMs: number;
  values: Map<string, number>;
  webhooks: WebhookCounts | null;
}

/** What every n8n process says of itself at /metrics. */
export function n8nMetricsSampler(): Sampler {
  return sampler('n8n metrics', (running, sink) => {
    if (running.metrics.length === 0) throw new Error('the target exposes no n8n metrics');
    const before = new Map<string, Scraped>();
    return {
      tick: async () => {
        const seen = new Set(running.processes().map(({ instance }) => instance));
        // What tells of itself is seen from within.
        const isSeen = (instance: string): boolean =>
          running.containerStats !== undefined || seen.has(instance);
        const results = await Promise.allSettled(
          running.metrics.map(async (endpoint) => {
            const { instance } = endpoint;
            const text = await scrape(endpoint);
            const now = {
              atMs: performance.now(),
              values: parseMetrics(text),
              webhooks: parseWebhooks(text),
            };
            write(sink, endpoint, now, before.get(instance), isSeen(instance));
            before.set(instance, now);
            return now.values;
          }),
        );
        if (running.redis === null) writeQueue(sink, results.flatMap(valuesOf));
        const failed = results.find((result) => result.status === 'rejected');
        if (failed !== undefined) throw failed.reason;
      },
    };
  });
}

const valuesOf = (result: PromiseSettledResult<Scraped['values']>): Scraped['values'][] =>
  result.status === 'fulfilled' ? [result.value] : [];

/** A main that does not lead shows 0. */
function writeQueue(sink: SampleSink, shown: readonly Scraped['values'][]): void {
  for (const { theirs, ours } of QUEUE) {
    const values = shown.flatMap((one) => one.get(theirs) ?? []);
    if (values.length > 0) sink.sample('redis', 'redis', ours, Math.max(...values));
  }
}

/** All that a process shows of itself. */
export function scrape({ instance, url, read }: MetricsEndpoint): Promise<string> {
  return (read === undefined ? get(url) : read()).catch((error: unknown) => {
    throw new Error(`${instance} exposes no metrics at ${url}: ${String(error)}`);
  });
}

function write(
  sink: SampleSink,
  { role, instance }: MetricsEndpoint,
  { atMs, values, webhooks }: Scraped,
  before: Scraped | undefined,
  isSeen: boolean,
): void {
  for (const { theirs, ours, times } of GAUGES) {
    const value = values.get(theirs);
    if (value !== undefined) sink.sample(role, instance, ours, value * times);
  }
  const memory = values.get(UNSEEN_MEMORY);
  if (!isSeen && memory !== undefined) sink.sample(role, instance, 'rssMiB', memory / mebi);
  if (webhooks !== null)
    writeWebhooks(sink, { role, instance }, webhooks, before?.webhooks ?? null);
  if (before === undefined) return;
  const seconds = (atMs - before.atMs) / 1000;
  const grown = (name: string): number | null => {
    const [now, last] = [values.get(name), before.values.get(name)];
    // A counter that fell began anew, with its process.
    return now === undefined || last === undefined || now < last ? null : now - last;
  };
  for (const { theirs, ours, by, times } of GROWTHS) {
    const [sum, per] = [grown(theirs), by === null ? seconds : grown(by)];
    if (sum !== null && per !== null && per > 0) {
      sink.sample(role, instance, ours, (times * sum) / per);
    }
  }
  const cpu = isSeen ? null : grown(UNSEEN_CPU);
  if (cpu !== null && seconds > 0) sink.sample(role, instance, 'cpuCores', cpu / seconds);
}

/** Half the CPU of fetch(), on a connection that is kept. A busy event loop answers late: a figure, not a fault. */
function get(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { request } = url.startsWith('https:') ? https : http;
    const asked = request(url, { timeout: 10_000 }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.on('error', reject);
      reply.on('end', () => {
        if (reply.statusCode === 200) resolve(Buffer.concat(chunks).toString('latin1'));
        else reject(new Error(`status ${String(reply.statusCode)}`));
      });
    });
    asked.on('timeout', () => asked.destroy(new Error('no answer within 10 s')));
    asked.on('error', reject);
    asked.end();
  });
}

/** The sum over labels of the names that are wanted; a scrape has several hundred lines of others. */
export function parseMetrics(text: string): Map<string, number> {
  const values = new Map<string, number>();
  for (const theirs of WANTED) {
    const start = `\n${theirs}`;
    for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, at + 1)) {
      const after = text[at + start.length];
      if (after !== ' ' && after !== '{') continue; // A longer name.
      const end = text.indexOf('\n', at + 1);
      const line = text.slice(at, end < 0 ? undefined : end);
      const value = Number(line.slice(line.lastIndexOf(' ') + 1));
      if (Number.isFinite(value)) values.set(theirs, (values.get(theirs) ?? 0) + value);
    }
  }
  return values;
}
