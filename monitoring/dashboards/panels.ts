import {
  chosen,
  ofQueue,
  orZero,
  perProcess,
  PROCESS,
  quantile,
  rateOf,
  sumOf,
  type PanelSpec,
} from './spec';

/** Panels that more than one dashboard shows. */

const ENDED = 'n8n_workflow_execution_duration_seconds_count';
const WEBHOOKS = 'n8n_webhook_request_duration_seconds';

export const executionsPerSecond: PanelSpec = {
  title: 'Executions per second',
  kind: 'lines',
  unit: 'ops',
  queries: [
    { expr: sumOf(rateOf(ENDED, 'status="success"')), legend: 'success' },
    { expr: orZero(sumOf(rateOf(ENDED, 'status="failed"'))), legend: 'failed' },
  ],
  meaning:
    'Production executions that ended. In queue mode n8n counts them where they were asked for, not by the worker that ran them.',
  whenBad:
    'Failures that grow: the list of executions in the editor, filtered by Error; one workflow or many? Runbook N8nExecutionsFailing. A line that stops while requests come: runbook N8nJobsWaitNoneActive.',
};

export const failedShare: PanelSpec = {
  title: 'Executions that fail',
  kind: 'number',
  unit: 'percentunit',
  queries: [
    {
      expr: `(${orZero(sumOf(rateOf(ENDED, 'status="failed"')))}) / sum(${rateOf(ENDED)})`,
      legend: '',
    },
  ],
  meaning: 'Share of the executions that ended.',
  whenBad:
    'Compare with the days before: some workflows always fail. Runbook N8nExecutionsFailing.',
  bounds: [0.05, 0.2],
  max: 1,
};

export const processesUp: PanelSpec = {
  title: 'Processes up',
  kind: 'number',
  unit: 'short',
  queries: [
    { expr: sumOf(chosen('up', 'role=~"main|worker|webhook"'), 'role'), legend: '{{role}}' },
  ],
  meaning: 'Processes of each role that Prometheus reaches.',
  whenBad:
    'A role that is missing: `kubectl get pods`, then runbook N8nMainDown, N8nNoWorkerUp or N8nProcessDown.',
};

export const activeWorkflows: PanelSpec = {
  title: 'Active workflows',
  kind: 'number',
  unit: 'short',
  queries: [{ expr: ofQueue('n8n_active_workflow_count'), legend: '' }],
  meaning: 'Workflows whose triggers are registered.',
  whenBad: 'A sudden fall: was the right database connected, with the right encryption key?',
};

export const webhooksPerSecond: PanelSpec = {
  title: 'Webhook requests per second, by status',
  kind: 'lines',
  unit: 'reqps',
  queries: [{ expr: sumOf(rateOf(`${WEBHOOKS}_count`), 'status_code'), legend: '{{status_code}}' }],
  meaning: 'Requests that n8n responded to, without those to which an Ingress itself responds.',
  whenBad:
    '5xx: runbook N8nWebhookErrorsFast. 404: a caller with an old address, or a workflow that is no longer active.',
};

export const webhookLatency: PanelSpec = {
  title: 'Webhook latency',
  kind: 'lines',
  unit: 's',
  queries: [
    { expr: quantile(0.5, `${WEBHOOKS}_bucket`), legend: 'median' },
    { expr: quantile(0.95, `${WEBHOOKS}_bucket`), legend: '95th percentile' },
    {
      expr: `sum(${rateOf(`${WEBHOOKS}_sum`)}) / sum(${rateOf(`${WEBHOOKS}_count`)})`,
      legend: 'mean',
    },
  ],
  meaning:
    'From when n8n has a request to when it has responded. The percentiles are estimates between the bounds 3, 30, 100, 300 ms, 1.5 and 10 s; the mean is exact.',
  whenBad:
    'Do jobs wait? Is an event loop late? Does a database pool wait? Runbook N8nWebhookLatencyFast.',
};

