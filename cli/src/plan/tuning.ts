/**
 * The measured settings, under the names and with the values of the chart's tuning profiles.
 */
export interface TuningValues {
  lazyExpressions: boolean;
  compileCache: boolean;
  readySandboxes: number;
  saveSuccessfulExecutions: 'all' | 'none';
  saveFailedExecutions: 'all' | 'none';
  saveProgress: boolean;
  logLevel: 'error' | 'warn' | 'info' | 'debug';
  headlessWorkers: boolean;
  runnerConcurrency: number;
  workerConcurrency: number;
  /** 0 leaves V8's own. */
  semiSpaceMiB: number;
  traceSqlite: boolean;
  lazyCharacterMap: boolean;
  warmExpressions: boolean;
  zoneOnce: boolean;
  sessionOnce: boolean;
  readOnce: boolean;
  keepStalled: boolean;
  requeueLost: boolean;
  finishJobs: boolean;
}

export const TUNING_NAMES = [
  'default',
  'throughput',
  'low-memory',
  'io-bound',
  'cpu-bound',
] as const;

export type TuningName = (typeof TUNING_NAMES)[number];

/** What each is worth by workload and mode is measured in studies/comparisons: docs/results.md. */
export const reasons: Record<keyof TuningValues, string> = {
  lazyExpressions:
    'n8n otherwise builds a V8 isolate for every execution, also for one without an expression: most of what tuning gains; the sandbox stays',
  compileCache: 'an expression is compiled once, not in every execution',
  readySandboxes:
    'an execution that evaluates an expression while no sandbox is ready builds one, and its process does nothing else meanwhile',
  saveSuccessfulExecutions:
    'every saved execution is written to the database, in queue mode also one that is then marked as deleted; what is given up is the record of successful executions',
  saveFailedExecutions: 'failures are what you want to look at',
  saveProgress: 'saving after every node writes to the database that many times',
  logLevel: 'debug and info cost CPU in every execution',
  headlessWorkers: 'workers and webhook processors serve no editor: less memory, ready sooner',
  runnerConcurrency:
    "a Code node that waits holds one of n8n's 10 slots for as long, and the CPU idles",
  workerConcurrency:
    'work that waits gains from more executions at the same time, work that computes from fewer',
  semiSpaceMiB: "V8's own",
  traceSqlite:
    'n8n has the driver of SQLite make a stack trace for every statement; without it, an error of SQLite tells less of where it came from',
  lazyCharacterMap:
    'most of building a sandbox for expressions is a map of characters that hardly any expression reads: built when it is read',
  warmExpressions:
    'the functions that every expression needs come compiled from the code cache, not compiled anew in every execution',
  zoneOnce:
    'n8n otherwise checks the time zone, and builds $now and $today, for every expression: most of the time of a simple one',
  sessionOnce:
    'n8n sends PostgreSQL the settings of its session before every query: once per connection instead',
  readOnce:
    'n8n finds the id of a row before it reads the row, also where it has the id: read at once instead',
  keepStalled:
    'n8n otherwise writes an empty run over what a dead worker had, and no retry can bring it back',
  requeueLost:
    'n8n otherwise tells callers of a success where Redis came back empty and their executions never began',
  finishJobs:
    'n8n otherwise loses the jobs that a worker has just taken when it has to end: in rollouts, scale-ins and drains',
};

const base: TuningValues = {
  lazyExpressions: true,
  compileCache: true,
  readySandboxes: 5,
  saveSuccessfulExecutions: 'all',
  saveFailedExecutions: 'all',
  saveProgress: false,
  logLevel: 'warn',
  headlessWorkers: true,
  runnerConcurrency: 50,
  workerConcurrency: 10,
  semiSpaceMiB: 0,
  traceSqlite: true,
  lazyCharacterMap: true,
  warmExpressions: true,
  zoneOnce: true,
  sessionOnce: true,
  readOnce: true,
  keepStalled: true,
  requeueLost: true,
  finishJobs: true,
};

export const tunings: Record<TuningName, TuningValues> = {
  default: base,
  throughput: { ...base, saveSuccessfulExecutions: 'none', traceSqlite: false },
  'low-memory': {
    ...base,
    saveSuccessfulExecutions: 'none',
    runnerConcurrency: 10,
    workerConcurrency: 5,
  },
  'io-bound': {
    ...base,
    saveSuccessfulExecutions: 'none',
    runnerConcurrency: 100,
    workerConcurrency: 50,
  },
  'cpu-bound': {
    ...base,
    saveSuccessfulExecutions: 'none',
    runnerConcurrency: 10,
    workerConcurrency: 5,
  },
};

/** n8n's own, where nothing is tuned. */
export const WORKER_CONCURRENCY_DEFAULT = 10;

/**
 * How a memory limit is shared out: V8's default heap takes half of the container in n8n and again in
 * its task runner, which together with what lies outside V8 exceeds the limit. The payload cap matters
 * most, since websocket buffers lie outside V8 and n8n's default is 1 GiB. The memory hog under these
 * shares and without them: docs/records/chart-on-cluster.json.
 */
export const memoryShares = { heap: 1 / 2, runnerHeap: 1 / 6, runnerPayload: 1 / 48 } as const;

export interface Heaps {
  heapMiB: number;
  runnerHeapMiB: number;
  runnerPayloadMiB: number;
}

export function heapsFor(memoryMiB: number): Heaps {
  return {
    heapMiB: Math.floor(memoryMiB * memoryShares.heap),
    runnerHeapMiB: Math.floor(memoryMiB * memoryShares.runnerHeap),
    runnerPayloadMiB: Math.max(1, Math.floor(memoryMiB * memoryShares.runnerPayload)),
  };
}

/** Executions at once that a webhook processor's database connections are computed for. */
export const WEBHOOK_SLOTS = 40;

/** Database connections of one process, as the chart computes them: a quarter of what it runs at once, 10 to 20. */
export function databasePool(slots: number): number {
  return Math.min(20, Math.max(10, Math.ceil(slots / 4)));
}
