import type { Role, Topology } from '../plan/topology';

/**
 * The measured settings, as named values with their reasons. Factors are ratios to n8n's own default,
 * measured with n8n 2.41.1 on two cores; docs/ tells how. The chart renders the same table.
 */
export interface Setting {
  name: string;
  value: string;
  /** Only processes of these roles read it. */
  roles: readonly Role[];
  /** Undefined: in both modes. */
  mode?: Topology['mode'];
  /** Whether n8n below 1.0 knows it too. */
  legacy: boolean;
  why: string;
}

export type Tuning = Topology['tuning'];

const everywhere: readonly Role[] = ['main', 'worker', 'webhook'];

/** Cost nothing, change nothing a user sees. */
const safe: readonly Setting[] = [
  {
    name: 'N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE',
    value: 'true',
    roles: everywhere,
    legacy: false,
    why: 'n8n otherwise builds a V8 isolate (35 to 40 ms of CPU) for every execution, also for one without an expression: 2.8 times the requests in regular mode, 3.1 times in queue mode.',
  },
  {
    name: 'N8N_EXPRESSION_ENGINE_COMPILE_CACHE',
    value: 'true',
    roles: everywhere,
    legacy: false,
    why: 'Compiles an expression once instead of once an execution; measured together with the lazy acquire.',
  },
  {
    name: 'N8N_DISABLE_UI',
    value: 'true',
    roles: ['worker', 'webhook'],
    legacy: false,
    why: 'Neither serves the editor: about 200 MB less resident memory and 1.5 s less to start.',
  },
  {
    name: 'N8N_EXECUTIONS_QUEUE_KEEP_LAST_COMPLETED',
    value: '1000',
    roles: ['main', 'webhook'],
    mode: 'queue',
    legacy: false,
    why: 'With 0, the default, a job that ends before its caller listens is gone: 7 of 23 030 callers never got their answer, with 1000 none of 23 153. Costs under 2 MB in Redis; must exceed the jobs of 5 s.',
  },
  {
    name: 'OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS',
    value: 'true',
    roles: ['main', 'worker'],
    mode: 'queue',
    legacy: false,
    why: 'Keeps executions started in the editor off main, as n8n recommends for queue mode.',
  },
];

/** Fewer writes and fewer log lines: what a user gives up is the record of successful executions. */
const lean: readonly Setting[] = [
  {
    name: 'EXECUTIONS_DATA_SAVE_ON_SUCCESS',
    value: 'none',
    roles: everywhere,
    legacy: true,
    why: 'With the quieter log, 3.8 instead of 2.8 times the requests in regular mode; makes no difference in queue mode.',
  },
  {
    name: 'N8N_LOG_LEVEL',
    value: 'warn',
    roles: everywhere,
    legacy: true,
    why: 'Measured together with not saving successful executions.',
  },
];

const waiting: readonly Setting[] = [
  {
    name: 'N8N_RUNNERS_MAX_CONCURRENCY',
    value: '50',
    roles: ['main', 'worker'],
    legacy: false,
    why: 'A Code node that waits holds one of 10 slots: 50 slots gave 3.7 times the requests with 40 clients and waits of 5 s. Slots divided by latency is the ceiling.',
  },
];

const small: readonly Setting[] = [
  {
    name: 'N8N_DISABLE_UI',
    value: 'true',
    roles: everywhere,
    legacy: false,
    why: '724 instead of about 950 MB resident in main; the editor must then run elsewhere.',
  },
];

/** A later setting of the same name wins. */
export const tunings: Record<Tuning, readonly Setting[]> = {
  none: [],
  default: safe,
  throughput: [...safe, ...lean],
  'io-bound': [...safe, ...lean, ...waiting],
  'cpu-bound': [...safe, ...lean],
  'low-memory': [...safe, ...lean, ...small],
};

/** The environment variables that a tuning sets in one process. */
export function tuningEnv(
  tuning: Tuning,
  role: Role,
  mode: Topology['mode'],
  isLegacy: boolean,
): Record<string, string> {
  const applies = (setting: Setting): boolean =>
    setting.roles.includes(role) &&
    (setting.mode === undefined || setting.mode === mode) &&
    (!isLegacy || setting.legacy);
  return Object.fromEntries(
    tunings[tuning].filter(applies).map((setting) => [setting.name, setting.value]),
  );
}

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
