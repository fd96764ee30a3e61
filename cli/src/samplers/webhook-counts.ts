/** What n8n counts of webhook requests (N8N_METRICS_INCLUDE_WEBHOOK_METRICS): a histogram by path, workflow and status. */
import type { SampledRole } from '../plan/roles';
import type { SampleSink } from './sampler';

export interface WebhookCounts {
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
