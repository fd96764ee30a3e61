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
    'Production executions that ended. In queue mode, n8n counts an execution in the process that started it, not in the worker that ran it.',
  whenBad:
    'If more executions fail, filter the list of executions in the editor by the status Error, and check whether only one workflow fails: see runbook N8nExecutionsFailing. If a line stops while requests arrive, see runbook N8nJobsWaitNoneActive.',
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
  meaning: 'Share of failed executions among the executions that ended.',
  whenBad:
    'Compare the share with the previous days, because some workflows always fail: see runbook N8nExecutionsFailing.',
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
  meaning: 'Number of processes of each role that Prometheus can reach.',
  whenBad:
    'If a role is missing, run `kubectl get pods`, then see runbook N8nMainDown, N8nNoWorkerUp or N8nProcessDown.',
};

export const activeWorkflows: PanelSpec = {
  title: 'Active workflows',
  kind: 'number',
  unit: 'short',
  queries: [{ expr: ofQueue('n8n_active_workflow_count'), legend: '' }],
  meaning: 'Number of workflows whose triggers are registered.',
  whenBad:
    'If the number falls suddenly, check that n8n uses the correct database and encryption key.',
};

export const webhooksPerSecond: PanelSpec = {
  title: 'Webhook requests per second, by status',
  kind: 'lines',
  unit: 'reqps',
  queries: [{ expr: sumOf(rateOf(`${WEBHOOKS}_count`), 'status_code'), legend: '{{status_code}}' }],
  meaning: 'Requests that n8n responded to. Responses from an Ingress itself are not included.',
  whenBad:
    'For status 5xx, see runbook N8nWebhookErrorsFast. Status 404 means that a caller uses an old address, or that the workflow is no longer active.',
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
    'Time from the arrival of a request at n8n to the response. The percentiles are estimates between the bucket bounds (3, 30, 100 and 300 ms, 1.5 and 10 s); the mean is exact.',
  whenBad:
    'Check whether jobs are waiting, an event loop lags, or queries wait for a database connection: see runbook N8nWebhookLatencyFast.',
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
    'Jobs that wait for a worker, and jobs that a worker is running. Each main counts both every 20 s.',
  whenBad:
    'If the number of waiting jobs grows, see runbook N8nQueueGrowing. If jobs are waiting and none is active, see runbook N8nJobsWaitNoneActive.',
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
  meaning: 'Number of active jobs, divided by the slots of all workers.',
  whenBad:
    "At 100%, raise `worker.concurrency` if the workers' CPU is idle, or add workers if it is busy: see runbook N8nWorkerSlotsFull.",
  bounds: [0.7, 0.9],
  max: 1,
};

export const cpuCores: PanelSpec = {
  title: 'CPU of each process',
  kind: 'lines',
  unit: 'short',
  queries: [{ expr: perProcess(rateOf('n8n_process_cpu_seconds_total')), legend: PROCESS }],
  meaning:
    'Number of cores in use, without the task runner. n8n does its own work on one thread, so the maximum is about 1.',
  whenBad:
    'Near 1, add processes of this role, because a larger CPU limit does not help: see runbook N8nEventLoopLag.',
  bounds: [0.7, 0.9],
};

export const eventLoopLag: PanelSpec = {
  title: 'Event-loop lag, 99th percentile',
  kind: 'lines',
  unit: 's',
  queries: [{ expr: chosen('n8n_nodejs_eventloop_lag_p99_seconds'), legend: PROCESS }],
  meaning:
    'How late work starts because the JavaScript thread is busy. n8n measures the lag every 10 ms, so values below 0.02 s mean no lag.',
  whenBad: 'Every response is late by this amount of time: see runbook N8nEventLoopLag.',
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
    'At 100%, V8 ends the process with the error "JavaScript heap out of memory". A saw-tooth pattern is normal: it shows the garbage collector at work.',
  whenBad:
    'Look at the low points: if they rise over days, there is a leak. See runbook N8nHeapNearLimit.',
  bounds: [0.75, 0.9],
  max: 1,
};

export const poolWaiting: PanelSpec = {
  title: 'Queries that wait for a connection',
  kind: 'lines',
  unit: 'short',
  queries: [{ expr: chosen('n8n_db_pool_requests_pending'), legend: PROCESS }],
  meaning:
    'Number of queries of each process that wait because all connections of its pool are in use.',
  whenBad:
    'If queries wait for minutes, raise `database.poolSize`, or check the database: see runbook N8nDatabasePoolWaiting.',
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
    'Jobs whose worker died or was blocked, within the time range of the dashboard. n8n does not rerun these jobs.',
  whenBad: 'Retry the executions that you still need: see runbook N8nJobsStalled.',
  bounds: [1, 1],
};
