import type { AlertGroup } from '../alert';
import { n8n, perRelease, threshold } from '../tokens';

const waiting = n8n('n8n_scaling_mode_queue_jobs_waiting');
const active = n8n('n8n_scaling_mode_queue_jobs_active');
const completed = n8n('n8n_scaling_mode_queue_jobs_completed');
/** Executions themselves are counted where they were asked for, not by the worker that ran them. */
const taken = n8n('n8n_queue_job_dequeued_total', 'role="worker"');
const workerUp = n8n('up', 'role="worker"');

/** Of one process; n8n makes the series with the first job, which is no increase then. */
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
        'More executions are started than workers end. If this lasts, every execution waits longer than the one before.',
      tellWhy: [
        'More load, or slower work? Compare `rate(n8n_scaling_mode_queue_jobs_completed[5m])` with an hour ago: the same or more means more load.',
        'If the work is slower, are all slots taken ([N8nWorkerSlotsFull](N8nWorkerSlotsFull.md)), and by which workflow? The executions that run are listed in the editor.',
        'Are there fewer workers than before? See [N8nNoWorkerUp](N8nNoWorkerUp.md), [N8nWorkerSilent](N8nWorkerSilent.md).',
      ],
      whatToDo: [
        'If the CPU of workers is idle while all slots are taken, raise `worker.concurrency`.',
        'If it is busy, add workers on more cores. `n8n-tuned recommend` says how many a rate needs.',
        'If one workflow floods the others, give it a limit of its own or a worker pool.',
      ],
      drill:
        'Load the workload `wait-5s` at a rate above slots / 5 s with `n8n-tuned run --profile load`.',
    },
    {
      name: 'N8nQueueWaitLong',
      severity: 'critical',
      forMinutes: 5,
      needs: ['queue'],
      expr: `${perRelease('max', waiting)} / ${perRelease('max', `rate(${completed}[5m])`)} > ${threshold('queueWaitSeconds')} < +Inf`,
      summary: 'A new execution waits about {{ $value | humanizeDuration }} for a worker.',
      meaning:
        'Waiting jobs, divided by the jobs that workers complete per second, is how long the last one in the queue has to wait. n8n has no metric for the age of a job; while workers keep a steady pace, this estimate is the same. Where nothing completes, [N8nJobsWaitNoneActive](N8nJobsWaitNoneActive.md) fires instead.',
      tellWhy: ['Look at the same things as for [N8nQueueGrowing](N8nQueueGrowing.md).'],
      whatToDo: [
        'Do the same as for [N8nQueueGrowing](N8nQueueGrowing.md). Waiting jobs are not lost: they run when workers catch up.',
        'Callers of webhooks that respond at their end may give up: tell them, or let those workflows respond at once.',
      ],
      drill: 'Load the workload `wait-5s` at twice the rate of slots / 5 s for ten minutes.',
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
      summary: '{{ $value }} jobs or more wait in the queue, and no worker takes one.',
      meaning:
        'For three minutes jobs waited while not one was active: no worker consumes. The alert also fires with workers that are up and ready: a connection to Redis that was lost silently leaves them waiting for ever.',
      tellWhy: [
        'Is a worker up? See [N8nNoWorkerUp](N8nNoWorkerUp.md).',
        'If workers are up, read the log of one. If it has no line about executions or Redis for minutes, the connection is lost.',
        'Do main and the workers use the same Redis, database number and prefix (`QUEUE_BULL_PREFIX`)? After a change, main may fill another queue than workers empty.',
      ],
      whatToDo: [
        'Restart the workers: `kubectl rollout restart deployment/FULLNAME-worker`. The jobs that wait are taken at once. With `worker.guardSeconds` a worker that lost its connection restarts itself: look for `worker-guard` in the log of its container before (`kubectl logs -p`).',
        'If the alert comes back, something between workers and Redis drops idle connections. See docs/chart/redis.md.',
      ],
      drill:
        'Cut the workers off from Redis without closing connections: a NetworkPolicy for the workers without egress to Redis.',
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
        '{{ $value | humanizePercentage }} of the slots of all workers are taken, and jobs wait.',
      meaning:
        'A worker runs `worker.concurrency` executions at once. Slots divided by the time of one execution is the most that workers can complete per second, however idle their CPU is.',
      tellWhy: [
        'Is the CPU of the workers busy? `rate(n8n_process_cpu_seconds_total{role="worker"}[5m])` near 1 is a full event loop.',
        'If their CPU is idle, executions wait for something outside n8n: a service that has become slow, a Wait node, an HTTP request without a timeout.',
      ],
      whatToDo: [
        'If their CPU is idle, raise `worker.concurrency`, and with it `database.poolSize`.',
        'If it is busy, add workers on more cores: more slots would only make each execution slower.',
        'If a service hangs, give its HTTP Request nodes a timeout.',
      ],
      drill: 'Load the workload `wait-5s` at a rate above slots / 5 s.',
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
      summary: `{{ with $labels.pod }}{{ . }}{{ else }}{{ $labels.instance }}{{ end }} is up and took no job for ${threshold('workerSilentMinutes')} minutes, while jobs waited.`,
      meaning:
        'One worker takes no jobs, or all of its slots run executions that do not end. The others go on, so the queue as a whole may look healthy.',
      tellWhy: [
        'If the editor shows executions that run longer than `workerSilentMinutes`, the threshold is too low.',
        'If none runs, the worker has lost Redis, and its log ends at that time.',
      ],
      whatToDo: [
        'Delete the pod. It first finishes its executions, within `shutdown.timeoutSeconds`.',
        'If executions never end, set `executions.timeoutSeconds`.',
      ],
      drill:
        'Cut one worker off from Redis, as in [N8nJobsWaitNoneActive](N8nJobsWaitNoneActive.md), while the others have more than they can do.',
    },
  ],
};
