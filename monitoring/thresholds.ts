/** Every threshold of an alert: its default is that of `monitoring.prometheusRule.thresholds` in values.yaml. */
interface Threshold {
  value: number;
  meaning: string;
}

export const thresholds = {
  webhookErrorBudget: {
    value: 0.01,
    meaning: 'Maximum share of webhook requests that receive a 5xx status; at most 0.06.',
  },
  webhookSlowBudget: {
    value: 0.05,
    meaning:
      'Maximum share of webhook requests that take longer than webhookSlowSeconds; at most 0.06.',
  },
  webhookSlowSeconds: {
    value: 10,
    meaning:
      "A webhook request that takes longer than this number of seconds is slow. Use a bucket bound of n8n's histogram: 0.003, 0.03, 0.1, 0.3, 1.5 or 10. If a workflow responds when it ends, its whole run time counts.",
  },
  webhookMinPerSecond: {
    value: 0.1,
    meaning:
      'Minimum number of webhook requests per second; with fewer requests, the webhook alerts do not fire.',
  },
  queueWaitingJobs: {
    value: 50,
    meaning: 'Number of waiting jobs above which the alert for a growing queue can fire.',
  },
  queueWaitSeconds: {
    value: 60,
    meaning:
      'Maximum number of seconds that a new job waits for a worker. N8nQueueWaitLong estimates this time as waiting jobs divided by completed jobs per second.',
  },
  workerSlotsShare: {
    value: 0.9,
    meaning: 'Share of all worker slots in use while jobs are waiting.',
  },
  workerSilentMinutes: {
    value: 30,
    meaning:
      'Number of minutes in which a running worker must take at least one job while jobs are waiting. Set this value above the duration of your longest execution.',
  },
  eventLoopLagSeconds: {
    value: 0.5,
    meaning: "99th percentile of a process's event-loop lag, in seconds.",
  },
  heapShare: { value: 0.9, meaning: "Share of V8's heap limit in use." },
  outsideHeapGrowthMiB: {
    value: 256,
    meaning: "Growth of a process's memory outside V8's heap within six hours, in MiB.",
  },
  containerMemoryShare: { value: 0.9, meaning: "Share of a container's memory limit in use." },
  cpuThrottledShare: {
    value: 0.25,
    meaning: 'Share of CPU periods in which a container was throttled.',
  },
  restartsPerHour: {
    value: 2,
    meaning: 'Number of container restarts per hour that are still normal.',
  },
  databasePoolWaiting: {
    value: 0,
    meaning: 'Number of requests per process that may constantly wait for a database connection.',
  },
  redisMemoryShare: { value: 0.85, meaning: "Share of Redis's maxmemory in use." },
  postgresqlConnectionsShare: {
    value: 0.85,
    meaning: "Share of PostgreSQL's max_connections in use.",
  },
  recoverySilentMinutes: {
    value: 30,
    meaning:
      'Number of minutes within which a recovery pass must end. Set this value above both the interval between two passes and the duration of the longest pass.',
  },
  databaseGrowthGiBPerDay: { value: 5, meaning: 'Maximum growth of a database per day, in GiB.' },
  volumeFreeShare: { value: 0.1, meaning: 'Minimum free share of a volume.' },
  failingShare: {
    value: 0.2,
    meaning:
      "Share of failed executions above which the alert compares this share with the previous day's.",
  },
  failingFactor: {
    value: 3,
    meaning: 'Factor by which the share of failures must exceed the share of the previous day.',
  },
  workflowSilentHours: {
    value: 24,
    meaning:
      'Number of hours without a success after which the alert fires for a workflow that succeeded within the last week.',
  },
  coldSandboxesPerSecond: {
    value: 1,
    meaning:
      'Number of expression sandboxes per second that a process builds while executions wait.',
  },
  loadShare: { value: 0.8, meaning: 'Share of the recorded capacity in use.' },
} as const satisfies Record<string, Threshold>;

export type ThresholdName = keyof typeof thresholds;
