/** The part of run.json that says what was measured, after the warm-up was cut unless a part of it says otherwise. */
import { z } from 'zod';
import { sampledRoleSchema } from '../plan/recorded';

export const completionsSchema = z.object({
  requests: z.number(),
  ratePerSecond: z.number(),
  shareOfOffered: z.number(),
  /** Executions begun and not ended, when the measured part ended. */
  openAtEnd: z.number(),
  source: z.string(),
});
export type Completions = z.infer<typeof completionsSchema>;

/** What workflows asked of one service, over the whole run, as the stand-in counted. */
export const serviceCallsSchema = z.object({
  host: z.string(),
  calls: z.number(),
  /** Answered with 400 or above, never answered, or cut. */
  failed: z.number(),
  perRequest: z.number(),
  /** At the rate that was offered. */
  perSecond: z.number(),
  /** What the service is known to allow. */
  published: z.exactOptional(
    z.object({ perSecond: z.number(), of: z.string(), source: z.string() }),
  ),
});
export type ServiceCalls = z.infer<typeof serviceCallsSchema>;

export const latencyIntervalSchema = z.object({
  low: z.number(),
  /** Null where there were too few requests for a bound. */
  high: z.number().nullable(),
});
export type LatencyInterval = z.infer<typeof latencyIntervalSchema>;

export const latencySummarySchema = z.object({
  count: z.number(),
  mean: z.number(),
  min: z.number(),
  p50: z.number(),
  p90: z.number(),
  p95: z.number(),
  p99: z.number(),
  p999: z.number(),
  max: z.number(),
  /** With 95% confidence; left out where it is not known. */
  intervals: z.exactOptional(
    z.record(z.enum(['mean', 'p50', 'p90', 'p95', 'p99', 'p999']), latencyIntervalSchema),
  ),
});
export type LatencySummary = z.infer<typeof latencySummarySchema>;

/** Executions as n8n counts them; n8n knows nothing of responses. */
export const executionCountsSchema = z.object({
  succeeded: z.number(),
  failed: z.number(),
  /** New, waiting in the queue or running. */
  unfinished: z.number(),
  /** The source of the counts: `database`, `metrics` or `API`. */
  source: z.string(),
});
export type ExecutionCounts = z.infer<typeof executionCountsSchema>;

/** Over the whole run, warm-up included. */
export const executionsSchema = executionCountsSchema.extend({
  /** Over the same time, to be compared with; left out where it is not known. */
  requests: z.exactOptional(z.number()),
  expectedResponses: z.exactOptional(z.number()),
});
export type Executions = z.infer<typeof executionsSchema>;

export const namedRequestsSchema = z.object({
  requests: z.number(),
  /** Ids of the first 20. */
  ids: z.array(z.string()),
});
export type NamedRequests = z.infer<typeof namedRequestsSchema>;

/** Requests and executions matched one by one, over the whole run, warm-up included. */
export const matchedExecutionsSchema = z.object({
  /** The source of the executions: `database` or `API`. */
  source: z.string(),
  /** Those that carry the id of a request of this run. */
  executions: z.number(),
  /** Executions that ended with an outcome that n8n did not keep. */
  notKept: z.number(),
  /** Executions that failed, crashed ones included, and those that had not ended. */
  failed: z.exactOptional(z.number()),
  unfinished: z.exactOptional(z.number()),
  /** Answered as expected by an execution that succeeded. */
  succeeded: z.exactOptional(z.number()),
  /** Answered as expected, and no execution carries the id. */
  withoutExecution: namedRequestsSchema,
  /** Answered as expected, and the execution failed or had not ended. */
  notSucceeded: namedRequestsSchema,
  /** Executed to the end, and not answered as expected. */
  withoutResponse: namedRequestsSchema,
  /** Not answered as expected, and the execution failed or had not ended. */
  failedBoth: z.exactOptional(namedRequestsSchema),
  /** Not answered as expected, and no execution carries the id: never begun. */
  notExecuted: z.exactOptional(namedRequestsSchema),
  /** Executed more than once. */
  repeated: namedRequestsSchema,
});
export type MatchedExecutions = z.infer<typeof matchedExecutionsSchema>;

