// Why a promise of a drill is broken, and what would prevent it, as far as that is known: from n8n's code and from drills
// whose logs were read (docs/recovery.md, docs/chart/patches.md). What nobody has looked into says so.
const NOT_KNOWN = { cause: 'not looked into yet', prevention: 'not known' };

const RECOVERY = '[recovery](recovery.md): `recovery.enabled`, for workflows that may run twice';

/** By the class that a request ended in. */
const BY_CLASS = {
  'not-executed': {
    cause:
      'n8n tells the caller of a success while a worker that ends has closed its database before the job began',
    prevention: '`tuning.finishJobs` of the chart lets a worker finish its jobs before it ends',
  },
  repeated: {
    cause: 'a job whose worker was considered dead was still running, or was retried',
    prevention:
      'an effect that carries the id of its request, so that a second one changes nothing',
  },
};

/** What ends a worker, or takes its jobs from it: n8n runs them no second time. */
const ENDED = new Set(['kill-worker', 'oom-worker', 'stall-worker', 'cut-worker']);
const WITHOUT_STORE = new Set([
  ...['restart-redis', 'stop-redis', 'redis-loses-data', 'restart-postgres', 'stop-postgres'],
  ...['postgres-connections-used-up', 'full-disk'],
]);

const LOST = {
  worker: {
    cause:
      'n8n fails what a dead worker had when the lock of its job has run out, and does not run it again',
    prevention: RECOVERY,
  },
  main: {
    cause:
      'the process that had accepted the request died, and no other process responds to its caller',
    prevention: RECOVERY,
  },
  store: {
    cause: 'the execution could not be started or stored while a store was down',
    prevention: `a store that fails over, and ${RECOVERY}`,
  },
};

const HALF_OPEN = {
  'as-it-comes': {
    cause: 'the workers wait on dead connections, and take no job until they are restarted',
    prevention: '`worker.guardSeconds` of the chart restarts them',
  },
  lost: {
    cause:
      'each free slot of a worker has asked Redis for a job; Redis gives the next jobs to these connections, which are dead',
    prevention: RECOVERY,
  },
  recover: {
    cause: 'the worker guard waits for `worker.guardSeconds` before it restarts a worker',
    prevention: 'a smaller `worker.guardSeconds`',
  },
};

const RUNNER_ENDED = {
  cause:
    'n8n ends what ran on a task runner that dies as an error of its node, which recovery does not retry',
  prevention: '"Retry On Fail" of the node, where it may run twice',
};

const NO_REDIS = {
  cause:
    'n8n ends itself after `QUEUE_BULL_REDIS_TIMEOUT_THRESHOLD` without Redis, and has to start again when Redis is back',
  prevention: 'a Redis that fails over within that time',
};

export function causesOf({ fault, configuration, metric, classes }) {
  if (fault === 'redis-half-open' && configuration === 'as-it-comes') {
    return HALF_OPEN['as-it-comes'];
  }
  if (metric === 'repeated') return BY_CLASS.repeated;
  if (metric === 'recover') {
    if (fault === 'redis-half-open') return HALF_OPEN.recover;
    if (fault === 'stop-redis') return NO_REDIS;
  }
  if (metric === 'lost') {
    if (fault === 'kill-runner') return RUNNER_ENDED;
    if (classes.includes('not-executed')) {
      return fault === 'kill-webhook' ? NOT_KNOWN : BY_CLASS['not-executed'];
    }
    if (configuration === 'recovery') return NOT_KNOWN;
    if (fault === 'redis-half-open') return HALF_OPEN.lost;
    if (ENDED.has(fault)) return LOST.worker;
    if (fault === 'kill-main' || fault === 'kill-webhook') return LOST.main;
    if (WITHOUT_STORE.has(fault)) return LOST.store;
  }
  if (metric === 'errors' && WITHOUT_STORE.has(fault)) {
    return {
      cause: 'a request that needs a store gets an error while the store is down',
      prevention: 'a store that fails over faster than callers notice, or callers that try again',
    };
  }
  if (metric === 'due-never') {
    return {
      cause:
        'schedules are kept in the memory of main, and what was due while it was down is not made up for',
      prevention: '`executions.durableSchedules` of the chart',
    };
  }
  return NOT_KNOWN;
}
