import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { dashboardOf } from './build';
import * as panels from './panels';
import {
  chosen,
  ofQueue,
  perProcess,
  PROCESS,
  quantile,
  rateOf,
  sumOf,
  type DashboardSpec,
} from './spec';

const overview: DashboardSpec = {
  uid: 'n8n-overview',
  title: 'n8n / Overview',
  description: 'Is n8n well? One row per question; the other dashboards say why.',
  rows: [
    {
      title: 'Is it up?',
      panels: [
        panels.processesUp,
        panels.activeWorkflows,
        panels.failedShare,
        {
          title: 'Started',
          kind: 'number',
          unit: 's',
          queries: [
            {
              expr: `time() - max by (role) (${chosen('n8n_process_start_time_seconds')})`,
              legend: '{{role}}',
            },
          ],
          meaning: 'How long ago the youngest process of each role started.',
          whenBad:
            'Minutes, and nobody has deployed: runbooks N8nRestarting and N8nOutOfMemoryKill.',
        },
      ],
    },
    { title: 'Does it work?', panels: [panels.executionsPerSecond, panels.webhooksPerSecond] },
    { title: 'Is it fast?', panels: [panels.webhookLatency, panels.eventLoopLag] },
    { title: 'Is there room?', panels: [panels.cpuCores, panels.heapShare] },
  ],
};

const capacity: DashboardSpec = {
  uid: 'n8n-capacity',
  title: 'n8n / Capacity',
  description:
    'What n8n does now, and how near each resource is to its end. What it can sustain says a measurement: n8n-tuned find.',
  rows: [
    {
      title: 'Load',
      panels: [
        panels.executionsPerSecond,
        {
          title: 'Time of an execution',
          kind: 'lines',
          unit: 's',
          queries: [
            {
              expr: quantile(0.5, 'n8n_workflow_execution_duration_seconds_bucket'),
              legend: 'median',
            },
            {
              expr: quantile(0.95, 'n8n_workflow_execution_duration_seconds_bucket'),
              legend: '95th percentile',
            },
          ],
          meaning: 'From its start to its end, without the time in the queue.',
          whenBad:
            'It grows with the load: something is used up, see the row below. It grows without: a service that workflows ask has become slow.',
        },
      ],
    },
    {
      title: 'What limits: the first of these that is full',
      panels: [
        panels.cpuCores,
        panels.eventLoopLag,
        panels.heapShare,
        {
          title: 'Database pool in use',
          kind: 'lines',
          unit: 'percentunit',
          queries: [
            {
              expr: `${chosen('n8n_db_pool_connections_active')} / ${chosen('n8n_db_pool_connections_max')}`,
              legend: PROCESS,
            },
          ],
          meaning: 'Connections in use, of those that the pool of a process may have.',
          whenBad: 'At 100 % with queries that wait: runbook N8nDatabasePoolWaiting.',
          bounds: [0.7, 0.9],
          max: 1,
        },
      ],
    },
  ],
};

const queue: DashboardSpec = {
  uid: 'n8n-queue-and-workers',
  title: 'n8n / Queue and workers',
  description: 'Queue mode: what waits, who takes it, and what is lost.',
  rows: [
    {
      title: 'Queue',
      panels: [
        panels.queueDepth,
        panels.slotsInUse,
        {
          title: 'Jobs per second',
          kind: 'lines',
          unit: 'ops',
          queries: [
            {
              expr: `max(${rateOf('n8n_scaling_mode_queue_jobs_completed')})`,
              legend: 'completed',
            },
            { expr: `max(${rateOf('n8n_scaling_mode_queue_jobs_failed')})`, legend: 'failed' },
          ],
          meaning: 'Jobs that workers ended, as each main counts them.',
          whenBad:
            'Completed falls while jobs wait: fewer workers, or slower work. Runbook N8nQueueGrowing.',
        },
        {
          title: 'Wait for a worker, estimated',
          kind: 'lines',
          unit: 's',
          queries: [
            {
              expr: `${ofQueue('n8n_scaling_mode_queue_jobs_waiting')} / (max(${rateOf('n8n_scaling_mode_queue_jobs_completed')}) > 0)`,
              legend: 'wait',
            },
          ],
          meaning: 'Waiting jobs over jobs completed per second. No line: nothing completes.',
          whenBad:
            'Callers of webhooks that answer at their end wait this long in addition. Runbook N8nQueueWaitLong.',
          bounds: [10, 60],
        },
      ],
    },
    {
      title: 'Workers',
      panels: [
        {
          title: 'Jobs taken per second, by worker',
          kind: 'lines',
          unit: 'ops',
          queries: [
            {
              expr: perProcess(rateOf('n8n_queue_job_dequeued_total', 'role="worker"')),
              legend: PROCESS,
            },
          ],
          meaning: 'Workers of one pool take about the same.',
          whenBad: 'A worker at 0 while others are busy: runbook N8nWorkerSilent.',
        },
        {
          title: 'CPU by worker',
          kind: 'lines',
          unit: 'short',
          queries: [
            {
              expr: perProcess(rateOf('n8n_process_cpu_seconds_total', 'role="worker"')),
              legend: PROCESS,
            },
          ],
          meaning: 'Cores in use, without the task runner. About 1 is the most.',
          whenBad: 'Near 1: more workers. Far below with all slots in use: more slots.',
          bounds: [0.7, 0.9],
        },
        panels.jobsStalled,
        {
          title: 'Slots of all workers',
          kind: 'number',
          unit: 'short',
          queries: [{ expr: sumOf(chosen('n8n_tuned_worker_concurrency')), legend: '' }],
          meaning: 'Executions that all workers together run at once.',
          whenBad:
            'Fewer than you set: a worker is missing, or `N8N_CONCURRENCY_PRODUCTION_LIMIT` overrides.',
        },
      ],
    },
  ],
};