/** In how many of the stalls a loaded process was seen to do this; both may be so, or neither. */
export const stallCausesSchema = z.object({
  /** Its CPU limit stopped it. */
  cpuLimit: z.number(),
  /** Its heap was collected as a whole. */
  collection: z.number(),
});
export type StallCauses = z.infer<typeof stallCausesSchema>;

/** Whatever is sampled plays one of these. */
export const roleSummarySchema = z.object({
  role: sampledRoleSchema,
  instances: z.number(),
  /** The highest sum over all instances. */
  rssPeakMiB: z.number().nullable(),
  /** The most that a single instance had; left out in records of older versions. */
  rssPeakOfOneMiB: z.exactOptional(z.number().nullable()),
  rssMedianMiB: z.number().nullable(),
  cpuCoresMean: z.number().nullable(),
  processesPeak: z.number().nullable(),
  restarts: z.number(),
  oomKills: z.number(),
  throttledShare: z.number().nullable(),
});
export type RoleSummary = z.infer<typeof roleSummarySchema>;

/** Trend of a figure that should stay level under a steady load, after it had settled, with 95% confidence. */
export const soakTrendSchema = z.object({
  name: z.union([
    z.literal('memory'),
    z.literal('latency'),
    z.literal('database'),
    z.literal('WAL'),
    z.templateLiteral(['table ', z.string()]),
  ]),
  unit: z.enum(['MiB', 'ms']),
  perHour: z.object({
    value: z.number(),
    low: z.number(),
    high: z.number(),
  }),
  /** `unknown`: the interval allows growth that matters, and none. */
  answer: z.enum(['grows', 'steady', 'unknown']),
});
export type SoakTrend = z.infer<typeof soakTrendSchema>;

/** How late requests were begun, in milliseconds; null in a closed loop. */
const latenessSchema = z.object({ p50: z.number(), p99: z.number(), max: z.number() }).nullable();

/** One of several load generators, each of which makes the same share of the load. Of the measured part. */
export const generatorPartSchema = z.object({
  /** Name of its pod. */
  name: z.string(),
  node: z.string(),
  requests: z.number(),
  notSent: z.number(),
  latenessMs: latenessSchema,
  cpuCores: z.number(),
  coresAvailable: z.number(),
  /**
   * How far its clock was ahead of that of the command, measured before the load began and taken into account; null
   * where its clock could not be read.
   */
  clock: z
    .object({
      aheadMs: z.number(),
      uncertainMs: z.number(),
    })
    .nullable(),
  /** From then on its share of the load is missing; null where it came to its end. */
  lost: z
    .object({
      tMs: z.number(),
      why: z.string(),
      inFlight: z.number(),
    })
    .nullable(),
});
export type GeneratorPart = z.infer<typeof generatorPartSchema>;

/** Figures of the measured part. */
/** What makes a result doubtful, as a clause. Those of one kind differ only in their figures and names. */
export const doubtSchema = z.preprocess(
  // Records had only the clause.
  (given) =>
    typeof given === 'string' ? { kind: given.replace(/[\d.]+/g, '#'), text: given } : given,
  z.object({ kind: z.string(), text: z.string() }),
);
export type Doubt = z.infer<typeof doubtSchema>;
export const textOf = ({ text }: Doubt): string => text;

export const generatorSummarySchema = z.object({
  cpuCores: z.number(),
  /** Cores that it could use at the most. */
  coresAvailable: z.number().nullable(),
  /** Were due while as many as may be were open; they are not part of what was offered. */
  notSent: z.number(),
  /** Part of every latency. */
  latenessMs: latenessSchema,
  /** Requests for which a connection had to be opened. */
  newConnections: z.number().nullable(),
  /** The generators, if several produced the load at the same time; their sum and all faults are above. */
  parts: z.exactOptional(z.array(generatorPartSchema)),
  /** Why the run says nothing about the system, a clause each; empty is best. */
  faults: z.array(doubtSchema),
  /** There are faults. */
  saturated: z.boolean(),
});
export type GeneratorSummary = z.infer<typeof generatorSummarySchema>;

