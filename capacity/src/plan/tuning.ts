/**
 * The measured settings, under the names and with the values of the chart's tuning profiles. Factors are
 * ratios to n8n's own default, measured with n8n 2.41.1 on two cores.
 */
export interface TuningValues {
  lazyExpressions: boolean;
  compileCache: boolean;
  saveSuccessfulExecutions: 'all' | 'none';
  saveFailedExecutions: 'all' | 'none';
  saveProgress: boolean;
  logLevel: 'error' | 'warn' | 'info' | 'debug';
  headlessWorkers: boolean;
  runnerConcurrency: number;
  workerConcurrency: number;
  /** 0 leaves V8's own. */
  semiSpaceMiB: number;
}

export const TUNING_NAMES = [
  'default',
  'throughput',
  'low-memory',
  'io-bound',
  'cpu-bound',
] as const;

export type TuningName = (typeof TUNING_NAMES)[number];

export const reasons: Record<keyof TuningValues, string> = {
  lazyExpressions:
    'n8n otherwise builds a V8 isolate (35 to 40 ms of CPU) for every execution, also for one without an expression: 2.8 times the requests in regular mode, 3.1 times in queue mode; the sandbox stays',
  compileCache: 'an expression is compiled once; measured together with lazyExpressions',
  saveSuccessfulExecutions:
    'with the quieter log 3.8 instead of 2.8 times the requests in regular mode, no difference in queue mode; what is given up is the record of successful executions',
  saveFailedExecutions: 'failures are what one wants to look at; not saving them was not measured',
  saveProgress: 'saving after every node costs a fifth of the throughput',
  logLevel: 'debug costs 1.35 times the CPU; warn was measured together with not saving',
  headlessWorkers:
    'workers and webhook processors serve no editor: about 220 MB less each, ready 1.5 s sooner',
  runnerConcurrency:
    "a Code node that waits holds one of n8n's 10 slots: 50 gave 3.7 times the requests with 40 clients and waits of 5 s",
  workerConcurrency:
    'work that waits wants more (50 gave 3.6 times the requests), work that computes less',
  semiSpaceMiB: 'no gain was seen at 64',
};

const base: TuningValues = {
  lazyExpressions: true,
  compileCache: true,
  saveSuccessfulExecutions: 'all',
  saveFailedExecutions: 'all',
  saveProgress: false,
  logLevel: 'warn',
  headlessWorkers: true,
  runnerConcurrency: 50,
  workerConcurrency: 10,
  semiSpaceMiB: 0,
};

export const tunings: Record<TuningName, TuningValues> = {
  default: base,
  throughput: { ...base, saveSuccessfulExecutions: 'none' },
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
 * its task runner, which together with what lies outside V8 exceeds the limit. Measured with 1536 MiB:
 * tasks that return 50 to 300 MB fail alone, n8n lives. The payload cap matters most, since
 * websocket buffers lie outside V8 and n8n's default is 1 GiB.
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

/** Executions at once that a webhook processor's database connections are reckoned for. */
export const WEBHOOK_SLOTS = 40;

/** Database connections of one process, as the chart reckons them: a quarter of what it runs at once. */
export function databasePool(slots: number): number {
  return Math.min(20, Math.max(4, Math.ceil(slots / 4)));
}
