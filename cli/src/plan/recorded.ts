/** What is asked for, as records keep it: parsed when a record is read. */
import { z } from 'zod';
import type { Cell, Step } from './cells';
import { LEDGER_CLASSES } from './ledger-class';
import { ARRIVALS, isProfileName, type Stage } from './profile';
import { PROMISE_METRICS, type DrillPromise } from './promise';
import { SAMPLED_ROLES } from './roles';
import { SLO_METRICS, type Slo } from './slo';
import { studySchema } from './study-file';
import type { SweepPlan } from './sweep-plan';

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
  operator: z.enum(['<', '<=', '>', '>=', '=']),
  bound: z.number(),
});

export const arrivalsSchema = z.enum(ARRIVALS);

export const stageSchema: z.ZodType<Stage> = z.object({
  durationSeconds: z.number(),
  fromRatePerSecond: z.number(),
  toRatePerSecond: z.number(),
});

export const sampledRoleSchema = z.enum(SAMPLED_ROLES);
export const ledgerClassSchema = z.enum(LEDGER_CLASSES);

export const drillPromiseSchema: z.ZodType<DrillPromise> = z.object({
  text: z.string(),
  metric: z.enum(PROMISE_METRICS),
  operator: z.enum(['=', '<', '<=']),
  bound: z.number(),
  unit: z.enum(['requests', 'share', 'seconds']),
});

export const publishedSchema = studySchema.shape.published.unwrap().element;

const valueSchema = z.union([z.string(), z.number()]);
export const cellSchema: z.ZodType<Cell> = z.record(z.string(), valueSchema);

export const stepSchema = z.object({
  id: z.string(),
  block: z.number(),
  cell: cellSchema,
  isControl: z.boolean(),
}) satisfies z.ZodType<Step>;

const many = z.record(z.string(), z.array(valueSchema));

/** A plan that was parsed when its sweep began: its durations are seconds, its SLOs are understood. */
export const recordedPlanSchema: z.ZodType<SweepPlan> = z.object({
  name: z.string().optional(),
  title: z.string().optional(),
  measure: z.object({
    profile: z.custom<SweepPlan['measure']['profile']>(
      (name) => name === 'find' || isProfileName(String(name)),
      'expected find or a profile',
    ),
    ratePerSecond: z.number().optional(),
    clients: z.number().optional(),
    duration: z.number().optional(),
    warmup: z.number().optional(),
    probe: z.number().optional(),
    full: z.number().optional(),
    budget: z.number().optional(),
    timeout: z.number(),
    drain: z.number(),
    arrivals: arrivalsSchema.optional(),
    maxOpen: z.number().optional(),
    generatorCpus: z.number().optional(),
    ready: z.number(),
  }),
  slo: z.array(sloSchema),
  fixed: cellSchema,
  dimensions: many.optional(),
  cells: z.array(cellSchema).optional(),
  control: cellSchema.optional(),
  controlEvery: z.number(),
  repeats: z.number(),
  seed: z.number(),
  quick: z
    .object({
      duration: z.number().optional(),
      warmup: z.number().optional(),
      probe: z.number().optional(),
      full: z.number().optional(),
      budget: z.number().optional(),
      repeats: z.number(),
      dimensions: many,
    })
    .optional(),
});