/** After the warm-up was cut. Latencies in milliseconds, from raw samples. */
export const summarySchema = z
  .object({
    offered: z.object({
      requests: z.number(),
      ratePerSecond: z.number(),
    }),
    /** Good responses: those that the workload expects. */
    achieved: z.object({
      requests: z.number(),
      ratePerSecond: z.number(),
      shareOfOffered: z.number(),
    }),
    /**
     * Workloads that answer at once: requests whose execution ended within the measured part; null where
     * n8n could not tell. Left out for others, whose response proves it.
     */
    completions: z.exactOptional(completionsSchema.nullable()),
    latencyMs: latencySummarySchema.nullable(),
    /**
     * 95th percentile of the latency of all requests that were due. One without a latency, because it was rejected, counts
     * as never answered; null if the percentile is one of those. Left out by older versions.
     */
    p95OfAllMs: z.exactOptional(z.number().nullable()),
    errors: z.object({
      requests: z.number(),
      share: z.number(),
      /**
       * Holds the share with 95% confidence, errors that came in bursts taken together; left out where there were none, and
       * by older versions.
       */
      interval: z.exactOptional(z.object({ low: z.number(), high: z.number() })),
      byKind: z.record(z.string(), z.number()),
    }),
    /** Requests still without an answer when the run ended. */
    unanswered: z.object({
      requests: z.number(),
      oldestAgeMs: z.number(),
    }),
    /** Counted from n8n itself; null where n8n could not be asked. */
    executions: executionsSchema.nullable(),
    /** The same by the id that each request carries; left out where it is not known. */
    matched: z.exactOptional(
      z.union([
        matchedExecutionsSchema,
        z.object({
          skipped: z.string(),
        }),
      ]),
    ),
    /** Calls of services outside n8n, by host; left out where no stand-in was called. */
    services: z.exactOptional(z.array(serviceCallsSchema)),
    /**
     * Jobs that wait in the queue; without one, executions that were accepted and have not ended. Slope
     * per second over the measured part. Null where neither is known.
     */
    backlog: z
      .object({
        atEnd: z.number(),
        slopePerSecond: z.number(),
        drainedAfterSeconds: z.number().nullable(),
        /** What showed that it drained, where n8n's executions were not counted. */
        source: z.exactOptional(z.string()),
      })
      .nullable(),
    /**
     * How long the system gave no response to anybody under load, each time that this alone made requests miss an SLO of
     * a percentile: the longest first, at most 200, warm-up included.
     */
    stallsMs: z.exactOptional(z.array(z.number())),
    /** Left out where there were none. */
    stallCauses: z.exactOptional(stallCausesSchema),
    /** Requests in flight predicted by rate x latency against those seen. */
    littlesLaw: z
      .object({
        predicted: z.number(),
        observed: z.number(),
        ratio: z.number(),
      })
      .nullable(),
    /** Per request that was done: if n8n answers at once, per completed execution. */
    cpuMillisecondsPerRequest: z.number().nullable(),
    roles: z.array(roleSummarySchema),
    /** Trends, for soak runs only. */
    soak: z.exactOptional(z.array(soakTrendSchema)),
    /** Which process replied how often, where the workload says so. */
    spread: z.array(
      z.object({
        host: z.string(),
        pid: z.number(),
        role: z.string(),
        requests: z.number(),
      }),
    ),
    generator: generatorSummarySchema,
  })
  .refine(({ achieved, latencyMs }) => latencyMs !== null || achieved.requests === 0, {
    path: ['latencyMs'],
    error: 'the latencies are missing, although there were expected responses',
  });
export type Summary = z.infer<typeof summarySchema>;
