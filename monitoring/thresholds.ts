/** Every threshold of an alert: its default is that of `monitoring.prometheusRule.thresholds` in values.yaml. */
interface Threshold {
  value: number;
  meaning: string;
}

export const thresholds = {
  webhookErrorBudget: {
    value: 0.01,
    meaning: 'Share of webhook requests that may get a response with a 5xx status, at most 0.06.',
  },
  webhookSlowBudget: {
    value: 0.05,
    meaning:
      'Share of webhook requests that may take longer than webhookSlowSeconds, at most 0.06.',
  },
  webhookSlowSeconds: {
    value: 10,
    meaning:
      "Seconds from which on a webhook request is slow. One of the bounds of n8n's histogram: 0.003, 0.03, 0.1, 0.3, 1.5 or 10. Workflows that respond at their end take their whole run time.",
  },
  webhookLeastPerSecond: {
    value: 0.1,
    meaning: 'Webhook requests per second below which shares of them say nothing.',
  },
  queueWaitingJobs: { value: 50, meaning: 'Waiting jobs from which on a growing queue counts.' },
  queueWaitSeconds: {
    value: 60,
    meaning:
      'Seconds that a new job may have to wait for a worker, as waiting jobs over jobs completed per second.',
  },
  workerSlotsShare: { value: 0.9, meaning: 'Share of all worker slots in use, while jobs wait.' },
  workerSilentMinutes: {
    value: 30,
    meaning:
      'Minutes in which a worker that is up must take at least one job while jobs wait. Above your longest execution.',
  },
  eventLoopLagSeconds: { value: 0.5, meaning: "99th percentile of a process's event-loop lag." },
  heapShare: { value: 0.9, meaning: "Share of V8's heap limit in use." },
  outsideHeapGrowthMiB: {
    value: 256,
    meaning: "Growth within six hours of a process's memory outside V8's heap.",
  },
  containerMemoryShare: { value: 0.9, meaning: "Share of a container's memory limit in use." },
  cpuThrottledShare: {
    value: 0.25,
    meaning: 'Share of CPU periods in which a container was throttled.',
  },
  restartsPerHour: {
    value: 2,
    meaning: 'Restarts of a container within an hour that are still normal.',
  },
  databasePoolWaiting: {
    value: 0,
    meaning: 'Requests of a process that may wait for a database connection all the time.',
  },
  redisMemoryShare: { value: 0.85, meaning: "Share of Redis's maxmemory in use." },
  postgresqlConnectionsShare: {
    value: 0.85,
    meaning: "Share of PostgreSQL's max_connections in use.",
  },
  recoverySilentMinutes: {
    value: 30,
    meaning:
      'Minutes within which a pass of recovery must end. Above the time between two passes and the longest one.',
  },
  databaseGrowthGiBPerDay: { value: 5, meaning: 'GiB by which a database may grow in a day.' },
  volumeFreeShare: { value: 0.1, meaning: 'Share of a volume that must stay free.' },
  failingShare: {
    value: 0.2,
    meaning: 'Share of executions that fail from which on it can be above normal.',
  },
  failingFactor: {
    value: 3,
    meaning: 'Times the share of the day before that counts as above normal.',
  },
  workflowSilentHours: {
    value: 24,
    meaning: 'Hours without a success of a workflow that had one in the week before.',
  },
  coldSandboxesPerSecond: {
    value: 1,
    meaning:
      'Expression sandboxes per second that a process builds while an execution waits for one.',
  },
  loadShare: { value: 0.8, meaning: 'Share of the recorded capacity in use.' },
} as const satisfies Record<string, Threshold>;

export type ThresholdName = keyof typeof thresholds;
