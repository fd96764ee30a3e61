import { z } from 'zod';
import { TUNING_NAMES, tunings, WORKER_CONCURRENCY_DEFAULT } from './tuning';

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
    n8n: z.string().default('2.41.1'),
    mode: z.enum(['regular', 'queue']).default('regular'),
    /** EXECUTIONS_PROCESS, for n8n below 1.0 only. */
    process: z.enum(['main', 'own']).default('main'),
    database: z.enum(['sqlite', 'postgresql']).optional(),
    main: roleLimits.prefault({}),
    workers: roleLimits
      .extend({
        count: z.int().nonnegative().default(1),
        /** Left out, it is the tuning's. */
        concurrency: z.int().positive().optional(),
      })
      .prefault({}),
    webhooks: roleLimits.extend({ count: z.int().nonnegative().default(0) }).prefault({}),
    /** Named sets of measured settings; `none` is n8n as it comes. */
    tuning: z.enum(['none', ...TUNING_NAMES]).default('default'),
    env: z.record(z.string(), z.string()).default({}),
  })
  .transform(({ workers, ...rest }) => ({
    ...rest,
    workers: { ...workers, concurrency: workers.concurrency ?? usualConcurrency(rest.tuning) },
  }));

function usualConcurrency(tuning: 'none' | keyof typeof tunings): number {
  return tuning === 'none' ? WORKER_CONCURRENCY_DEFAULT : tunings[tuning].workerConcurrency;
}

export type Topology = z.infer<typeof topologySchema>;
export type { Role } from './roles';

export const databaseOf = ({ database, mode }: Topology): 'sqlite' | 'postgresql' =>
  database ?? (mode === 'queue' ? 'postgresql' : 'sqlite');
