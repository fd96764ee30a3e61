import * as panels from '../panels';
import { chosen, ofQueue, perProcess, PROCESS, rateOf, sumOf, type DashboardSpec } from '../spec';

export const queue: DashboardSpec = {
  uid: 'n8n-queue-and-workers',
  title: 'n8n / Queue and workers',
  description: 'For queue mode: which jobs wait, which workers take them, and which are lost.',
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
          meaning: 'Jobs that workers have finished. Each main counts all of them.',
          whenBad:
            'If fewer jobs complete while jobs are waiting, there are fewer workers, or the jobs take longer: see runbook N8nQueueGrowing.',
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
          meaning:
            'Number of waiting jobs, divided by the number of jobs that complete per second. If no jobs complete, there is no line.',
          whenBad:
            'If a webhook responds when its workflow ends, its callers wait longer by this time: see runbook N8nQueueWaitLong.',
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
          meaning: 'All workers of a pool take about the same number of jobs.',
          whenBad:
            'If a worker takes no jobs while other workers are busy, see runbook N8nWorkerSilent.',
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
          meaning: 'Number of cores in use, without the task runner. The maximum is about 1.',
          whenBad:
            'Near 1, add workers. Far below 1 with all slots in use, raise `worker.concurrency`.',
          bounds: [0.7, 0.9],
        },
        panels.jobsStalled,
        {
          title: 'Slots of all workers',
          kind: 'number',
          unit: 'short',
          queries: [{ expr: sumOf(chosen('n8n_tuned_worker_concurrency')), legend: '' }],
          meaning: 'Number of executions that all workers together can run at the same time.',
          whenBad:
            'If the number is lower than you set, a worker is missing, or `N8N_CONCURRENCY_PRODUCTION_LIMIT` overrides the setting.',
        },
      ],
    },
  ],
};
