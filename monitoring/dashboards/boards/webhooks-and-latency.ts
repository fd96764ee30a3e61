import * as panels from '../panels';
import { perProcess, PROCESS, rateOf, sumOf, type DashboardSpec } from '../spec';

export const webhooks: DashboardSpec = {
  uid: 'n8n-webhooks',
  title: 'n8n / Webhooks and latency',
  description: 'What the callers of webhooks see.',
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
          meaning: 'Requests per second for each webhook path.',
          whenBad: 'If one caller sends too many requests, limit its rate at the Ingress.',
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
            'Mean latency for each webhook path. If a workflow responds when its last node finishes, the latency includes its whole run time.',
          whenBad:
            'If only one workflow is slow, its executions in the editor show which node takes the time. If all are slow, see runbook N8nWebhookLatencyFast.',
        },
      ],
    },
    {
      title: 'Possible causes',
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
            'n8n keeps a few sandboxes ready. If no sandbox is ready, n8n builds one, which blocks its event loop for 6 to 36 ms.',
          whenBad: 'Raise `tuning.readySandboxes`: see runbook N8nExpressionSandboxesCold.',
        },
      ],
    },
  ],
};
