import type { AlertGroup } from '../alert';
import { n8n, perRelease, threshold } from '../tokens';

const waiting = n8n('n8n_scaling_mode_queue_jobs_waiting');
const active = n8n('n8n_scaling_mode_queue_jobs_active');
const completed = n8n('n8n_scaling_mode_queue_jobs_completed');
/** Executions themselves are counted where they were asked for, not by the worker that ran them. */
const taken = n8n('n8n_queue_job_dequeued_total', 'role="worker"');
const workerUp = n8n('up', 'role="worker"');

/** One process has one such series; n8n makes the series with the first job, which is no increase then. */
const PER_PROCESS = 'by (namespace, release, instance)';
const silent = `${threshold('workerSilentMinutes')}m`;

export const queue: AlertGroup = {
  name: 'n8n-queue',
  alerts: [
    {
      name: 'N8nQueueGrowing',
      severity: 'warning',
      forMinutes: 5,
      needs: ['queue'],
      expr: [
        `${perRelease('max', waiting)} > ${threshold('queueWaitingJobs')}`,
        `and ${perRelease('max', waiting)} > 1.2 * ${perRelease('max', `${waiting} offset 10m`)}`,
      ].join('\n'),
      summary: '{{ $value }} jobs wait in the queue, and their number is growing.',
      meaning:
        'Executions start faster than workers complete them. As long as the queue grows, each execution waits longer than the one before.',
      tellWhy: [
        'Compare `rate(n8n_scaling_mode_queue_jobs_completed[5m])` with its value an hour ago. If the rate is the same or higher, the load has increased. If the rate is lower, the jobs take longer.',
        'If the jobs take longer, check whether all slots are in use ([N8nWorkerSlotsFull](N8nWorkerSlotsFull.md)). The editor lists the running executions with their workflows.',
        'If there are fewer workers than before, see [N8nNoWorkerUp](N8nNoWorkerUp.md) and [N8nWorkerSilent](N8nWorkerSilent.md).',
      ],
      whatToDo: [
        "If all slots are in use but the workers' CPU is idle, raise `worker.concurrency`.",
        "If the workers' CPU is busy, add workers on more cores. `n8n-tuned recommend` calculates the number of workers for a given rate.",
        'If one workflow floods the queue, limit its rate, or give it a worker pool of its own.',
      ],
      drill:
        'Run the `wait-5s` workload with `n8n-tuned run --profile load` at a higher rate than the workers can handle (slots / 5 s).',
    },
    {
      name: 'N8nQueueWaitLong',
      severity: 'critical',
      forMinutes: 5,
      needs: ['queue'],
      expr: `${perRelease('max', waiting)} / ${perRelease('max', `rate(${completed}[5m])`)} > ${threshold('queueWaitSeconds')} < +Inf`,
      summary: 'A new execution waits about {{ $value | humanizeDuration }} for a worker.',
      meaning:
        'n8n has no metric for the age of a job. The alert therefore estimates how long the last job in the queue has to wait: the number of waiting jobs, divided by the number of jobs that workers complete per second. The estimate is accurate only while workers complete jobs at a steady rate. If no jobs complete, [N8nJobsWaitNoneActive](N8nJobsWaitNoneActive.md) fires instead.',
      tellWhy: ['Follow the same steps as for [N8nQueueGrowing](N8nQueueGrowing.md).'],
      whatToDo: [
        'Apply the same fixes as for [N8nQueueGrowing](N8nQueueGrowing.md). Waiting jobs are not lost: they run when the workers catch up.',
        'If a webhook responds only at the end of its workflow, callers may give up. Warn these callers, or change the workflow so that it responds immediately.',
      ],
      drill:
        'Run the `wait-5s` workload for ten minutes at twice the rate that the workers can handle (slots / 5 s).',
    },
    {
      name: 'N8nJobsWaitNoneActive',
      severity: 'critical',
      forMinutes: 1,
      needs: ['queue'],
      expr: [
        `${perRelease('max', `min_over_time(${waiting}[3m])`)} > 0`,
        `and ${perRelease('max', `max_over_time(${active}[3m])`)} == 0`,
      ].join('\n'),
      summary: '{{ $value }} jobs or more are waiting in the queue, and no worker takes any.',
      meaning:
        'For three minutes, jobs have been waiting and none has been active, so no worker is taking jobs. The alert fires even if the workers are up and ready. If a worker loses its connection to Redis without an error, it waits forever.',
      tellWhy: [
        'Check whether any worker is up: see [N8nNoWorkerUp](N8nNoWorkerUp.md).',
        "If workers are up, check a worker's log. If the log contains no lines about executions or Redis for several minutes, the connection is lost.",
        'Check that main and the workers use the same Redis, database number and prefix (`QUEUE_BULL_PREFIX`). If these settings have changed, main and the workers may use different queues.',
      ],
      whatToDo: [
        'Restart the workers: `kubectl rollout restart deployment/FULLNAME-worker`. After the restart, the workers take the waiting jobs immediately. With `worker.guardSeconds`, a worker that has lost its connection restarts itself. The log of the previous container then contains `worker-guard` (`kubectl logs -p`).',
        'If the alert fires again, a network device between the workers and Redis is probably dropping idle connections: see docs/chart/redis.md.',
      ],
      drill:
        "Create a NetworkPolicy that blocks the workers' egress to Redis, which cuts them off without closing their connections.",
    },
    {
      name: 'N8nWorkerSlotsFull',
      severity: 'warning',
      forMinutes: 10,
      needs: ['queue', 'workersScraped'],
      expr: [
        `${perRelease('max', active)} / ${perRelease('sum', n8n('n8n_tuned_worker_concurrency'))} >= ${threshold('workerSlotsShare')}`,
        `and ${perRelease('max', waiting)} > 0`,
      ].join('\n'),
      summary:
        '{{ $value | humanizePercentage }} of all worker slots are in use, and jobs are waiting.',
      meaning:
        "A worker runs `worker.concurrency` executions at the same time. The maximum number of executions per second is the number of slots divided by the duration of one execution, even if the workers' CPU is idle.",
      tellWhy: [
        'Check whether the workers\' CPU is busy. If `rate(n8n_process_cpu_seconds_total{role="worker"}[5m])` is close to 1, the event loop has no time left.',
        "If the workers' CPU is idle, executions wait for something outside n8n, such as a slow service, a Wait node, or an HTTP request without a timeout.",
      ],
      whatToDo: [
        "If the workers' CPU is idle, raise `worker.concurrency` and also `database.poolSize`.",
        "If the workers' CPU is busy, add workers on more cores, because with more slots, each execution would only become slower.",
        'If a service hangs, set a timeout in the HTTP Request nodes that call it.',
      ],
      drill:
        'Run the `wait-5s` workload at a higher rate than the workers can handle (slots / 5 s).',
    },
    {
      name: 'N8nWorkerSilent',
      severity: 'warning',
      forMinutes: 0,
      needs: ['queue', 'workersScraped'],
      expr: [
        `(${workerUp} == 1)`,
        `and on (namespace, release, instance) (time() - ${n8n('n8n_process_start_time_seconds', 'role="worker"')} > 60 * ${threshold('workerSilentMinutes')})`,
        `unless on (namespace, release, instance) (`,
        `  sum ${PER_PROCESS} (increase(${taken}[${silent}])) > 0`,
        `  or sum ${PER_PROCESS} (${taken}) unless sum ${PER_PROCESS} (${taken} offset ${silent})`,
        `)`,
        `and on (namespace, release) (${perRelease('max', `min_over_time(${waiting}[${silent}])`)} > 0)`,
      ].join('\n'),
      summary: `{{ with $labels.pod }}{{ . }}{{ else }}{{ $labels.instance }}{{ end }} is up but has taken no job for ${threshold('workerSilentMinutes')} minutes while jobs were waiting.`,
      meaning:
        'The worker does not take any jobs, or all of its slots are busy with executions that do not end. The other workers continue, so the queue as a whole can look healthy.',
      tellWhy: [
        'If the editor shows executions that take longer than `workerSilentMinutes`, the threshold is too low.',
        "If no executions are running, the worker has probably lost its connection to Redis. In this case, the worker's log has no lines after the loss of the connection.",
      ],
      whatToDo: [
        'Delete the pod. Before the worker stops, it has `shutdown.timeoutSeconds` to finish its executions.',
        'If executions never end, set `executions.timeoutSeconds`.',
      ],
      drill:
        'Cut off one worker from Redis, as for [N8nJobsWaitNoneActive](N8nJobsWaitNoneActive.md), while the other workers have more work than they can do.',
    },
  ],
};
