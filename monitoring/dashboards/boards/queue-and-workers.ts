import * as panels from '../panels';
import { chosen, ofQueue, perProcess, PROCESS, rateOf, sumOf, type DashboardSpec } from '../spec';

export const queue: DashboardSpec = {
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
            'Callers of webhooks that respond at their end wait this long in addition. Runbook N8nQueueWaitLong.',
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
