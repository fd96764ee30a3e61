import { z } from 'zod';
import { donePerSecond } from '../../analysis/cost';
import { patchStatesSchema } from '../../record/patches';
import {
  arrivalsSchema,
  pricesSchema,
  recordedWorkloadSchema,
  sampledRoleSchema,
  sloSchema,
} from '../../plan/recorded';
import { topologySchema } from '../../plan/topology';
import { machineSchema, targetKindSchema, type Summary } from '../../record/run-record';
import { doubtSchema, roleSummarySchema, stallCausesSchema } from '../../record/summary';
import { limitSchema, limitSeenSchema, verdictOutcomeSchema } from '../../record/verdict';
import { keptRequestsSchema } from './traces/requests';
import { probeSecondsSchema } from './traces/seconds';

/** Speeds of the machine at which a rate may be planned. */
export const SPEEDS = ['median', 'slow'] as const;
export type Speed = (typeof SPEEDS)[number];

/** What each role used at the capacity, or at the highest rate that was sustained. */
export const atCapacitySchema = z.object({
  /** Folder of that run. */
  run: z.string(),
  ratePerSecond: z.number(),
  meanLatencyMs: z.number(),
  cpuMillisecondsPerRequest: z.number().nullable(),
  roles: z.array(roleSummarySchema),
});
export type AtCapacity = z.infer<typeof atCapacitySchema>;

/** Milliseconds of CPU per request that was done: if n8n answers at once, per completed execution. */
export const cpuPerRequestSchema = z.object({
  /** CPU of all loaded roles; databases and the load generator are not included. */
  allMs: z.number(),
  roles: z.array(
    z.object({
      role: sampledRoleSchema,
      instances: z.number(),
      ms: z.number(),
    }),
  ),
});
export type CpuPerRequest = z.infer<typeof cpuPerRequestSchema>;

export const findProbeSchema = z.object({
  kind: z.enum(['ladder', 'growth', 'narrow', 'confirm']),
  /** Open loop. */
  ratePerSecond: z.exactOptional(z.number()),
  /** Closed loop. */
  clients: z.exactOptional(z.number()),
  /** What was planned, with the warm-up. */
  durationSeconds: z.number(),
  /** How long its load lasted; left out where it was as long as planned. */
  endedAfterSeconds: z.exactOptional(z.number()),
  /** An aborted run is no probe. */
  result: verdictOutcomeSchema.exclude(['aborted']),
  achievedPerSecond: z.number(),
  p95Ms: z.number().nullable(),
  errorShare: z.number(),
  /** Null where no CPU was seen, as of an n8n at a URL without metrics. */
  cpuPerRequest: cpuPerRequestSchema.nullable(),
  /** Durations of stalls, from the run's summary. */
  stallsMs: z.array(z.number()),
  /** What was seen during them; left out where there were none. */
  stallCauses: z.exactOptional(stallCausesSchema),
  /** Requests in flight seen over those that Little's law predicts. */
  littlesLaw: z.number().nullable(),
  limitedBy: limitSeenSchema,
  sentence: z.string(),
  /** The first SLO that was missed or left open, with what was measured; null where all were met. */
  missed: z.string().nullable(),
  /** Those of its run. */
  doubts: z.array(doubtSchema),
  /** Folder of its run beneath the search's own. */
  run: z.string(),
  /** The worst SLO's measured value over its bound; null where it has no scale, left out if not recorded. */
  pressure: z.exactOptional(z.number().nullable()),
  /** To which side an inconclusive run leans. */
  leans: z.exactOptional(z.enum(['sustained', 'not sustained'])),
  /** Times in the load when something else took the machine, in seconds: they do not count. */
  leftOut: z.exactOptional(z.array(z.object({ from: z.number(), to: z.number() }))),
  /** Second by second, and request by request: with them the search can be judged again; left out if not recorded. */
  seconds: z.exactOptional(probeSecondsSchema),
  requests: z.exactOptional(keptRequestsSchema),
});
export type FindProbe = z.infer<typeof findProbeSchema>;

export const beforeSearchSchema = z.object({
  /** Cores that others used: in the search, what they use beyond them is told apart. */
  othersCores: z.number(),
  /** A sentence each; none of a quiet machine. */
  disturbances: z.array(z.string()),
});
export type BeforeSearch = z.infer<typeof beforeSearchSchema>;

