import { compareVersions } from '../cli/src/ui/versions';

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
  recovery: 'recovery (`recovery.enabled`, without `recovery.dryRun`)',
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

/**
 * The oldest n8n that was seen with a metric, read from its npm packages; metrics that are not here are as old as n8n's own
 * tasks in queue mode. Before it an alert never fires and a panel is empty, and neither would say so.
 */
const METRICS_SINCE = {
  n8n_workflow_execution_duration_seconds: '2.13.0',
  n8n_webhook_request_duration_seconds: '2.28.5',
  n8n_db_pool_: '2.30.8',
  n8n_expression_pool_cold_start_sync_total: '2.41.1',
} as const;

/** From which n8n on all metrics of these expressions are there; null: from the first that the chart supports. */
export function neededN8n(expressions: readonly string[]): string | null {
  const needed = Object.entries(METRICS_SINCE).flatMap(([metric, since]) =>
    expressions.some((expr) => expr.includes(metric)) ? [since] : [],
  );
  return needed.toSorted((one, other) => compareVersions(other, one))[0] ?? null;
}
