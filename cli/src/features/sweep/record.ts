import { z } from 'zod';
import { isProfileName } from '../../../../loadtests/lib/profile';
import type { Cell, Step } from './plan/cells';
import { arrivalsSchema, sloSchema } from '../../plan/recorded';
import type { SweepPlan } from './plan/plan';
import { patchStatesSchema } from '../../record/patches';
import { machineSchema } from '../../record/run-record';
import { limitSeenSchema, verdictOutcomeSchema } from '../../record/verdict';

const valueSchema = z.union([z.string(), z.number()]);
const cellSchema: z.ZodType<Cell> = z.record(z.string(), valueSchema);

const stepSchema = z.object({
  id: z.string(),
  block: z.number(),
  cell: cellSchema,
  isControl: z.boolean(),
}) satisfies z.ZodType<Step>;

const many = z.record(z.string(), z.array(valueSchema));

/** A plan that was parsed when its sweep began: its durations are seconds, its SLOs are understood. */
const recordedPlanSchema: z.ZodType<SweepPlan> = z.object({
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

/** The shape of sweep.json: all that is settled before the first cell, so that a sweep can be resumed. */
export const sweepRecordSchema = z.object({
  schemaVersion: z.literal(1),
  kind: z.literal('sweep'),
  id: z.string(),
  name: z.string(),
  title: z.string(),
  startedAt: z.string(),
  command: z.array(z.string()),
  machine: machineSchema,
  plan: recordedPlanSchema,
  /** In the order in which they are measured; made from the plan's seed. */
  steps: z.array(stepSchema),
  skipped: z.array(
    z.object({
      cell: cellSchema,
      reason: z.string(),
    }),
  ),
  estimatedSeconds: z.number(),
});
export type SweepRecord = z.infer<typeof sweepRecordSchema>;

/** Null where it was not measured. */
export const cellFiguresSchema = z.object({
  /** Capacity, if the cell was a search. */
  capacityPerSecond: z.number().nullable(),
  /** Its interval; left out in older records. */
  capacityLow: z.exactOptional(z.number().nullable()),
  capacityHigh: z.exactOptional(z.number().nullable()),
  achievedPerSecond: z.number().nullable(),
  p50Ms: z.number().nullable(),
  p95Ms: z.number().nullable(),
  p99Ms: z.number().nullable(),
  errorShare: z.number().nullable(),
  /** Peak of all n8n processes together. */
  memoryMiB: z.number().nullable(),
  /** Peak memory over expected responses a second. */
  memoryMiBPerRequestPerSecond: z.number().nullable(),
  cpuMillisecondsPerRequest: z.number().nullable(),
  /** Restarts and OOM kills during the load. */
  restarts: z.number().nullable(),
});
export type CellFigures = z.infer<typeof cellFiguresSchema>;

/** The shape of cell.json. A step of the sweep is done when it has one, whatever became of it. */
export const cellRecordSchema = stepSchema.extend({
  schemaVersion: z.literal(2),
  kind: z.literal('cell'),
  startedAt: z.string(),
  seconds: z.number(),
  machine: machineSchema,
  /** What else used this machine before, a sentence each; left out where it was quiet, or nobody looked. */
  disturbances: z.exactOptional(z.array(z.string())),
  versions: z.record(z.string(), z.string()),
  /** The patches as n8n showed them; left out where it showed none, and in older records. */
  patches: z.exactOptional(patchStatesSchema),
  /** `crashed`: n8n did not come up, or never gave the expected response. */
  outcome: z.union([verdictOutcomeSchema.exclude(['aborted']), z.literal('crashed')]),
  sentence: z.string(),
  /** Null of what crashed. */
  limitedBy: limitSeenSchema.nullable(),
  figures: cellFiguresSchema,
  /** Folder of its run or search beneath the cell's own; null where it came to none. */
  run: z.string().nullable(),
});
export type CellRecord = z.infer<typeof cellRecordSchema>;

export const NO_FIGURES: CellFigures = {
  capacityPerSecond: null,
  capacityLow: null,
  capacityHigh: null,
  achievedPerSecond: null,
  p50Ms: null,
  p95Ms: null,
  p99Ms: null,
  errorShare: null,
  memoryMiB: null,
  memoryMiBPerRequestPerSecond: null,
  cpuMillisecondsPerRequest: null,
  restarts: null,
};
