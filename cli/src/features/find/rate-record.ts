import { z } from 'zod';
import { doubtSchema } from '../../record/summary';
import { limitSchema, limitSeenSchema } from '../../record/verdict';
import { cpuPerRequestSchema, findRecordSchema } from './record';

/** What a look says of one SLO. */
export const seenShareSchema = z.object({
  slo: z.string(),
  /** Share of requests that broke it, and its interval, which holds after all looks so far. */
  share: z.number(),
  low: z.number(),
  high: z.number(),
  /** Share that may break it. */
  allowed: z.number(),
  requests: z.number(),
});
export type SeenShare = z.infer<typeof seenShareSchema>;

export const lookSchema = z.object({
  /** Measured seconds, without the warm-up. */
  seconds: z.number(),
  /** From where on in them the requests are judged: all, or the second half. */
  fromSeconds: z.number(),
  shares: z.array(seenShareSchema),
  answer: z.enum(['yes', 'no']).nullable(),
});
export type RateLook = z.infer<typeof lookSchema>;

export const attemptSchema = z.object({
  /** What it says alone; null: it leaves the question open. */
  answer: z.enum(['yes', 'no', 'invalid']).nullable(),
  /** How long the load lasted, with the warm-up. */
  seconds: z.number(),
  achievedPerSecond: z.number(),
  /** The same as a share of the requests that were due, whose number differs from attempt to attempt. */
  achievedShare: z.number(),
  p95Ms: z.number().nullable(),
  errorShare: z.number(),
  cpuPerRequest: cpuPerRequestSchema.nullable(),
  limitedBy: limitSeenSchema,
  /** The verdict of its run, in a sentence. */
  sentence: z.string(),
  /** What was missed or left open, with what was measured; null where nothing was. */
  missed: z.string().nullable(),
  looks: z.array(lookSchema),
  doubts: z.array(doubtSchema),
  /** Folder of its run beneath the record's own. */
  run: z.string(),
});
export type Attempt = z.infer<typeof attemptSchema>;

/** The shape of rate.json: whether one rate is sustained, with every attempt to find out. */
export const rateRecordSchema = findRecordSchema
  .pick({
    ...{ id: true, startedAt: true, endedAt: true, command: true, workload: true, target: true },
    ...{ topology: true, versions: true, patches: true, machine: true, slo: true, arrivals: true },
    ...{ totalSeconds: true, sentence: true, before: true },
  })
  .extend({
    schemaVersion: z.literal(1),
    kind: z.literal('rate'),
    ratePerSecond: z.number(),
    /** For all attempts together. */
    budgetSeconds: z.number(),
    answer: z.enum(['yes', 'no', 'not yet', 'invalid']),
    /** Seconds of load that would decide it; null where it is decided, or where more time does not help. */
    decidesAfterSeconds: z.number().nullable(),
    /** What limited the last attempt that missed; null where none did, or where it was not seen. */
    limit: limitSchema.nullable(),
    attempts: z.array(attemptSchema),
    doubts: z.array(z.string()),
  });
export type RateRecord = z.infer<typeof rateRecordSchema>;
