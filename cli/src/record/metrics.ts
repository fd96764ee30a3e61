/** Every metric of samples.csv, declared once: samplers write them, the limits table, tables and plots read them. */

interface Declared {
  /** The title in tables and plots. */
  title: string;
  unit: 'MiB' | 'cores' | 'ms' | 'share' | 'count' | 'jobs';
  /** A `gauge` is the state, or the use since the sample before; a `count` only grows until its process restarts. */
  kind: 'gauge' | 'count';
  /** What the instances of a role come to together. */
  over: 'sum' | 'max';
  /** What exactly it measures, where the title leaves that open. */
  of: string;
}

const declare = <Name extends string>(metrics: Record<Name, Declared>): Record<Name, Declared> =>
  metrics;

const gauge = (
  title: string,
  unit: Declared['unit'],
  over: Declared['over'],
  of: string,
): Declared => ({ title, unit, kind: 'gauge', over, of });

const count = (title: string, of: string): Declared => ({
  title,
  unit: 'count',
  kind: 'count',
  over: 'sum',
  of,
});

export const METRICS = declare({
  // A process, from /proc, or from its own /metrics where it cannot be seen.
  rssMiB: gauge('Memory', 'MiB', 'sum', 'resident memory of one process'),
  pssMiB: gauge(
    'Proportional memory',
    'MiB',
    'sum',
    'with shared pages divided among the processes that use them',
  ),
  cpuCores: gauge('CPU', 'cores', 'sum', 'CPU that one process used since the previous sample'),
  loopCores: gauge(
    'CPU of the main thread',
    'cores',
    'max',
    'CPU of the thread that runs JavaScript or, in Redis, the commands',
  ),
  loopWaitShare: gauge(
    'Main thread waiting for a CPU',
    'share',
    'max',
    'share of time that this thread was ready to run but had no CPU',
  ),
  threads: gauge('Threads', 'count', 'sum', 'of one process'),
  openFiles: gauge('Open files', 'count', 'sum', 'open files of one process, including sockets'),
  openFilesMax: gauge('Open files allowed', 'count', 'max', 'soft limit of one process'),
  processes: gauge('Processes', 'count', 'sum', 'processes of one role (the instance is empty)'),
  restarts: count('Restarts', 'unplanned restarts of one process or container'),

  // A control group, that is one instance with all its children.
  groupCpuCores: gauge(
    'CPU of the group',
    'cores',
    'sum',
    'CPU of all processes in a group, including processes that lived for less than a clock tick',
  ),
  groupCpuLimitCores: gauge('CPU limit', 'cores', 'sum', 'cores that a group may use'),
  groupMemoryMiB: gauge('Memory of the group', 'MiB', 'sum', 'including the page cache'),
  groupWorkingSetMiB: gauge(
    'Working set of the group',
    'MiB',
    'sum',
    'excluding page cache that the kernel can reclaim, as Kubernetes counts it',
  ),
  groupMemoryPeakMiB: gauge(
    'Memory peak of the group',
    'MiB',
    'sum',
    'since the group was created',
  ),
  groupMemoryLimitMiB: gauge('Memory limit', 'MiB', 'sum', 'memory that a group may use'),
  throttledShare: gauge(
    'Throttled',
    'share',
    'max',
    'share of CPU periods in which the limit throttled a group',
  ),
  throttledMs: gauge('Throttled time', 'ms', 'max', 'since the previous sample, over all CPUs'),
  oomKills: count(
    'OOM kills',
    'processes of a group that the kernel killed because memory ran out',
  ),
  cpuPressureShare: gauge(
    'CPU pressure',
    'share',
    'max',
    'share of time that processes waited for a CPU (PSI)',
  ),
  memoryPressureShare: gauge(
    'Memory pressure',
    'share',
    'max',
    'share of time that processes waited for memory (PSI)',
  ),
  ioPressureShare: gauge(
    'Disk pressure',
    'share',
    'max',
    'share of time that processes waited for a disk (PSI)',
  ),

  // The machine (role host).
  stealShare: gauge(
    'Stolen time',
    'share',
    'max',
    'time that the hypervisor gave to other machines',
  ),
  memoryAvailableMiB: gauge('Memory available', 'MiB', 'sum', 'without swapping'),
  diskBusyShare: gauge('Disk busy', 'share', 'max', 'of the busiest disk'),

  // n8n, from /metrics.
  eventLoopLagMs: gauge(
    'Event-loop lag',
    'ms',
    'max',
    'p99 of the delay of an event loop since the previous sample',
  ),
  heapUsedMiB: gauge('V8 heap', 'MiB', 'sum', 'V8 heap in use'),
  externalMiB: gauge(
    'Memory outside the heap',
    'MiB',
    'sum',
    'buffers that V8 tracks outside its heap',
  ),
  gcShare: gauge(
    'Garbage collection',
    'share',
    'max',
    'share of the time spent on garbage collection',
  ),
  dbPoolActive: gauge('Pool connections in use', 'count', 'sum', 'of one process'),
  dbPoolMax: gauge('Pool size', 'count', 'sum', 'of one process'),
  dbPoolPending: gauge('Requests waiting for the pool', 'count', 'sum', 'of one process'),
  dbPoolAcquireMs: gauge(
    'Wait for a pool connection',
    'ms',
    'max',
    'mean over the requests since the previous sample',
  ),
  heapLimitMiB: gauge('V8 heap limit', 'MiB', 'sum', 'of one process, if it reports this limit'),
  shownMemoryLimitMiB: gauge(
    'Memory limit as reported by n8n',
    'MiB',
    'sum',
    'of the container of one process, if the process reports it',
  ),
  workerSlots: gauge(
    'Worker slots',
    'count',
    'sum',
    'executions that one worker can run at the same time, if it reports this number',
  ),
  coldSandboxes: count(
    'Expression sandboxes built too late',
    'while an execution waited, since the process started',
  ),
  webhookRequests: count('Webhook requests', 'answered since the process started'),
  webhookErrors: count('Webhook errors', 'answered with a 5xx status since the process started'),
  webhookMeanMs: gauge(
    'Webhook latency, mean',
    'ms',
    'max',
    'of the requests answered since the previous sample',
  ),
  webhookP95Ms: gauge(
    'Webhook latency, 95th percentile',
    'ms',
    'max',
    "of the requests answered since the previous sample, between the bounds of n8n's histogram",
  ),
  executionsStarted: count('Executions started', 'since the process started'),
  executionsSucceeded: count('Executions succeeded', 'since the process started'),
  executionsFailed: count('Executions failed', 'since the process started'),

  // Redis and the queue in it (role redis).
  queueWaiting: gauge(
    'Jobs waiting',
    'jobs',
    'max',
    'jobs in the queue that no worker has started',
  ),
  queueActive: gauge('Jobs active', 'jobs', 'max', 'jobs that workers are running'),
  queueOldestMs: gauge('Oldest job', 'ms', 'max', 'age of the job that has waited longest'),
  redisMemoryMiB: gauge('Redis data', 'MiB', 'sum', 'used_memory'),
  redisMemoryMaxMiB: gauge('Redis maxmemory', 'MiB', 'sum', 'present only if maxmemory is set'),

  // PostgreSQL, as it says itself (role postgresql).
  dbConnections: gauge(
    'Connections',
    'count',
    'sum',
    'clients of the server, except for the sampler',
  ),
  dbConnectionsMax: gauge(
    'Connections allowed',
    'count',
    'sum',
    'max_connections, without the reserved connections',
  ),
  dbActiveConnections: gauge(
    'Active connections',
    'count',
    'sum',
    'connections that are running a statement',
  ),
  dbLocksWaiting: gauge('Waiting for locks', 'count', 'sum', 'connections that wait for a lock'),
  dbTransactions: count('Transactions', 'committed and rolled back'),
  dbSizeMiB: gauge('Database size', 'MiB', 'sum', 'files of the database, without the log'),

  // SQLite (role sqlite), and the tables of either database in a soak run.
  dbWalMiB: gauge(
    'Write-ahead log',
    'MiB',
    'sum',
    'SQLite data that has not been checkpointed yet',
  ),
  tableSizeMiB: gauge(
    'Table size',
    'MiB',
    'sum',
    'of one table with its indexes, written as postgresql/TABLE or sqlite/TABLE',
  ),
});

export type Metric = keyof typeof METRICS;
