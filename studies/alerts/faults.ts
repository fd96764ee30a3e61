// The faults that are watched, in the order of their worth, and the alerts that each has to cause.
import type { Part } from '../../cli/src/features/study/study';
import type { More } from './release';

interface FaultWatched {
  name: string;
  title: string;
  workload: string;
  param?: string;
  ratePerSecond: number;
  /** What is seen counts from the fault until `afterSeconds` after its end. */
  lastsSeconds: number;
  afterSeconds: number;
  /** Alerts. */
  expects: string[];
  /** The fault of that name as `n8n-tuned drill` makes it on a release of its own. */
  drill?: string;
  /** A workload of the cluster that is set to no pods for `lastsSeconds`, as runbooks have it. */
  scale?: string;
  /** A pod whose n8n is told to end, `times` times within `lastsSeconds`. */
  end?: string;
  times?: number;
  /** The load itself is the fault, on a release with these. */
  values?: More;
}
export type FaultPart = Part & FaultWatched & { kind: 'fault' };

const byDrill = (
  drill: string,
  more: Pick<FaultWatched, 'title' | 'afterSeconds' | 'expects'> & { lastsSeconds?: number },
): FaultWatched => ({
  ...{ name: drill, drill, workload: 'side-effect', param: 'ms=2000', ratePerSecond: 3 },
  ...{ lastsSeconds: 0, ...more },
});

/** A worker's lock on its jobs, the look for stalled ones, and two scrapes. */
const UNTIL_STALLED = 150;

const WATCHED: FaultWatched[] = [
  byDrill('kill-worker', {
    ...{ title: 'SIGKILL of one worker', afterSeconds: UNTIL_STALLED },
    expects: ['N8nJobsStalled', 'N8nExecutionsCrashed'],
  }),
  byDrill('kill-main', { title: 'SIGKILL of main', afterSeconds: 120, expects: [] }),
  byDrill('stop-redis', {
    ...{ title: 'Redis away for 30 s', lastsSeconds: 30, afterSeconds: 120, expects: [] },
  }),
  byDrill('scale-in', {
    ...{ title: 'one worker stopped in order', afterSeconds: 120, expects: [] },
  }),
  byDrill('restart-postgres', {
    ...{ title: 'PostgreSQL stopped and started', afterSeconds: 120, expects: [] },
  }),
  byDrill('stop-postgres', {
    ...{ title: 'PostgreSQL away for 30 s', lastsSeconds: 30, afterSeconds: 120, expects: [] },
  }),
  {
    ...{ name: 'main-away', title: 'no pod of main for 4 minutes' },
    ...{ scale: 'deployment/n8n-main', workload: 'last-node', ratePerSecond: 2 },
    ...{ lastsSeconds: 240, afterSeconds: 60, expects: ['N8nMainDown'] },
  },
  {
    ...{ name: 'workers-away', title: 'no pod of a worker for 7 minutes' },
    ...{ scale: 'deployment/n8n-worker', workload: 'immediate', ratePerSecond: 2 },
    ...{ lastsSeconds: 420, afterSeconds: 60 },
    expects: ['N8nNoWorkerUp', 'N8nNoWorkerConsumes'],
  },
  {
    ...{ name: 'redis-away', title: 'Redis away for 7 minutes' },
    ...{ scale: 'statefulset/n8n-redis', workload: 'last-node', ratePerSecond: 2 },
    ...{ lastsSeconds: 420, afterSeconds: 60 },
    expects: ['N8nExporterBlind', 'N8nStoreDown', 'N8nRedisDown'],
  },
  {
    ...{ name: 'postgres-away', title: 'PostgreSQL away for 7 minutes' },
    ...{ scale: 'statefulset/n8n-postgresql', workload: 'last-node', ratePerSecond: 2 },
    ...{ lastsSeconds: 420, afterSeconds: 60 },
    expects: ['N8nExporterBlind', 'N8nStoreDown', 'N8nPostgresqlDown'],
  },
  {
    ...{ name: 'too-much', title: 'executions of 5 s, twice as many as there are slots for' },
    // The slow alert on latency waits for 15 minutes.
    ...{ workload: 'wait-5s', ratePerSecond: 8, lastsSeconds: 1020, afterSeconds: 0 },
    expects: [
      ...['N8nQueueGrowing', 'N8nQueueWaitLong', 'N8nOldestJobTooOld', 'N8nWorkerSlotsFull'],
      ...['N8nWebhookLatencyFast', 'N8nWebhookLatencySlow'],
    ],
  },
  {
    ...{ name: 'restarts', title: 'n8n of main ended 4 times within 5 minutes' },
    ...{ end: 'deployment/n8n-main', times: 4, workload: 'last-node', ratePerSecond: 2 },
    ...{ lastsSeconds: 300, afterSeconds: 60, expects: ['N8nRestarting'] },
  },
  {
    ...{ name: 'little-cpu', title: 'webhook processor with a CPU limit of 100m under load' },
    ...{ workload: 'last-node', ratePerSecond: 8, lastsSeconds: 780, afterSeconds: 0 },
    values: { webhook: { resources: { limits: { cpu: '100m' } } } },
    expects: ['N8nCpuThrottled'],
  },
  byDrill('kill-webhook', {
    ...{ title: 'SIGKILL of the webhook processor', afterSeconds: 120, expects: [] },
  }),
  byDrill('oom-worker', {
    ...{ title: 'one worker out of memory', afterSeconds: UNTIL_STALLED },
    expects: ['N8nOutOfMemoryKill', 'N8nJobsStalled', 'N8nExecutionsCrashed'],
  }),
  byDrill('stall-worker', {
    ...{ title: 'one worker frozen for 75 s', lastsSeconds: 75, afterSeconds: 120 },
    expects: ['N8nJobsStalled'],
  }),
  byDrill('kill-runner', {
    ...{ title: 'SIGKILL of the task runner of one worker', afterSeconds: 120, expects: [] },
  }),
  byDrill('restart-redis', {
    ...{ title: 'Redis stopped and started', afterSeconds: 120, expects: [] },
  }),
  byDrill('rolling-upgrade', {
    ...{ title: 'every pod of n8n replaced', lastsSeconds: 60, afterSeconds: 120, expects: [] },
  }),
  byDrill('drain-node', {
    ...{ title: 'every pod of n8n evicted', lastsSeconds: 60, afterSeconds: 120, expects: [] },
  }),
  byDrill('burst', {
    ...{ title: '10 times the rate for 10 s', lastsSeconds: 10, afterSeconds: 120, expects: [] },
  }),
];

/** Before the fault: the load runs, and Prometheus has scraped it. */
export const STEADY_SECONDS = 45;
/** To deploy, to come to an end and to remove, beside what is watched. */
const AROUND_SECONDS = 150;

export const FAULTS: FaultPart[] = WATCHED.map((fault) => ({
  ...fault,
  kind: 'fault',
  seconds: AROUND_SECONDS + STEADY_SECONDS + fault.lastsSeconds + fault.afterSeconds,
}));
