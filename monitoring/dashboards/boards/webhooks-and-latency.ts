import * as panels from '../panels';
import { perProcess, PROCESS, rateOf, sumOf, type DashboardSpec } from '../spec';

export const webhooks: DashboardSpec = {
  uid: 'n8n-webhooks',
  title: 'n8n / Webhooks and latency',
  description: 'What callers of webhooks see.',
  rows: [
    { title: 'All webhooks', panels: [panels.webhooksPerSecond, panels.webhookLatency] },
    {
      title: 'Which workflow',
      panels: [
        {
          title: 'Requests per second, the ten busiest',
          kind: 'lines',
          unit: 'reqps',
          queries: [
            {
              expr: `topk(10, ${sumOf(rateOf('n8n_webhook_request_duration_seconds_count'), 'webhook_path')})`,
              legend: '{{webhook_path}}',
            },
          ],
          meaning: 'By path.',
          whenBad: 'One caller that floods the rest: limit it at the Ingress.',
        },
        {
          title: 'Mean latency, the ten slowest',
          kind: 'lines',
          unit: 's',
          queries: [
            {
              expr: `topk(10, ${sumOf(rateOf('n8n_webhook_request_duration_seconds_sum'), 'webhook_path')} / ${sumOf(rateOf('n8n_webhook_request_duration_seconds_count'), 'webhook_path')})`,
              legend: '{{webhook_path}}',
            },
          ],
          meaning:
            'By path. A workflow that responds when its last node finishes takes its whole run time.',
          whenBad:
            'One alone: its executions in the editor say which node. All: runbook N8nWebhookLatencyFast.',
        },
      ],
    },
    {
      title: 'What stands behind it',
      panels: [
        panels.eventLoopLag,
        {
          title: 'Expression sandboxes built while an execution waits',
          kind: 'lines',
          unit: 'cps',
          queries: [
            {
              expr: perProcess(rateOf('n8n_expression_pool_cold_start_sync_total')),
              legend: PROCESS,
            },
          ],
          meaning:
            'n8n keeps a few ready; when none is left it builds one, and its event loop waits for 6 to 36 ms.',
          whenBad: 'Raise `tuning.readySandboxes`. Runbook N8nExpressionSandboxesCold.',
        },
      ],
    },
  ],
};