/** The shape of find.json: one search for the capacity, with every probe it made. */
export const findRecordSchema = z.object({
  schemaVersion: z.literal(2),
  kind: z.literal('find'),
  id: z.string(),
  startedAt: z.string(),
  endedAt: z.string(),
  command: z.array(z.string()),
  workload: recordedWorkloadSchema,
  target: z.object({
    kind: targetKindSchema,
    url: z.string(),
  }),
  topology: topologySchema.nullable(),
  versions: z.record(z.string(), z.string()),
  /** What n8n showed after the last probe; left out if it shows nothing of them. */
  patches: z.exactOptional(patchStatesSchema),
  machine: machineSchema,
  slo: z.array(sloSchema),
  /** Arrivals of probes in an open loop; left out if unknown. */
  arrivals: z.exactOptional(arrivalsSchema),
  budgetSeconds: z.number().nullable(),
  /** Width of the interval that was asked for (--precision), as a share; left out if none was. */
  precision: z.exactOptional(z.number()),
  /** When the search was gone on with, and by which commands; left out where it never was. */
  continued: z.exactOptional(z.array(z.object({ at: z.string(), command: z.array(z.string()) }))),
  /** What else used this machine before the first probe; left out where nobody looked. */
  before: z.exactOptional(beforeSearchSchema),
  capacity: z.object({
    /** The best estimate from all probes; `confirmed` where a run of full length sustained a rate within the interval or close below it. */
    ratePerSecond: z.number(),
    low: z.number(),
    /** Null where every rate was sustained: nobody knows how much more it sustains. */
    high: z.number().nullable(),
    confirmed: z.boolean(),
    /** The price at which the answer holds: CPU per request of what limits n8n. Left out if CPU did not say it. */
    at: z.exactOptional(
      z.object({
        /** Milliseconds: the median of the search, and that of its slowest minute. */
        cpuMs: z.number(),
        slowestMs: z.number(),
        /** The rate in that minute; of records without it, as much less as its price was higher. */
        slowestPerSecond: z.exactOptional(z.number()),
        /** Share of the time in which requests waited that others took. */
        takenShare: z.number(),
        /** Whose CPU it is, and how many cores there are of it: of the machine, of threads, or of CPU limits. */
        of: limitSchema,
        cores: z.number(),
      }),
    ),
    /** Slots, pools or a service outside n8n that are all in use at these rates, if they limit it and CPU does not. */
    held: z.exactOptional(
      z.object({
        of: limitSchema,
        /** How many requests hold it side by side; null where nobody counts them. */
        count: z.number().nullable(),
        /** In the median of the probes that used it up, and in the slowest of them. */
        ratePerSecond: z.number(),
        slowestPerSecond: z.number(),
      }),
    ),
    /** Speeds of the machine around each probe that kept up, as the price at that time. */
    speeds: z.exactOptional(z.array(z.object({ cpuMs: z.number(), seconds: z.number() }))),
    /** How it was estimated, and why so, in one sentence. */
    method: z.exactOptional(
      z.object({ name: z.enum(['virtual queue', 'pass and miss']), text: z.string() }),
    ),
  }),
  /** What to plan with: enough room for noise, deploys and a busy minute. */
  advised: z.object({
    share: z.number(),
    ratePerSecond: z.number(),
    /** The speed of the machine at which it may be planned with (--speed); left out if no price is known. */
    speed: z.exactOptional(z.enum(SPEEDS)),
  }),
  /** The first limit met above the capacity; null where none was seen. */
  limit: limitSchema.nullable(),
  verdict: z.enum([
    'found',
    'rough',
    'not confirmed',
    'inconclusive',
    'nothing sustained',
    'invalid',
  ]),
  /** One sentence a manager can read. */
  sentence: z.string(),
  /** Wall time of everything, bringing to rest included. */
  totalSeconds: z.number(),
  /** Folder of the run that confirmed the capacity; null where none did. */
  confirmedBy: z.string().nullable(),
  /** Prices of a core and of a GiB for an hour, if given (--cpu-price, --memory-price). */
  prices: z.exactOptional(pricesSchema),
  /** Usage in the run on which the answer rests, so that the search alone is evidence; null if unknown. */
  atCapacity: atCapacitySchema.nullable(),
  probes: z.array(findProbeSchema),
  doubts: z.array(z.string()),
});
export type FindRecord = z.infer<typeof findRecordSchema>;

/** Whether the search has an answer that others may use, though its interval may be wide. */
export const hasEstimate = (verdict: FindRecord['verdict']): boolean =>
  verdict !== 'nothing sustained' && verdict !== 'invalid';

/**
 * The capacity that a search found; null if it was invalid, or only found a rate that is sustained at the least. If no
 * rate is sustained, the capacity is 0.
 */
export function capacityOf({ verdict, capacity }: FindRecord): number | null {
  if (verdict === 'nothing sustained') return 0;
  return hasEstimate(verdict) && capacity.high !== null ? capacity.ratePerSecond : null;
}

export const usedAt = (run: string, summary: Summary): AtCapacity => ({
  run,
  ratePerSecond: donePerSecond(summary),
  meanLatencyMs: summary.latencyMs?.mean ?? 0,
  cpuMillisecondsPerRequest: summary.cpuMillisecondsPerRequest,
  roles: summary.roles,
});
