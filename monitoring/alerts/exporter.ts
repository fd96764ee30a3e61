import type { AlertGroup } from '../alert';
import { n8n, perRelease, threshold } from '../tokens';

const oldest = n8n('n8n_tuned_queue_oldest_job_seconds');
const crashed = n8n('n8n_tuned_executions_crashed');
const recovered = n8n('n8n_tuned_executions_recovered');
const lastPass = n8n('n8n_tuned_recovery_last_pass_timestamp_seconds');
const left = n8n('n8n_tuned_recovery_left_executions');
/** The queue answers the exporter, which then knows of every pass. */
const queueUp = n8n('n8n_tuned_exporter_up', 'store="redis"');
const silentMinutes = threshold('recoverySilentMinutes');
const tableSize = n8n('n8n_tuned_table_size_bytes');

/** What only the chart's exporter can tell. */
export const exporter: AlertGroup = {
  name: 'n8n-exporter',
  alerts: [
    {
      name: 'N8nOldestJobTooOld',
      severity: 'critical',
      forMinutes: 2,
      needs: ['queue', 'exporter'],
      expr: `${perRelease('max', oldest)} > ${threshold('queueWaitSeconds')}`,
      summary: 'The next job in the queue has waited for {{ $value | humanizeDuration }}.',
      meaning:
        'The next job in the queue has been waiting in Redis for too long. This alert uses the exact age of the job, even if no jobs complete, whereas [N8nQueueWaitLong](N8nQueueWaitLong.md) uses an estimate.',
      tellWhy: [
        'Check whether any worker is consuming jobs: see [N8nNoWorkerConsumes](N8nNoWorkerConsumes.md).',
        'If workers consume jobs, follow the same steps as for [N8nQueueGrowing](N8nQueueGrowing.md).',
      ],
      whatToDo: [
        'Apply the same fixes as for [N8nQueueGrowing](N8nQueueGrowing.md). Waiting jobs are not lost: they run when the workers catch up.',
      ],
      drill:
        'Run the `wait-5s` workload for five minutes at twice the rate that the workers can handle (slots / 5 s).',
    },
    {
      name: 'N8nNoWorkerConsumes',
      severity: 'critical',
      forMinutes: 2,
      needs: ['queue', 'workersAlways', 'exporter'],
      expr: `${perRelease('max', n8n('n8n_tuned_queue_consumers'))} == 0`,
      summary: 'No worker has a Redis connection for taking jobs.',
      meaning:
        'Redis lists the connections of its clients, and Bull names the connection on which each worker waits for jobs. If no such connection exists, jobs wait, even if every worker is up and ready. The alert can fire even before a job has to wait.',
      tellWhy: [
        'Check whether any worker is up: see [N8nNoWorkerUp](N8nNoWorkerUp.md).',
        'If workers are up, search their logs for Redis errors. Check that the workers use the same Redis and the same prefix (`QUEUE_BULL_PREFIX`) as main.',
      ],
      whatToDo: [
        'Restart the workers: `kubectl rollout restart deployment/FULLNAME-worker`.',
        'If the alert fires again, a network device between the workers and Redis is probably dropping idle connections: see docs/chart/redis.md.',
      ],
      drill: 'Run `kubectl scale deployment/FULLNAME-worker --replicas=0`, and wait five minutes.',
    },
    {
      name: 'N8nExecutionsCrashed',
      severity: 'warning',
      forMinutes: 0,
      needs: ['exporter'],
      expr: `${perRelease('max', crashed)} - ${perRelease('max', recovered)} > 0`,
      summary: '{{ $value }} executions crashed within the last hour and were not recovered.',
      meaning:
        'When a process dies, n8n marks its running executions as crashed and does not rerun them. An execution counts as recovered when one of its retries has succeeded. The alert resolves when each crashed execution has been recovered or is older than an hour.',
      tellWhy: [
        'In the editor, filter the list of executions by the status Crashed.',
        'To find out why the process died, see [N8nJobsStalled](N8nJobsStalled.md), [N8nOutOfMemoryKill](N8nOutOfMemoryKill.md) and [N8nRestarting](N8nRestarting.md).',
      ],
      whatToDo: [
        'Retry the executions that you still need, either with `n8n-tuned recover` or one by one in the editor.',
        'If a workflow kills its process every time, deactivate the workflow before you retry any executions.',
      ],
      drill:
        'Start the `wait-5s` workload, then run `kubectl exec WORKER -c n8n -- sh -c "kill -9 -1"`.',
    },
    {
      name: 'N8nRecoveryStale',
      severity: 'warning',
      // A recovery that was just switched on has had its first pass by then.
      forMinutes: 10,
      needs: ['queue', 'recovery', 'exporter'],
      expr: [
        `time() - ${perRelease('max', lastPass)} > 60 * ${silentMinutes}`,
        // Or there never was one, though the exporter has been able to tell for as long.
        `or 60 * ${silentMinutes} + 0 * (${perRelease('max', queueUp)} == 1 and ${perRelease('max', `${queueUp} offset ${silentMinutes}m`)} == 1)`,
        `unless ${perRelease('max', lastPass)}`,
      ].join(' '),
      summary: 'Recovery has not completed a pass for {{ $value | humanizeDuration }}.',
      meaning:
        'Recovery is on, but does not retry the executions that n8n loses. No other alert reports this problem, because a failed recovery pass does not affect n8n.',
      tellWhy: [
        'Run `kubectl get jobs` and check the log of the newest recovery Job, which shows how the pass ended.',
        'If Kubernetes does not create Jobs, check whether the CronJob is suspended, or whether the interval of its schedule is longer than the threshold.',
        'Check whether the API key has expired or lacks a scope.',
      ],
      whatToDo: [
        'If the API key is not valid, give recovery a new key in `recovery.apiKey`.',
        'If passes take too long, look for executions whose retries are also lost.',
      ],
      drill:
        'Lower the threshold, and give recovery a wrong API key from the start, or suspend its CronJob after the first pass.',
    },
    {
      name: 'N8nExecutionsLeftLost',
      severity: 'warning',
      forMinutes: 15,
      needs: ['queue', 'recovery', 'exporter'],
      expr: `${perRelease('max', left)} > 0`,
      summary: 'Recovery could not restore {{ $value }} lost executions.',
      meaning: 'The last recovery passes found executions that they could not restore.',
      tellWhy: [
        'Check the log of the newest recovery Job, which lists each lost execution with the reason.',
        'If n8n has overwritten the data of an execution with an empty run, see [N8nPatchNotInForce](N8nPatchNotInForce.md) for the `keep-stalled` patch.',
        'If every retry of an execution was lost too, its workflow probably kills the worker.',
      ],
      whatToDo: [
        'If you still need the work, do it manually. The editor shows the data of the execution.',
        'If you no longer need the work, remove the recovery tag (`recovery.tag`) from the workflow, or wait until the executions are older than `recovery.sinceHours`.',
      ],
      drill:
        'Turn off `tuning.keepStalled` and turn on recovery. Start the `wait-5s` workload, then run `kubectl exec WORKER -c n8n -- sh -c "kill -9 -1"`.',
    },
    {
      name: 'N8nTableGrows',
      severity: 'warning',
      forMinutes: 60,
      needs: ['exporter'],
      expr: `max by (namespace, release, table) (delta(${tableSize}[1d])) > ${threshold('databaseGrowthGiBPerDay')} * 1024 * 1024 * 1024`,
      summary: 'Table {{ $labels.table }} grew by {{ $value | humanize1024 }}B within a day.',
      meaning:
        "One of n8n's database tables is growing fast. `execution_data` stores the data of each execution until n8n prunes the execution. Only one main prunes, at no more than about 100 executions per second.",
      tellWhy: [
        'If the table is `execution_data`, find the workflows with the most executions: `SELECT "workflowId", count(*) FROM execution_entity GROUP BY 1 ORDER BY 2 DESC LIMIT 5`.',
        'If a different table is growing, it belongs to another n8n feature, such as insights, workflow history or data tables.',
      ],
      whatToDo: [
        'Save less data with `tuning.saveSuccessfulExecutions: none`, or keep the data for a shorter time: see docs/chart/data.md.',
        'To return free space to the operating system, run `VACUUM FULL` during a quiet period, because this command locks the table.',
      ],
      drill: 'Save all executions, run the `items` workload, and lower the threshold.',
    },
    {
      name: 'N8nExporterBlind',
      severity: 'warning',
      forMinutes: 5,
      needs: ['exporter'],
      expr: `min by (namespace, release, store) (${n8n('n8n_tuned_exporter_up')}) == 0`,
      summary:
        "The chart's exporter cannot read {{ $labels.store }}, so the alerts on this store do not fire.",
      meaning:
        'Redis or PostgreSQL does not respond to the exporter within four seconds. Check whether n8n itself can still reach the store.',
      tellWhy: [
        'Run `kubectl logs deployment/FULLNAME-exporter` to see why the exporter could not read the store.',
        'If n8n has problems too, see [N8nStoreDown](N8nStoreDown.md), [N8nRedisDown](N8nRedisDown.md) and [N8nPostgresqlDown](N8nPostgresqlDown.md).',
      ],
      whatToDo: [
        'If the Redis user has limited permissions, allow LINDEX, HGET and CLIENT LIST, which the exporter uses.',
        'If a NetworkPolicy blocks the exporter, give it access to the same stores as n8n.',
      ],
      drill: 'Stop PostgreSQL or Redis for six minutes.',
    },
  ],
};