const memory: DashboardSpec = {
  uid: 'n8n-memory-and-heap',
  title: 'n8n / Memory and heap',
  description:
    'What each process holds inside and outside the heap, and how far it is from its limits.',
  rows: [
    {
      title: 'Against the limits',
      panels: [
        panels.heapShare,
        {
          title: 'Memory in use, and the limit of the container',
          kind: 'lines',
          unit: 'bytes',
          queries: [
            { expr: chosen('n8n_process_resident_memory_bytes'), legend: PROCESS },
            {
              expr: `max by (role) (${chosen('n8n_tuned_memory_limit_bytes')})`,
              legend: 'limit of {{role}}',
            },
          ],
          meaning:
            'Resident memory of n8n, without its task runner, which shares the limit in internal mode.',
          whenBad:
            'Near the limit the kernel ends the container. Runbooks N8nContainerNearMemoryLimit and N8nOutOfMemoryKill.',
        },
      ],
    },
    {
      title: 'Where it is',
      panels: [
        {
          title: 'Heap in use',
          kind: 'lines',
          unit: 'bytes',
          queries: [{ expr: chosen('n8n_nodejs_heap_size_used_bytes'), legend: PROCESS }],
          meaning: 'Objects of JavaScript.',
          whenBad:
            'Rising low points: a leak, or more executions at once. Runbook N8nHeapNearLimit.',
        },
        {
          title: 'Outside the heap',
          kind: 'lines',
          unit: 'bytes',
          queries: [
            {
              expr: `${chosen('n8n_process_resident_memory_bytes')} - ${chosen('n8n_nodejs_heap_size_total_bytes')}`,
              legend: PROCESS,
            },
          ],
          meaning: 'Buffers, expression sandboxes, native code. No heap limit stops it.',
          whenBad: 'Growth that does not end: runbook N8nMemoryOutsideHeapGrows.',
        },
        {
          title: 'Buffers',
          kind: 'lines',
          unit: 'bytes',
          queries: [{ expr: chosen('n8n_nodejs_external_memory_bytes'), legend: PROCESS }],
          meaning: 'Memory outside the heap that objects of JavaScript hold: payloads, files.',
          whenBad: 'Peaks of large payloads: `N8N_PAYLOAD_SIZE_MAX`, binary data in files.',
        },
        {
          title: 'Time in the garbage collector',
          kind: 'lines',
          unit: 'percentunit',
          queries: [
            { expr: perProcess(rateOf('n8n_nodejs_gc_duration_seconds_sum')), legend: PROCESS },
          ],
          meaning: 'Share of time.',
          whenBad: 'Above a tenth the heap is too small for the work: runbook N8nHeapNearLimit.',
          bounds: [0.1, 0.3],
        },
      ],
    },
  ],
};

const webhooks: DashboardSpec = {
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
            'By path. A workflow that answers when its last node finishes takes its whole run time.',
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
          whenBad: 'Raise `N8N_EXPRESSION_ENGINE_POOL_SIZE`. Runbook N8nExpressionSandboxesCold.',
        },
      ],
    },
  ],
};

const stores: DashboardSpec = {
  uid: 'n8n-database-and-redis',
  title: 'n8n / Database and Redis',
  description:
    'The stores as n8n sees them, without an exporter of theirs: the pool of each process, and what goes through the queue.',
  rows: [
    {
      title: 'Database',
      panels: [
        panels.poolWaiting,
        {
          title: 'Connections of the pools',
          kind: 'lines',
          unit: 'short',
          queries: [
            { expr: sumOf(chosen('n8n_db_pool_connections_active')), legend: 'in use' },
            { expr: sumOf(chosen('n8n_db_pool_connections_idle')), legend: 'idle' },
            { expr: sumOf(chosen('n8n_db_pool_connections_max')), legend: 'most' },
          ],
          meaning:
            'Of all processes together. "Most" must be below `max_connections` of PostgreSQL.',
          whenBad: 'Runbook N8nPostgresqlConnections.',
        },
        {
          title: 'Time to get a connection',
          kind: 'lines',
          unit: 's',
          queries: [
            { expr: quantile(0.5, 'n8n_db_pool_acquire_seconds_bucket'), legend: 'median' },
            {
              expr: quantile(0.99, 'n8n_db_pool_acquire_seconds_bucket'),
              legend: '99th percentile',
            },
          ],
          meaning: 'Of PostgreSQL only. Each execution takes a connection some dozens of times.',
          whenBad:
            'Above a few milliseconds: the pool is full, or the database is far or slow. Runbook N8nDatabasePoolWaiting.',
        },
      ],
    },
    {
      title: 'Redis',
      panels: [
        panels.queueDepth,
        {
          title: 'Jobs put into the queue and taken from it, per second',
          kind: 'lines',
          unit: 'ops',
          queries: [
            { expr: sumOf(rateOf('n8n_queue_job_enqueued_total')), legend: 'put in' },
            { expr: sumOf(rateOf('n8n_queue_job_dequeued_total')), legend: 'taken' },
          ],
          meaning: 'The two are level on a healthy system.',
          whenBad:
            'Taken below put in: runbook N8nQueueGrowing. Both stop: Redis is away, runbook N8nRedisDown.',
        },
        panels.jobsStalled,
      ],
    },
  ],
};

export const dashboards: readonly Dashboard[] = [
  overview,
  capacity,
  queue,
  memory,
  webhooks,
  stores,
].map(dashboardOf);
