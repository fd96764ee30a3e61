// Why a promise of a drill is broken, and what would prevent it, as far as that is known: from n8n's code and from drills
// whose logs were read (docs/recovery.md, docs/chart/patches.md). What nobody has looked into says so.
interface Cause {
  cause: string;
  prevention: string | string[];
}
export interface Broken {
  fault: string;
  configuration: string;
  metric: string;
  /** In which requests ended. */
  classes: string[];
  lostDue: LostDue;
}
/**
 * Whether requests that were lost were due `before` the fault, so that they were at work when it came, `during` its making,
 * and `after` it; all false where the records do not tell. What was due just before it and had not begun counts as `after`;
 * only where it was `late` may one have been due after the fault.
 */
export type LostDue = Record<'before' | 'during' | 'after' | 'late', boolean>;

const NOT_KNOWN: Cause = { cause: 'not looked into yet', prevention: 'not known' };

const CHECK = "n8n's own check, every `executions.recovery.intervalMinutes` (180)";
const RECOVERY = 'recovery';

/** While a worker ends, jobs that it has just taken get lost. */
const ENDING = {
  cause:
    'n8n tells the caller of a success while a worker that ends has closed its database before the job began',
  prevention: '`tuning.finishJobs` of the chart lets a worker finish its jobs before it ends',
};
const STARTING = {
  cause:
    'while a process of n8n starts, it responds to every request with status 200 and "n8n is starting up. Please wait", and executes nothing',
  prevention:
    'a readiness probe, which the chart has: a Service sends no request to a process that starts',
};

/** What a pod that is replaced still takes, measured in rollouts (studies/charts/README.md). */
const REPLACED = new Set(['rolling-upgrade', 'drain-node']);
const KEPT_OPEN = {
  cause:
    'callers still send requests over connections that they keep to a webhook processor that ends',
  prevention: '`pod.shutdown` of the chart: `preStopSeconds` and `closeConnections`',
};
const TAKEN = {
  cause:
    'a webhook processor or a worker that ends closes its database under what it has just taken',
  prevention: `${KEPT_OPEN.prevention}; \`tuning.finishJobs\``,
};

/** Job.finished of Bull 4 waits for the end of a job by its id, and n8n then reads the execution of the request. */
const REDIS_EMPTY = {
  'not-executed': {
    cause:
      'an empty Redis counts the ids of jobs from 1 again, so the end of a new job is taken for that of a lost one, and its caller is told of a success',
  },
  running: {
    cause: 'a job that waited in Redis is gone, and its execution stays new',
  },
};
const REQUEUES = '`tuning.requeueLost` of the chart';
const KEEPS = ["a Redis that keeps its data (the chart's own: `redis.own.persistence`)"];

/** By the faults after which it is not that of a worker that ends. */
const NOT_EXECUTED: Record<string, Cause[]> = {
  'kill-webhook': [STARTING],
  'kill-main': [STARTING],
  'redis-loses-data': [{ ...REDIS_EMPTY['not-executed'], prevention: [...KEEPS, REQUEUES] }],
  'stop-redis': [STARTING, ENDING],
};

const REPEATED = {
  cause: 'a job whose worker was considered dead was still running, or was retried',
  prevention: 'an effect that carries the id of its request, so that a second one changes nothing',
};

const DONE_TWICE = {
  cause: 'n8n could not store that the work was finished, so that recovery ran it again',
  prevention: '`tuning.keepStalled` of the chart, which now stores it later',
};

/** What keeps a worker from its queue for a while. It has its jobs all the same, and goes on with them. */
const AWAY = new Set(['stall-worker', 'cut-worker']);
const WITHOUT_DATABASE = new Set([
  ...['restart-postgres', 'stop-postgres', 'postgres-connections-used-up', 'full-disk'],
]);
const WITHOUT_STORE = new Set([
  ...['restart-redis', 'stop-redis', 'redis-loses-data'],
  ...WITHOUT_DATABASE,
]);

/** What ends a worker: n8n does not run again what it had. */
const AT_WORK = {
  cause: 'n8n fails what a dead worker had when its lock has run out, and does not run it again',
  prevention: RECOVERY,
};
const HANDED = {
  cause:
    'Redis gives the next jobs to free slots of the worker, which does not take them, and n8n fails those that two checks for stalled jobs find first',
  prevention: RECOVERY,
};
const RECONNECT = '`database.reconnectSeconds` of the chart (2 s)';
const backWithoutDatabase = (configuration: string): Cause => ({
  cause: 'a worker that has not reached PostgreSQL again takes jobs, and fails each at once',
  prevention: configuration === 'as-it-comes' ? [RECONNECT, RECOVERY] : [RECOVERY],
});
const LATE_WITHOUT_DATABASE = {
  cause: 'n8n waits for up to 30 s between two tries to reach PostgreSQL',
  prevention: RECONNECT,
};
const ACCEPTED = {
  cause:
    'the process that had accepted the request died, and no other process responds to its caller',
  prevention: RECOVERY,
};
const NOT_STORED = {
  cause: 'the execution could not be started or stored while a store was down',
  prevention: ['a store that fails over', RECOVERY],
};
const WAITS = '`tuning.keepStalled` of the chart, which now waits for PostgreSQL';
/** WorkflowRunner.processError of n8n 2.41 begins with a query. */
const END_NOT_STORED = {
  cause:
    'n8n cannot store that an execution has failed while PostgreSQL is away, so it stays new or running',
  prevention: [WAITS, CHECK, RECOVERY],
};
/** n8n's retry refuses an execution that has not begun. */
const NOT_BEGUN = {
  cause: `${END_NOT_STORED.cause}; n8n refuses to retry one that is new`,
  prevention: [WAITS, CHECK, RECOVERY],
};
const OUTAGE = '`redis.outageSeconds` of the chart (60 s)';
/** Every process of n8n ends itself without Redis. */
const nobodyWaits = (configuration: string): Cause => ({
  cause:
    'the worker that had it ended, and so did the process that waited for it, so nothing stores that it has failed',
  prevention:
    configuration === 'as-it-comes'
      ? [OUTAGE, ...END_NOT_STORED.prevention]
      : END_NOT_STORED.prevention,
});

