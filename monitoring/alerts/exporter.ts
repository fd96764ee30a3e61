import type { AlertGroup } from '../alert';
import { n8n, perRelease, threshold } from '../tokens';

const oldest = n8n('n8n_tuned_queue_oldest_job_seconds');
const crashed = n8n('n8n_tuned_executions_crashed');
const recovered = n8n('n8n_tuned_executions_recovered');
const lastPass = n8n('n8n_tuned_recovery_last_pass_timestamp_seconds');
const left = n8n('n8n_tuned_recovery_left_executions');
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
        'The job that a worker takes next has waited too long in Redis. Its age is exact, where [N8nQueueWaitLong](N8nQueueWaitLong.md) is an estimate, and it is also known when nothing completes.',
      tellWhy: [
        'Does a worker consume jobs? See [N8nNoWorkerConsumes](N8nNoWorkerConsumes.md).',
        'If one does, look at the same things as for [N8nQueueGrowing](N8nQueueGrowing.md).',
      ],
      whatToDo: [
        'Do the same as for [N8nQueueGrowing](N8nQueueGrowing.md). Waiting jobs are not lost: they run when workers catch up.',
      ],
      drill: 'Load the workload `wait-5s` at twice the rate of slots / 5 s for five minutes.',
    },
    {
      name: 'N8nNoWorkerConsumes',
      severity: 'critical',
      forMinutes: 2,
      needs: ['queue', 'workersAlways', 'exporter'],
      expr: `${perRelease('max', n8n('n8n_tuned_queue_consumers'))} == 0`,
      summary: 'No worker has a connection to Redis that takes jobs.',
      meaning:
        'Redis lists the connections of its clients, and Bull names the one of each worker that waits for jobs. Without one, jobs wait, even if every worker is up and ready. The alert fires before a job has to wait.',
      tellWhy: [
        'Is a worker up? See [N8nNoWorkerUp](N8nNoWorkerUp.md).',
        'If workers are up, search their log for Redis. Do they use the same Redis and the same prefix (`QUEUE_BULL_PREFIX`) as main?',
      ],
      whatToDo: [
        'Restart the workers: `kubectl rollout restart deployment/FULLNAME-worker`.',
        'If the alert comes back, something between workers and Redis drops idle connections. See docs/chart/redis.md.',
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
        'n8n marks an execution as crashed when the process that ran it ended, and does not run it again. An execution is recovered when a retry of it has succeeded. The alert ends when all are recovered, or older than an hour.',
      tellWhy: [
        'Filter the list of executions in the editor by the status Crashed.',
        'Find out what ended the process: [N8nJobsStalled](N8nJobsStalled.md), [N8nOutOfMemoryKill](N8nOutOfMemoryKill.md), [N8nRestarting](N8nRestarting.md).',
      ],
      whatToDo: [
        'Run again those whose work is still wanted: `n8n-tuned recover`, or the editor, one by one.',
        'If a workflow kills its process each time, deactivate it before you run anything again.',
      ],
      drill: '`kubectl exec WORKER -c n8n -- kill -9 1` while the workload `wait-5s` runs.',
    },
    {
      name: 'N8nRecoveryStale',
      severity: 'warning',
      forMinutes: 5,
      needs: ['queue', 'recovery', 'exporter'],
      expr: `time() - ${perRelease('max', lastPass)} > 60 * ${threshold('recoverySilentMinutes')}`,
      summary: 'Recovery has ended no pass for {{ $value | humanizeDuration }}.',
      meaning:
        'Recovery is on, and nothing retries what n8n loses. No other alert says so: a pass that fails leaves n8n as it is.',
      tellWhy: [
        'The Jobs of recovery: `kubectl get jobs`, and the log of the newest one, which says in a sentence why a pass ended.',
        'If no Job is made, is the CronJob suspended, or is its schedule longer than the threshold?',
        'The key of the API has expired, or lacks a scope.',
      ],
      whatToDo: [
        'Give recovery a new key: `recovery.apiKey`.',
        'Passes are too long: look for executions that are lost again in each attempt.',
      ],
      drill: 'Suspend the CronJob of recovery after its first pass, and lower the threshold.',
    },
    {
      name: 'N8nExecutionsLeftLost',
      severity: 'warning',
      forMinutes: 15,
      needs: ['queue', 'recovery', 'exporter'],
      expr: `${perRelease('max', left)} > 0`,
      summary: 'Recovery leaves {{ $value }} executions lost.',
      meaning:
        'The last passes of recovery found executions that they could not bring back. Each one is named with the reason in the log of the Job.',
      tellWhy: [
        'The log of the newest Job of recovery: it names each execution that it leaves, with the reason.',
        'n8n has written an empty run over the data: [N8nPatchNotInForce](N8nPatchNotInForce.md) for `keep-stalled`.',
        'They were lost again in each attempt: the workflow may kill its worker.',
      ],
      whatToDo: [
        'Do the work by hand where it is still wanted, with the data of the execution that the editor shows.',
        'It is not wanted any more: take the tag from the workflow, or wait until the executions are older than `recovery.sinceHours`.',
      ],
      drill:
        'Turn `tuning.keepStalled` off and recovery on, and run `kubectl exec WORKER -c n8n -- kill -9 1` while the workload `wait-5s` runs.',
    },
    {
      name: 'N8nTableGrows',
      severity: 'warning',
      forMinutes: 60,
      needs: ['exporter'],
      expr: `max by (namespace, release, table) (delta(${tableSize}[1d])) > ${threshold('databaseGrowthGiBPerDay')} * 1024 * 1024 * 1024`,
      summary: 'Table {{ $labels.table }} grew by {{ $value | humanize1024 }}B within a day.',
      meaning:
        'One table of n8n grows fast. `execution_data` holds the data of executions until n8n prunes them, at most about 100 per second and on one main only.',
      tellWhy: [
        'If the table is `execution_data`, find the workflow that writes much: `SELECT "workflowId", count(*) FROM execution_entity GROUP BY 1 ORDER BY 2 DESC LIMIT 5`.',
        'If it is another table, a feature keeps its own history, such as insights, workflow history or data tables.',
      ],
      whatToDo: [
        'Save less with `tuning.saveSuccessfulExecutions: none`, or keep it for a shorter time: docs/chart/tuning.md.',
        'PostgreSQL gives space back to the disk only after `VACUUM FULL`, which locks the table.',
      ],
      drill: 'Load the workload `items` with all executions saved, and lower the threshold.',
    },
    {
      name: 'N8nExporterBlind',
      severity: 'warning',
      forMinutes: 5,
      needs: ['exporter'],
      expr: `min by (namespace, release, store) (${n8n('n8n_tuned_exporter_up')}) == 0`,
      summary:
        "The exporter of the chart cannot read {{ $labels.store }}: n8n's alerts on it are silent.",
      meaning:
        'The store does not respond to the exporter within four seconds. Either n8n cannot reach the store either, or only the exporter is kept from it.',
      tellWhy: [
        'Its log has the response of the store: `kubectl logs deployment/FULLNAME-exporter`.',
        'If n8n has trouble as well, see [N8nStoreDown](N8nStoreDown.md), [N8nRedisDown](N8nRedisDown.md), [N8nPostgresqlDown](N8nPostgresqlDown.md).',
      ],
      whatToDo: [
        'If the Redis user has limited rights, allow LINDEX, HGET and CLIENT LIST, which the exporter runs.',
        'If a NetworkPolicy is in the way, let the exporter reach the stores as n8n does.',
      ],
      drill: 'Stop PostgreSQL or Redis for six minutes.',
    },
  ],
};
