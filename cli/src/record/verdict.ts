/** The part of run.json that judges the run, and names what limited it. */
import { z } from 'zod';
import { sampledRoleSchema } from '../plan/recorded';
import { doubtSchema } from './summary';

/**
 * `sustained`: every SLO is met; `not sustained`: one is missed; `inconclusive`: too little evidence for
 * either; `invalid`: the load generator or the environment was at fault; `aborted`: it did not end.
 */
export const verdictOutcomeSchema = z.enum([
  'sustained',
  'not sustained',
  'inconclusive',
  'invalid',
  'aborted',
]);
export type VerdictOutcome = z.infer<typeof verdictOutcomeSchema>;

export const RESOURCES = [
  ...(['CPU', 'CPU limit', 'event loop', 'thread', 'disk'] as const),
  ...(['memory', 'heap', 'maxmemory', 'open files'] as const),
  ...(['slots', 'connection pool', 'connections', 'locks'] as const),
] as const;

/** What can run out: a row of the table in analysis/limits. */
export const limitSchema = z.object({ role: sampledRoleSchema, resource: z.enum(RESOURCES) });
export type Limit = z.infer<typeof limitSchema>;

export const rankedLimitSchema = limitSchema.extend({
  /** In use of what there is, as a share. */
  utilisation: z.number(),
  isUsedUp: z.boolean(),
  evidence: z.string(),
});
export type RankedLimit = z.infer<typeof rankedLimitSchema>;

/** What limited a run. */
export const limitedBySchema = z.object({
  /** The resource that ran out first; null where none of those seen did. */
  limit: limitSchema.nullable(),
  /** The figures that say so. */
  evidence: z.string(),
  /** In use of what there is; left out where it is not known. */
  utilisation: z.exactOptional(z.number()),
  /** What would limit it next. */
  runnerUp: z.exactOptional(rankedLimitSchema.nullable()),
  /** Every resource that was seen, the limiting one first. */
  ranked: z.exactOptional(z.array(rankedLimitSchema)),
});
export type LimitedBy = z.infer<typeof limitedBySchema>;

export const assessedSloSchema = z.object({
  slo: z.string(),
  /** `undecided`: there was too little evidence, or none. */
  state: z.enum(['met', 'missed', 'undecided']),
  /** Null without evidence. */
  measured: z.number().nullable(),
  /** Whether the measured value alone would meet it. */
  seemsMet: z.boolean(),
  /** How near it is to its bound: 1 is at it, 2 twice beyond. Null without a scale: a backlog of 0 is met or not. */
  pressure: z.number().nullable(),
  /** What was measured, beside the limit. */
  text: z.string(),
  /** Estimated number of requests for a decision; null if more requests would not help. */
  requestsNeeded: z.number().nullable(),
});
export type AssessedSlo = z.infer<typeof assessedSloSchema>;

export const verdictSchema = z.object({
  outcome: verdictOutcomeSchema,
  /** One sentence a manager can read. */
  sentence: z.string(),
  breaches: z.array(
    z.object({
      slo: z.string(),
      measured: z.number(),
      text: z.string(),
    }),
  ),
  /** Each SLO beside what was measured; those that hold for every run come after those that were asked for. */
  slos: z.array(assessedSloSchema),
  limitedBy: limitedBySchema,
  /** Empty is best. */
  doubts: z.array(doubtSchema),
});
export type Verdict = z.infer<typeof verdictSchema>;

/** What limited a run or a search, as records of several runs keep it. */
export const limitSeenSchema = z.object({
  limit: limitSchema.nullable(),
  /** The figures that say so; null where there are none. */
  evidence: z.string().nullable(),
  /** What would limit it next; null where nothing else was seen. */
  next: limitSchema.nullable(),
});
export type LimitSeen = z.infer<typeof limitSeenSchema>;
