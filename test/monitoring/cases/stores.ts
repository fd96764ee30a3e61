import { any, of, worker, type CasesByAlert } from '../support/case';

const pending = of('n8n_db_pool_requests_pending', worker);
const statefulSet = { namespace: 'n8n', statefulset: 'n8n-n8n-tuned-redis' };
const ready = any('kube_statefulset_status_replicas_ready', statefulSet);
const redis = { job: 'redis-exporter', instance: 'redis:9121' };
const postgresql = { job: 'postgres-exporter', instance: 'db:9187' };
const connections = (state: string): string =>
  any('pg_stat_activity_count', { ...postgresql, datname: 'n8n', state });
const maxConnections = any('pg_settings_max_connections', postgresql);
const database = (datname: string): string =>
  any('pg_database_size_bytes', { ...postgresql, datname });
const claim = { namespace: 'n8n', persistentvolumeclaim: 'n8n-n8n-tuned-main' };
const free = any('kubelet_volume_stats_available_bytes', claim);
const size = any('kubelet_volume_stats_capacity_bytes', claim);

export const stores: CasesByAlert = {
  N8nDatabasePoolWaiting: {
    fires: [
      {
        series: { [pending]: '3x10' },
        atMinute: 8,
        labels: worker,
        summary:
          '3 queries of worker n8n-n8n-tuned-worker-1 are waiting for a database connection.',
      },
    ],
    silent: [
      { series: { [pending]: '0x10' }, atMinute: 8 },
      { series: { [pending]: '3 0 3 0 3 0 3 0 3 0' }, atMinute: 8 },
    ],
  },
  N8nStoreDown: {
    fires: [
      {
        series: { [ready]: '1x5 0x10' },
        atMinute: 10,
        labels: statefulSet,
        summary: 'n8n-n8n-tuned-redis is not ready, so n8n has no Redis or no database.',
      },
    ],
    silent: [
      { series: { [ready]: '1x15' }, atMinute: 10 },
      {
        series: {
          [any('kube_statefulset_status_replicas_ready', { ...statefulSet, statefulset: 'other' })]:
            '0x15',
        },
        atMinute: 10,
      },
    ],
  },
  N8nRedisDown: {
    fires: [
      {
        series: { [any('redis_up', redis)]: '1x5 0x10' },
        atMinute: 8,
        labels: redis,
        summary: 'Redis redis:9121 does not respond, so no n8n execution reaches a worker.',
      },
    ],
    silent: [
      { series: { [any('redis_up', redis)]: '1x15' }, atMinute: 8 },
      { series: { [any('redis_up', { ...redis, job: 'other' })]: '0x15' }, atMinute: 8 },
    ],
  },
  N8nRedisMemoryNearLimit: {
    fires: [
      {
        series: {
          [any('redis_memory_used_bytes', redis)]: '90x20',
          [any('redis_memory_max_bytes', redis)]: '100x20',
        },
        atMinute: 15,
        labels: redis,
        summary:
          'Redis redis:9121 uses 90% of its maxmemory; when the memory is full, Redis rejects new executions.',
      },
    ],
    silent: [
      {
        series: {
          [any('redis_memory_used_bytes', redis)]: '50x20',
          [any('redis_memory_max_bytes', redis)]: '100x20',
        },
        atMinute: 15,
      },
      // No limit.
      {
        series: {
          [any('redis_memory_used_bytes', redis)]: '90x20',
          [any('redis_memory_max_bytes', redis)]: '0x20',
        },
        atMinute: 15,
      },
    ],
  },
  N8nPostgresqlDown: {
    fires: [
      {
        series: { [any('pg_up', postgresql)]: '1x5 0x10' },
        atMinute: 8,
        labels: postgresql,
        summary: 'PostgreSQL db:9187 does not respond, so n8n runs no executions.',
      },
    ],
    silent: [{ series: { [any('pg_up', postgresql)]: '1x15' }, atMinute: 8 }],
  },
  N8nPostgresqlConnections: {
    fires: [
      {
        series: {
          [connections('active')]: '30x20',
          [connections('idle')]: '60x20',
          [maxConnections]: '100x20',
        },
        atMinute: 10,
        labels: { instance: 'db:9187' },
        summary: '90% of the connections to PostgreSQL db:9187 are in use.',
      },
    ],
    silent: [
      { series: { [connections('active')]: '30x20', [maxConnections]: '100x20' }, atMinute: 10 },
    ],
  },
  N8nDatabaseGrows: {
    fires: [
      {
        // 8 MiB a minute.
        series: { [database('n8n')]: '0+8388608x1700' },
        atMinute: 1600,
        labels: { ...postgresql, datname: 'n8n' },
        summary: 'Database n8n grew by 11.25GiB within a day.',
      },
    ],
    silent: [
      { series: { [database('n8n')]: '0+1048576x1700' }, atMinute: 1600 },
      { series: { [database('postgres')]: '0+8388608x1700' }, atMinute: 1600 },
    ],
  },
  N8nVolumeFilling: {
    fires: [
      {
        series: { [free]: '5x20', [size]: '100x20' },
        atMinute: 15,
        labels: claim,
        summary: 'Volume n8n-n8n-tuned-main has 5% left.',
      },
    ],
    silent: [{ series: { [free]: '50x20', [size]: '100x20' }, atMinute: 15 }],
  },
};
