import { z } from 'zod';
import { chartVersion, profileOf } from './environment';
import type { Role } from './roles';

export const TUNING_NAMES = [
  'default',
  'throughput',
  'low-memory',
  'io-bound',
  'cpu-bound',
] as const;

export const MODES = ['regular', 'queue'] as const;
/** EXECUTIONS_PROCESS, for n8n below 1.0 only. */
export const PROCESSES = ['main', 'own'] as const;
export const DATABASES = ['sqlite', 'postgresql'] as const;
/** Named sets of measured settings; `none` is n8n as it comes. */
export const TUNINGS = ['none', ...TUNING_NAMES] as const;

/** Limits of one role's process group (or pod). A missing limit means: not limited. */
const roleLimits = z.strictObject({
  cpuMillicores: z.int().positive().optional(),
  memoryMiB: z.int().positive().optional(),
  /** V8 old space; `auto` derives it from memoryMiB by the measured rule, `none` leaves V8's default. */
  heapMiB: z.union([z.int().positive(), z.literal('auto'), z.literal('none')]).default('auto'),
  env: z.record(z.string(), z.string()).default({}),
});

/** How n8n is laid out and limited. The words are those of the chart's values.yaml. */
export const topologySchema = z
  .strictObject({
    name: z.string().optional(),
    n8n: z.string().default(chartVersion),
    mode: z.enum(MODES).default('regular'),
    process: z.enum(PROCESSES).default('main'),
    database: z.enum(DATABASES).optional(),
    main: roleLimits.prefault({}),
    workers: roleLimits
      .extend({
        count: z.int().nonnegative().default(1),
        /** Left out, it is the tuning's. */
        concurrency: z.int().positive().optional(),
      })
      .prefault({}),
    webhooks: roleLimits.extend({ count: z.int().nonnegative().default(0) }).prefault({}),
    tuning: z.enum(TUNINGS).default('default'),
    /** Settings of the tuning that are not those of its name, as the chart's values have them under `tuning`. */
    settings: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    env: z.record(z.string(), z.string()).default({}),
  })
  .transform(({ workers, ...rest }) => ({
    ...rest,
    workers: { ...workers, concurrency: workers.concurrency ?? defaultConcurrency(rest) },
  }));

/** n8n's own, where nothing is tuned. */
const WORKER_CONCURRENCY_DEFAULT = 10;

function defaultConcurrency({
  tuning,
  settings,
}: {
  tuning: (typeof TUNINGS)[number];
  settings?: Readonly<Record<string, unknown>> | undefined;
}): number {
  if (tuning === 'none') return WORKER_CONCURRENCY_DEFAULT;
  return Number(settings?.['workerConcurrency'] ?? profileOf(tuning)['workerConcurrency']);
}

export type Topology = z.infer<typeof topologySchema>;
export type { Role } from './roles';

export const databaseOf = ({
  database,
  mode,
}: Pick<Topology, 'mode' | 'database'>): 'sqlite' | 'postgresql' =>
  database ?? (mode === 'queue' ? 'postgresql' : 'sqlite');

export const isLegacy = (version: string): boolean => version.startsWith('0.');

export function limitsOf(topology: Topology, role: Role): Topology['main'] {
  return { main: topology.main, worker: topology.workers, webhook: topology.webhooks }[role];
}

/** Why this topology cannot be laid out, in a sentence; null when it can. */
export function contradiction(topology: Topology): string | null {
  const { mode, database, process, n8n, webhooks, tuning, settings } = topology;
  if (tuning === 'none' && settings !== undefined) {
    return 'tuning none has no settings that you can change; use tuning default, or remove the settings';
  }
  if (process === 'own' && !isLegacy(n8n)) {
    return `executions.process: own (--process own) does not exist in n8n ${n8n}; use n8n 0.221.2, or remove the setting`;
  }
  if (process === 'own' && mode === 'queue') {
    return 'executions.process: own (--process own) does not apply in queue mode; use regular mode, or remove the setting';
  }
  if (mode === 'queue' && database === 'sqlite') {
    return 'in queue mode, processes share a database, which SQLite does not support; use database postgresql (database.type, --database)';
  }
  if (mode === 'regular' && webhooks.count > 0) {
    return 'only queue mode has webhook processors; use queue mode, or no webhook processors (webhook.enabled, --webhooks)';
  }
  return null;
}
