/** What an alert can need, and how an installation comes to have it. The chart decides each one in monitoring/_rules.tpl. */
export const conditions = {
  queue: 'queue mode (`executions.mode: queue`)',
  severalMains: 'several mains (`multiMain.enabled`)',
  workersAlways: 'workers that never scale to zero',
  workersScraped: 'workers that Prometheus scrapes with the PodMonitor',
  kubernetes:
    'metrics from kube-state-metrics, cAdvisor and the kubelet, as collected by kube-prometheus-stack (`monitoring.sources.kubernetes`)',
  ownStores: "the chart's own Redis or PostgreSQL",
  redisExporter: 'the Redis exporter (`monitoring.sources.redisExporter`)',
  postgresExporter: 'the PostgreSQL exporter (`monitoring.sources.postgresExporter`)',
  exporter: "the chart's own exporter (`monitoring.exporter.enabled`)",
  recovery: 'recovery in queue mode (`recovery.enabled`, without `recovery.dryRun`)',
  workflowIdLabel:
    'one time series per workflow (`monitoring.sources.workflowIdLabel`), which increases the memory usage of Prometheus',
  recordedCapacity: 'a measured capacity (`monitoring.capacity.executionsPerSecond`)',
} as const;

export type Condition = keyof typeof conditions;

/** What the plain rules file assumes: queue mode on Kubernetes, and no exporter beside kube-prometheus-stack. */
export const assumedInPlainRules: readonly Condition[] = [
  'queue',
  'severalMains',
  'workersAlways',
  'workersScraped',
  'kubernetes',
];
