import type { Condition } from './conditions';

/** Series that are not n8n's, with what serves them; checked against the documentation of each, and our exporter's against it. */
export const externalSeries: Record<string, { from: Condition; labels: readonly string[] }> = {
  kube_pod_container_status_restarts_total: {
    from: 'kubernetes',
    labels: ['namespace', 'pod', 'container'],
  },
  kube_pod_container_status_last_terminated_reason: {
    from: 'kubernetes',
    labels: ['namespace', 'pod', 'container', 'reason'],
  },
  kube_pod_container_resource_limits: {
    from: 'kubernetes',
    labels: ['namespace', 'pod', 'container', 'resource'],
  },
  kube_statefulset_status_replicas_ready: {
    from: 'kubernetes',
    labels: ['namespace', 'statefulset'],
  },
  container_memory_working_set_bytes: {
    from: 'kubernetes',
    labels: ['namespace', 'pod', 'container'],
  },
  container_oom_events_total: { from: 'kubernetes', labels: ['namespace', 'pod', 'container'] },
  container_cpu_cfs_periods_total: {
    from: 'kubernetes',
    labels: ['namespace', 'pod', 'container'],
  },
  container_cpu_cfs_throttled_periods_total: {
    from: 'kubernetes',
    labels: ['namespace', 'pod', 'container'],
  },
  kubelet_volume_stats_available_bytes: {
    from: 'kubernetes',
    labels: ['namespace', 'persistentvolumeclaim'],
  },
  kubelet_volume_stats_capacity_bytes: {
    from: 'kubernetes',
    labels: ['namespace', 'persistentvolumeclaim'],
  },
  redis_up: { from: 'redisExporter', labels: ['instance'] },
  redis_memory_used_bytes: { from: 'redisExporter', labels: ['instance'] },
  redis_memory_max_bytes: { from: 'redisExporter', labels: ['instance'] },
  pg_up: { from: 'postgresExporter', labels: ['instance'] },
  pg_stat_activity_count: { from: 'postgresExporter', labels: ['instance', 'datname', 'state'] },
  pg_settings_max_connections: { from: 'postgresExporter', labels: ['instance'] },
  pg_database_size_bytes: { from: 'postgresExporter', labels: ['instance', 'datname'] },
  n8n_tuned_exporter_up: { from: 'exporter', labels: ['store'] },
  n8n_tuned_queue_oldest_job_seconds: { from: 'exporter', labels: [] },
  n8n_tuned_queue_consumers: { from: 'exporter', labels: [] },
  n8n_tuned_executions_crashed: { from: 'exporter', labels: [] },
  n8n_tuned_executions_recovered: { from: 'exporter', labels: [] },
  n8n_tuned_table_size_bytes: { from: 'exporter', labels: ['table'] },
};