export const queueDepth: PanelSpec = {
  title: 'Jobs in the queue',
  kind: 'lines',
  unit: 'short',
  queries: [
    { expr: ofQueue('n8n_scaling_mode_queue_jobs_waiting'), legend: 'waiting' },
    { expr: ofQueue('n8n_scaling_mode_queue_jobs_active'), legend: 'active' },
  ],
  meaning:
    'Jobs that wait for a worker and jobs that one runs, every 20 s, as each main sees them.',
  whenBad:
    'Waiting grows: runbook N8nQueueGrowing. Waiting and none active: runbook N8nJobsWaitNoneActive.',
};

export const slotsInUse: PanelSpec = {
  title: 'Worker slots in use',
  kind: 'lines',
  unit: 'percentunit',
  queries: [
    {
      expr: `${ofQueue('n8n_scaling_mode_queue_jobs_active')} / sum(${chosen('n8n_tuned_worker_concurrency')})`,
      legend: 'in use',
    },
  ],
  meaning: 'Active jobs over the slots of all workers.',
  whenBad:
    'At 100% with idle CPU raise `worker.concurrency`; with busy CPU add workers. Runbook N8nWorkerSlotsFull.',
  bounds: [0.7, 0.9],
  max: 1,
};

export const cpuCores: PanelSpec = {
  title: 'CPU of each process',
  kind: 'lines',
  unit: 'short',
  queries: [{ expr: perProcess(rateOf('n8n_process_cpu_seconds_total')), legend: PROCESS }],
  meaning:
    'Cores in use, without the task runner. n8n does its own work on one thread, so about 1 is the most.',
  whenBad:
    'Near 1: more processes of this role; a larger CPU limit does not help. Runbook N8nEventLoopLag.',
  bounds: [0.7, 0.9],
};

export const eventLoopLag: PanelSpec = {
  title: 'Event-loop lag, 99th percentile',
  kind: 'lines',
  unit: 's',
  queries: [{ expr: chosen('n8n_nodejs_eventloop_lag_p99_seconds'), legend: PROCESS }],
  meaning:
    'By how much work starts late because the one thread is busy. n8n measures every 10 ms: less than 0.02 s is none.',
  whenBad: 'Every response is late by this. Runbook N8nEventLoopLag.',
  bounds: [0.1, 0.5],
};

export const heapShare: PanelSpec = {
  title: 'Heap in use, of its limit',
  kind: 'lines',
  unit: 'percentunit',
  queries: [
    {
      expr: `${chosen('n8n_nodejs_heap_size_used_bytes')} / ${chosen('n8n_tuned_heap_limit_bytes')}`,
      legend: PROCESS,
    },
  ],
  meaning:
    'At 100% V8 ends the process with "JavaScript heap out of memory". A saw-tooth is the garbage collector at work.',
  whenBad: 'The low points count: when they rise over days it is a leak. Runbook N8nHeapNearLimit.',
  bounds: [0.75, 0.9],
  max: 1,
};

export const poolWaiting: PanelSpec = {
  title: 'Queries that wait for a connection',
  kind: 'lines',
  unit: 'short',
  queries: [{ expr: chosen('n8n_db_pool_requests_pending'), legend: PROCESS }],
  meaning: 'Of each process, while all connections of its pool are in use.',
  whenBad:
    'More than 0 for minutes: raise `database.poolSize`, or look at the database. Runbook N8nDatabasePoolWaiting.',
  bounds: [1, 10],
};

export const jobsStalled: PanelSpec = {
  title: 'Executions lost with their worker',
  kind: 'number',
  unit: 'short',
  queries: [
    {
      expr: orZero(`sum(increase(${chosen('n8n_queue_job_stalled_total')}[$__range]))`),
      legend: '',
    },
  ],
  meaning:
    'Jobs whose worker died or stood still, in the time that is shown. n8n does not run them again.',
  whenBad: 'Run again those whose work is still wanted. Runbook N8nJobsStalled.',
  bounds: [1, 1],
};
