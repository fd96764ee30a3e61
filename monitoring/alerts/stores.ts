import type { AlertGroup } from '../alert';
import { n8n, threshold } from '../tokens';

export const stores: AlertGroup = {
  name: 'n8n-stores',
  alerts: [
    {
      name: 'N8nDatabasePoolWaiting',
      severity: 'warning',
      forMinutes: 5,
      needs: [],
      expr: `min_over_time(${n8n('n8n_db_pool_requests_pending')}[2m]) > ${threshold('databasePoolWaiting')}`,
      summary:
        '{{ $value }} queries of {{ $labels.role }} {{ $labels.pod }} wait for a database connection.',
      meaning:
        "All connections of the process's pool are in use. Each execution needs some dozens of queries, so a full pool makes everything slow while CPU is idle.",
      tellWhy: [
        'If the database is idle and `n8n_db_pool_connections_active` is at `n8n_db_pool_connections_max`, the pool is too small.',
        'If not, the database is slow: look at `n8n_db_pool_acquire_seconds`, and at its CPU, disk and locks.',
      ],
      whatToDo: [
        'If the pool is too small, raise `database.poolSize`; all processes together must stay under `max_connections`.',
        'If the database is slow, save less (`tuning.saveSuccessfulExecutions`, `tuning.saveProgress`), prune, or give the database more.',
      ],
      drill: 'Set `database.poolSize: 1` and load the workload `last-node`.',
    },
    {
      name: 'N8nStoreDown',
      severity: 'critical',
      forMinutes: 2,
      needs: ['kubernetes', 'ownStores'],
      expr: `kube_statefulset_status_replicas_ready{<<stores>>} < 1`,
      summary: '{{ $labels.statefulset }} is not ready: n8n has no Redis or no database.',
      meaning:
        'Without its database n8n cannot start an execution; without Redis, in queue mode, none reaches a worker. The Redis and PostgreSQL of the chart are one pod each.',
      tellWhy: [
        'Read `kubectl describe pod` and `kubectl logs` of the StatefulSet.',
        'Is its volume full? See [N8nVolumeFilling](N8nVolumeFilling.md).',
      ],
      whatToDo: [
        'If a node was lost, Kubernetes starts the pod again once its volume is free.',
        'For more than one pod use a store that has replicas: `redis.external`, `database.external`.',
      ],
      drill: '`kubectl scale statefulset/FULLNAME-redis --replicas=0`.',
    },
    {
      name: 'N8nRedisDown',
      severity: 'critical',
      forMinutes: 1,
      needs: ['queue', 'redisExporter'],
      expr: 'redis_up{<<redis>>} == 0',
      summary:
        'Redis {{ $labels.instance }} does not answer: no execution of n8n reaches a worker.',
      meaning:
        'In queue mode every production execution goes through Redis, and mains elect their leader there.',
      tellWhy: [
        'Does n8n still reach Redis? Then the fault is in redis_exporter.',
        'The log of Redis shows that memory ran out, a snapshot failed, or a failover happened.',
      ],
      whatToDo: [
        'Bring it back. n8n connects again by itself; jobs in Redis survive where it keeps them on a disk (docs/chart/redis.md).',
      ],
      drill: '`redis-cli CLIENT PAUSE 120000 ALL`, or stop it.',
    },
    {
      name: 'N8nRedisMemoryNearLimit',
      severity: 'warning',
      forMinutes: 10,
      needs: ['queue', 'redisExporter'],
      expr: `redis_memory_used_bytes{<<redis>>} / (redis_memory_max_bytes{<<redis>>} > 0) > ${threshold('redisMemoryShare')}`,
      summary:
        'Redis {{ $labels.instance }} uses {{ $value | humanizePercentage }} of its maxmemory; when full it refuses new executions.',
      meaning:
        'With `maxmemory-policy noeviction`, which a queue needs, a full Redis refuses writes with an error: webhooks get a 500.',
      tellWhy: [
        'Do jobs wait? Each holds a few hundred bytes.',
        'Responses of webhooks pass through Redis. Are there many large ones at once?',
        'Does something else use the same Redis?',
      ],
      whatToDo: [
        "Raise `maxmemory` and the container's limit.",
        'Let the queue drain: [N8nQueueGrowing](N8nQueueGrowing.md).',
      ],
      drill: '`redis-cli CONFIG SET maxmemory` to a little above what is in use.',
    },
    {
      name: 'N8nPostgresqlDown',
      severity: 'critical',
      forMinutes: 1,
      needs: ['postgresExporter'],
      expr: 'pg_up{<<postgresql>>} == 0',
      summary: 'PostgreSQL {{ $labels.instance }} does not answer: n8n runs no execution.',
      meaning: 'n8n reads each workflow from its database and writes each execution to it.',
      tellWhy: [
        'Does n8n still reach PostgreSQL? Then the fault is in postgres_exporter.',
        'The log of PostgreSQL shows a full disk, too many connections or a failover.',
      ],
      whatToDo: [
        'Bring it back. n8n connects again by itself.',
        'For executions that were cut off see [N8nJobsStalled](N8nJobsStalled.md).',
      ],
      drill: 'Stop it.',
    },
    {
      name: 'N8nPostgresqlConnections',
      severity: 'warning',
      forMinutes: 5,
      needs: ['postgresExporter'],
      expr: `sum by (namespace, instance) (pg_stat_activity_count{<<postgresql>>}) / max by (namespace, instance) (pg_settings_max_connections{<<postgresql>>}) > ${threshold('postgresqlConnectionsShare')}`,
      summary:
        '{{ $value | humanizePercentage }} of the connections of PostgreSQL {{ $labels.instance }} are in use.',
      meaning:
        'At the limit PostgreSQL refuses connections: a new worker does not start, and a pool that wants to grow fails.',
      tellWhy: [
        'Processes times `database.poolSize` is what n8n may take. Has an autoscaler added processes?',
        '`select application_name, state, count(*) from pg_stat_activity group by 1, 2` says who has them.',
      ],
      whatToDo: [
        'Lower `database.poolSize`, or put a pooler in session mode between.',
        'Raise `max_connections`; each connection costs a few MB.',
      ],
      drill: 'Open connections with `pgbench -c` until the share is passed.',
    },
    {
      name: 'N8nDatabaseGrows',
      severity: 'warning',
      forMinutes: 60,
      needs: ['postgresExporter'],
      expr: `delta(pg_database_size_bytes{<<postgresql>>,datname!~"template.*|postgres"}[1d]) > ${threshold('databaseGrowthGiBPerDay')} * 1024 * 1024 * 1024`,
      summary: 'Database {{ $labels.datname }} grew by {{ $value | humanize1024 }}B within a day.',
      meaning:
        'n8n keeps the data of executions until it prunes them, at most about 100 per second and on one main only. Above that rate the tables grow without end.',
      tellWhy: [
        'This query names the largest tables: `select relname, pg_size_pretty(pg_total_relation_size(oid)) from pg_class order by pg_total_relation_size(oid) desc limit 5`.',
        '`execution_data` has what executions save, and `binary_data` has files.',
        'If the space of deleted rows is not free, autovacuum does not keep up.',
      ],
      whatToDo: [
        'Save less with `tuning.saveSuccessfulExecutions: none`.',
        'Keep it for a shorter time with `executions.pruning.maxAgeHours` or `executions.pruning.maxCount`.',
        'Then give the space back with `VACUUM FULL` at a quiet hour, as it locks the table.',
      ],
      drill: 'Load the workload `items` with large items while all executions are saved.',
    },
    {
      name: 'N8nVolumeFilling',
      severity: 'warning',
      forMinutes: 10,
      needs: ['kubernetes'],
      expr: `kubelet_volume_stats_available_bytes{<<claims>>} / kubelet_volume_stats_capacity_bytes{<<claims>>} < ${threshold('volumeFreeShare')}`,
      summary:
        'Volume {{ $labels.persistentvolumeclaim }} has {{ $value | humanizePercentage }} left.',
      meaning:
        'A full volume stops what writes to it: SQLite and PostgreSQL refuse writes, Redis refuses them after a failed snapshot, main cannot save binary data.',
      tellWhy: [
        "Find out which volume is full. Main's holds SQLite, binary data and the event log; the stores have one each.",
        'SQLite does not give space back after pruning: docs/chart/data.md.',
      ],
      whatToDo: [
        'Make the claim larger, where its storage class can.',
        'Keep less (`executions.pruning.maxAgeHours`), and put binary data into S3.',
      ],
      drill:
        '`kubectl exec` into the pod and `fallocate` a file of nine tenths of the volume; delete it to end the drill.',
    },
  ],
};
