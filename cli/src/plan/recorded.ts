/** What is asked for, as records keep it: parsed when a record is read. */
import { z } from 'zod';
import { OPERATORS } from '../../../loadtests/lib/condition';
import { ARRIVALS, type Stage } from '../../../loadtests/lib/profile';
import { SAMPLED_ROLES } from './roles';
import { SLO_METRICS, type Slo } from '../../../loadtests/lib/slo';

export const recordedWorkloadSchema = z.object({
  name: z.string(),
  title: z.string(),
  variant: z.string().nullable(),
  method: z.string(),
  path: z.string(),
  parameters: z.record(z.string(), z.union([z.number(), z.string()])),
  answers: z.enum(['at-once', 'when-done']),
  latencyFloorMs: z.number(),
  /** Its own and those of the workflows that it calls; left out where it is not known. */
  executionsPerRequest: z.exactOptional(z.number()),
});
export type RecordedWorkload = z.infer<typeof recordedWorkloadSchema>;

export const sloSchema: z.ZodType<Slo> = z.object({
  text: z.string(),
  metric: z.enum(SLO_METRICS),
  operator: z.enum(OPERATORS),
  bound: z.number(),
});

/** Prices of a core and of a GiB of memory for an hour, in the user's currency. */
export const pricesSchema = z.object({ cpu: z.number(), memory: z.number() });
export type Prices = z.infer<typeof pricesSchema>;

export const arrivalsSchema = z.enum(ARRIVALS);

export const stageSchema: z.ZodType<Stage> = z.object({
  durationSeconds: z.number(),
  fromRatePerSecond: z.number(),
  toRatePerSecond: z.number(),
});

export const sampledRoleSchema = z.enum(SAMPLED_ROLES);