const HALF_OPEN = {
  'as-it-comes': {
    cause: 'the workers wait on dead connections, and take no job until they are restarted',
    prevention: '`worker.guardSeconds` of the chart restarts them',
  },
  lost: {
    cause: 'Redis gives the next jobs to free slots of a worker, whose connections are dead',
    prevention: RECOVERY,
  },
  recover: {
    cause: 'the worker guard waits for `worker.guardSeconds` and two missing renewals of a lock',
    prevention: 'a smaller `worker.guardSeconds`',
  },
};

const RUNNER_ENDED = {
  cause:
    'n8n ends what ran on a task runner that dies as an error of its node, and does not run it again',
  prevention: [RECOVERY, '"Retry On Fail" of the node'],
};

const noRedis = (configuration: string): Cause => ({
  cause:
    'n8n ends itself after `QUEUE_BULL_REDIS_TIMEOUT_THRESHOLD` without Redis, and has to start again',
  prevention: [
    ...(configuration === 'as-it-comes' ? [OUTAGE] : []),
    'a Redis that fails over within that time',
  ],
});

export const causesOf = (broken: Broken): Cause[] => [causeOf(broken)].flat();

function causeOf({ fault, configuration, metric, classes, lostDue }: Broken): Cause | Cause[] {
  if (fault === 'redis-half-open' && configuration === 'as-it-comes') {
    return HALF_OPEN['as-it-comes'];
  }
  if (metric === 'repeated') return REPEATED;
  if (metric === 'done-twice') return DONE_TWICE;
  if (metric === 'recover') {
    if (fault === 'redis-half-open') return HALF_OPEN.recover;
    if (fault === 'stop-redis') return noRedis(configuration);
    if (fault === 'stop-postgres' && configuration === 'as-it-comes') return LATE_WITHOUT_DATABASE;
  }
  if (metric === 'running' && WITHOUT_DATABASE.has(fault)) {
    return configuration === 'recovery' ? NOT_BEGUN : END_NOT_STORED;
  }
  if (metric === 'running' && fault === 'redis-loses-data') {
    return { ...REDIS_EMPTY.running, prevention: [...KEEPS, CHECK] };
  }
  if (metric === 'running' && fault === 'stop-redis') return nobodyWaits(configuration);
  if (metric === 'lost') {
    const causes = [
      ...(classes.includes('not-executed') ? (NOT_EXECUTED[fault] ?? [ENDING]) : []),
      ...(classes.includes('lost') ? causesOfLost({ fault, configuration, lostDue }) : []),
    ];
    return causes.length === 0 ? NOT_KNOWN : causes;
  }
  if (metric === 'errors' && REPLACED.has(fault)) return KEPT_OPEN;
  if (metric === 'errors' && WITHOUT_STORE.has(fault)) {
    return {
      cause: 'a request that needs a store gets an error while the store is down',
      prevention: 'a store that fails over faster than callers notice, or callers that try again',
    };
  }
  if (metric === 'due-never') {
    return {
      cause:
        'schedules are kept in the memory of main, and nothing makes up for what was due while it was down',
      prevention:
        '`executions.durableSchedules` of the chart, which [executes it late](studies/drill-settings/README.md#where-n8n-keeps-schedules)',
    };
  }
  return NOT_KNOWN;
}

/** Counts the causes of requests that were accepted and lost. */
function causesOfLost({
  fault,
  configuration,
  lostDue: { before, during, after, late },
}: Pick<Broken, 'fault' | 'configuration' | 'lostDue'>): Cause[] {
  if (fault === 'kill-runner') return [RUNNER_ENDED];
  if (configuration === 'recovery') return [NOT_KNOWN];
  // The kernel kills it up to seconds after the fault has begun: what was due meanwhile was at work too.
  if (fault === 'oom-worker') return [AT_WORK];
  // What was due just before the worker died, it had taken: it loses no other, and the next worker took what came later.
  if (fault === 'kill-worker')
    return [...(before || during || !late ? [AT_WORK] : []), ...(after && late ? [NOT_KNOWN] : [])];
  if (fault === 'redis-half-open') {
    return [...(before ? [AT_WORK] : []), ...(after || during || !before ? [HALF_OPEN.lost] : [])];
  }
  if (AWAY.has(fault)) {
    const handed = fault === 'cut-worker' ? [HANDED, backWithoutDatabase(configuration)] : [HANDED];
    return [...(before ? [NOT_KNOWN] : []), ...(after || during || !before ? handed : [])];
  }
  if (REPLACED.has(fault)) return [TAKEN];
  if (fault === 'kill-main' || fault === 'kill-webhook') return [ACCEPTED];
  if (WITHOUT_DATABASE.has(fault)) return [NOT_STORED, backWithoutDatabase(configuration)];
  return [WITHOUT_STORE.has(fault) ? NOT_STORED : NOT_KNOWN];
}
