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
        '{{ $value }} queries of {{ $labels.role }} {{ $labels.pod }} are waiting for a database connection.',
      meaning:
        'All connections in the connection pool of the process are in use. Each execution needs dozens of queries, so n8n becomes slow if no connection is free, even if the CPU is idle.',
      tellWhy: [
        'If the database is idle and `n8n_db_pool_connections_active` equals `n8n_db_pool_connections_max`, the pool is too small.',
        "Otherwise, the database is slow. Check `n8n_db_pool_acquire_seconds`, and check the database's CPU, disk and locks.",
      ],
      whatToDo: [
        "If the pool is too small, raise `database.poolSize`. The pools of all processes together must stay below PostgreSQL's `max_connections`.",
        'If the database is slow, save less data (`tuning.saveSuccessfulExecutions`, `tuning.saveProgress`), prune executions, or give the database more resources.',
      ],
      drill: 'Set `database.poolSize: 1` and run the `last-node` workload.',
    },
    {
      name: 'N8nStoreDown',
      severity: 'critical',
      forMinutes: 2,
      needs: ['kubernetes', 'ownStores'],
      expr: `kube_statefulset_status_replicas_ready{<<stores>>} < 1`,
      summary: '{{ $labels.statefulset }} is not ready, so n8n has no Redis or no database.',
      meaning:
        'Without its database, n8n cannot start executions. In queue mode, executions cannot reach a worker without Redis. The built-in Redis and the built-in PostgreSQL each have only one pod.',
      tellWhy: [
        "Check `kubectl describe pod` and `kubectl logs` for the StatefulSet's pod.",
        'If the volume is full, see [N8nVolumeFilling](N8nVolumeFilling.md).',
      ],
      whatToDo: [
        'If a node was lost, Kubernetes restarts the pod as soon as its volume is free.',
        'If you need more than one pod, use an external store with replicas (`redis.external`, `database.external`).',
      ],
      drill: 'Run `kubectl scale statefulset/FULLNAME-redis --replicas=0`.',
    },
    {
      name: 'N8nRedisDown',
      severity: 'critical',
      forMinutes: 1,
      needs: ['queue', 'redisExporter'],
      expr: 'redis_up{<<redis>>} == 0',
      summary:
        'Redis {{ $labels.instance }} does not respond, so no n8n execution reaches a worker.',
      meaning:
        'In queue mode, every production execution passes through Redis, and the mains use it to elect their leader.',
      tellWhy: [
        'If n8n can still reach Redis, the problem is in the Redis exporter.',
        'Check the Redis log, which shows whether Redis ran out of memory, a snapshot failed, or a failover happened.',
      ],
      whatToDo: [
        'Restore Redis. n8n then reconnects. Jobs survive if Redis stores them on disk: see docs/chart/redis.md.',
      ],
      drill: 'Run `redis-cli CLIENT PAUSE 120000 ALL`, or stop Redis.',
    },
    {
      name: 'N8nRedisMemoryNearLimit',
      severity: 'warning',
      forMinutes: 10,
      needs: ['queue', 'redisExporter'],
      expr: `redis_memory_used_bytes{<<redis>>} / (redis_memory_max_bytes{<<redis>>} > 0) > ${threshold('redisMemoryShare')}`,
      summary:
        'Redis {{ $labels.instance }} uses {{ $value | humanizePercentage }} of its maxmemory; when the memory is full, Redis rejects new executions.',
      meaning:
        'A queue needs `maxmemory-policy noeviction`. With this policy, a full Redis rejects writes with an error, and webhook callers get status 500.',
      tellWhy: [
        'Check whether jobs are waiting. Each job uses a few hundred bytes.',
        'Webhook responses pass through Redis. Check whether n8n sends many large responses at the same time.',
        'Check whether other applications use the same Redis.',
      ],
      whatToDo: [
        "Raise `maxmemory` and the container's limit.",
        'Let the queue drain: see [N8nQueueGrowing](N8nQueueGrowing.md).',
      ],
      drill:
        'Run `redis-cli CONFIG SET maxmemory` with a value slightly above the current memory usage.',
    },
    {
      name: 'N8nPostgresqlDown',
      severity: 'critical',
      forMinutes: 1,
      needs: ['postgresExporter'],
      expr: 'pg_up{<<postgresql>>} == 0',
      summary: 'PostgreSQL {{ $labels.instance }} does not respond, so n8n runs no executions.',
      meaning: 'n8n reads each workflow from its database and writes each execution to it.',
      tellWhy: [
        'If n8n can still reach PostgreSQL, the problem is in the PostgreSQL exporter.',
        'Check the PostgreSQL log for signs of a full disk, too many connections or a failover.',
      ],
      whatToDo: [
        'Restore PostgreSQL. n8n then reconnects.',
        'For interrupted executions, see [N8nJobsStalled](N8nJobsStalled.md).',
      ],
      drill: 'Stop PostgreSQL.',
    },
    {
      name: 'N8nPostgresqlConnections',
      severity: 'warning',
      forMinutes: 5,
      needs: ['postgresExporter'],
      expr: `sum by (namespace, instance) (pg_stat_activity_count{<<postgresql>>}) / max by (namespace, instance) (pg_settings_max_connections{<<postgresql>>}) > ${threshold('postgresqlConnectionsShare')}`,
      summary:
        '{{ $value | humanizePercentage }} of the connections to PostgreSQL {{ $labels.instance }} are in use.',
      meaning:
        'At the limit, PostgreSQL rejects new connections. New workers cannot start, and existing connection pools cannot grow.',
      tellWhy: [
        'n8n can use up to `database.poolSize` connections per process. Check whether an autoscaler has added processes.',
        'Run `select application_name, state, count(*) from pg_stat_activity group by 1, 2` to see which clients use the connections.',
      ],
      whatToDo: [
        'Lower `database.poolSize`, or put a connection pooler in session mode between n8n and PostgreSQL.',
        'Raise `max_connections`. Each connection uses a few MB of memory.',
      ],
      drill: 'Open connections with `pgbench -c` until the share exceeds the threshold.',
    },
    {
      name: 'N8nDatabaseGrows',
      severity: 'warning',
      forMinutes: 60,
      needs: ['postgresExporter'],
      expr: `delta(pg_database_size_bytes{<<postgresql>>,datname!~"template.*|postgres"}[1d]) > ${threshold('databaseGrowthGiBPerDay')} * 1024 * 1024 * 1024`,
      summary: 'Database {{ $labels.datname }} grew by {{ $value | humanize1024 }}B within a day.',
      meaning:
        'n8n keeps execution data until it prunes the executions. Only one main prunes, at no more than about 100 executions per second. If n8n saves executions at a higher rate, the tables grow without limit.',
      tellWhy: [
        'This query lists the largest tables: `select relname, pg_size_pretty(pg_total_relation_size(oid)) from pg_class order by pg_total_relation_size(oid) desc limit 5`.',
        '`execution_data` stores execution data, and `binary_data` stores files.',
        'If PostgreSQL does not free the space of deleted rows, autovacuum is too slow.',
      ],
      whatToDo: [
        'Save less data with `tuning.saveSuccessfulExecutions: none`.',
        'Keep the data for a shorter time with `executions.pruning.maxAgeHours` or `executions.pruning.maxCount`.',
        'After n8n has pruned executions, return the space to the operating system with `VACUUM FULL`. Run this command during a quiet period, because it locks the table.',
      ],
      drill: 'Save all executions, and run the `items` workload with large items.',
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
        'On a full volume, SQLite and PostgreSQL reject writes, Redis rejects writes after a failed snapshot, and main cannot store binary data.',
      tellWhy: [
        "Find out which volume is full. Main's volume contains SQLite, binary data and the event log. Each store has its own volume.",
        'After pruning, SQLite does not return free space to the operating system: see docs/chart/data.md.',
      ],
      whatToDo: [
        'Enlarge the volume claim if its storage class supports expansion.',
        'Keep data for a shorter time (`executions.pruning.maxAgeHours`), and store binary data in S3.',
      ],
      drill:
        'Run `kubectl exec` to open a shell in the pod, and use `fallocate` to fill more than 90% of the volume with a file. To end the test, delete the file.',
    },
  ],
};
