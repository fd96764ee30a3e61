import type { Alert, AlertGroup } from '../alert';
import { n8n, perRelease, threshold } from '../tokens';

/**
 * Burn rates with a long and a short window: 14.4 times the budget within an hour spends 2% of a month's budget, 6 times
 * within six hours 5%. The short window ends the alert soon after the fault.
 */
const windows = {
  fast: { factor: 14.4, long: '1h', short: '5m' },
  slow: { factor: 6, long: '6h', short: '30m' },
} as const;

const COUNT = 'n8n_webhook_request_duration_seconds_count';
const BUCKET = 'n8n_webhook_request_duration_seconds_bucket';

const rate = (selector: string, window: string): string =>
  perRelease('sum', `rate(${selector}[${window}])`);

const failedShare = (window: string): string =>
  `${rate(n8n(COUNT, 'status_code=~"5.."'), window)} / ${rate(n8n(COUNT), window)}`;

/** Prometheus 3 writes a bound of 10 as 10.0. */
const slowShare = (window: string): string =>
  `1 - ${rate(n8n(BUCKET, `le=~"${threshold('webhookSlowSeconds')}(\\\\.0)?"`), window)} / ${rate(n8n(COUNT), window)}`;

function burns(
  share: (window: string) => string,
  budget: string,
  { factor, long, short }: (typeof windows)[keyof typeof windows],
): string {
  const bound = `${String(factor)} * ${budget}`;
  return [
    `(${share(short)}) > ${bound}`,
    `and (${share(long)}) > ${bound}`,
    `and ${rate(n8n(COUNT), short)} > ${threshold('webhookMinPerSecond')}`,
  ].join('\n');
}

const errors: Pick<Alert, 'needs' | 'tellWhy' | 'whatToDo' | 'drill'> = {
  needs: [],
  tellWhy: [
    'Find the workflows with the most errors: `topk(5, sum by (workflow_id, status_code) (rate(n8n_webhook_request_duration_seconds_count{status_code=~"5.."}[5m])))`.',
    'If one workflow fails, its executions in the editor show the reason. Status 500 means that a workflow failed before it responded.',
    'If all workflows fail with status 503, n8n is shutting down or its queue does not respond. See [N8nNoWorkerUp](N8nNoWorkerUp.md), [N8nRedisDown](N8nRedisDown.md) and [N8nDatabasePoolWaiting](N8nDatabasePoolWaiting.md).',
    'If callers see more errors than the alert counts, the Ingress probably could not reach n8n, and responded with 502 or 504 itself. Compare the error rate with the metrics of the Ingress.',
  ],
  whatToDo: [
    'If somebody has changed the workflow, publish the previous version.',
    'If the workflow calls a service that is down, let it respond immediately (Respond: Immediately), and retry the call later.',
  ],
  drill:
    'Publish a workflow with a Webhook node that responds when the last node finishes, followed by a Stop and Error node. Send 10% of the requests to this workflow.',
};

const slowness: typeof errors = {
  needs: [],
  tellWhy: [
    'Find the slowest workflows: `topk(5, sum by (workflow_id) (rate(n8n_webhook_request_duration_seconds_sum[5m])) / sum by (workflow_id) (rate(n8n_webhook_request_duration_seconds_count[5m])))`.',
    'In queue mode, check whether jobs are waiting: see [N8nQueueWaitLong](N8nQueueWaitLong.md).',
    'If all workflows are slow and no jobs are waiting, see [N8nEventLoopLag](N8nEventLoopLag.md), [N8nCpuThrottled](N8nCpuThrottled.md) and [N8nDatabasePoolWaiting](N8nDatabasePoolWaiting.md).',
  ],
  whatToDo: [
    'If the workflow is meant to be slow, let it respond immediately, or adjust `webhookSlowSeconds` and `webhookSlowBudget` to the latency that its callers expect.',
    'If n8n is slow, run `n8n-tuned find` to measure the capacity and find the bottleneck.',
  ],
  drill: 'Send requests to the bundled workload `wait-5s` with more clients than worker slots.',
};

export const webhooks: AlertGroup = {
  name: 'n8n-webhooks',
  alerts: [
    {
      ...errors,
      name: 'N8nWebhookErrorsFast',
      severity: 'critical',
      forMinutes: 2,
      expr: burns(failedShare, threshold('webhookErrorBudget'), windows.fast),
      summary: '{{ $value | humanizePercentage }} of webhook requests receive a 5xx status.',
      meaning:
        "In the last hour and in the last five minutes, webhooks failed more than 14.4 times as often as the error budget allows. At this rate, a month's budget lasts about two days.",
    },
    {
      ...errors,
      name: 'N8nWebhookErrorsSlow',
      severity: 'warning',
      forMinutes: 15,
      expr: burns(failedShare, threshold('webhookErrorBudget'), windows.slow),
      summary:
        '{{ $value | humanizePercentage }} of webhook requests have received a 5xx status for hours.',
      meaning:
        "In the last six hours and in the last 30 minutes, webhooks failed more than 6 times as often as the error budget allows. At this rate, a month's budget lasts about five days.",
    },
    {
      ...slowness,
      name: 'N8nWebhookLatencyFast',
      severity: 'critical',
      forMinutes: 2,
      expr: burns(slowShare, threshold('webhookSlowBudget'), windows.fast),
      summary: `{{ $value | humanizePercentage }} of webhook requests take longer than ${threshold('webhookSlowSeconds')} s.`,
      meaning:
        'In the last hour and in the last five minutes, webhooks were slow more than 14.4 times as often as the budget allows. n8n measures the time from the request to its response.',
    },
    {
      ...slowness,
      name: 'N8nWebhookLatencySlow',
      severity: 'warning',
      forMinutes: 15,
      expr: burns(slowShare, threshold('webhookSlowBudget'), windows.slow),
      summary: `{{ $value | humanizePercentage }} of webhook requests take longer than ${threshold('webhookSlowSeconds')} s, and have done so for hours.`,
      meaning:
        'In the last six hours and in the last 30 minutes, webhooks were slow more than 6 times as often as the budget allows.',
    },
  ],
};
