/** The part of run.json that says what was measured, after the warm-up was cut unless a part of it says otherwise. */
import type { SampledRole } from '../plan/roles';

/** After the warm-up was cut. Latencies in milliseconds, from raw samples. */
export interface Summary {
  offered: { requests: number; ratePerSecond: number };
  /** Good replies: those the workload calls right. */
  achieved: { requests: number; ratePerSecond: number; shareOfOffered: number };
  /**
   * Workloads that answer at once: requests whose execution ended within the measured part; null where
   * n8n could not tell. Left out for others, whose response proves it.
   */
  completions?: Completions | null;
  latencyMs: LatencySummary | null;
  errors: { requests: number; share: number; byKind: Record<string, number> };
  /** Requests still without an answer when the run ended. */
  unanswered: { requests: number; oldestAgeMs: number };
  /** Counted from n8n itself; null where n8n could not be asked. */
  executions: Executions | null;
  /** The same by the id that each request carries; older records do not have it. */
  matched?: MatchedExecutions | { skipped: string };
  /**
   * Jobs that wait in the queue; without one, executions that were accepted and have not ended. Slope
   * per second over the measured part. Null where neither is known.
   */
  backlog: {
    atEnd: number;
    slopePerSecond: number;
    drainedAfterSeconds: number | null;
    /** What showed that it drained, where n8n's executions were not counted. */
    source?: string;
  } | null;
  /**
   * How long the system gave no response to anybody under load, each time that this alone made requests miss an SLO of
   * a percentile: the longest first, at most 200, warm-up included; older records do not have it.
   */
  stallsMs?: number[];
  /** Left out where there were none, and in older records. */
  stallCauses?: StallCauses;
  /** Requests in flight predicted by rate x latency against those seen. */
  littlesLaw: { predicted: number; observed: number; ratio: number } | null;
  cpuMillisecondsPerRequest: number | null;
  roles: RoleSummary[];
  /** Of soak runs alone. */
  soak?: SoakTrend[];
  /** Which process replied how often, where the workload says so. */
  spread: { host: string; pid: number; role: string; requests: number }[];
  generator: GeneratorSummary;
}

/** In how many of the stalls a loaded process was seen to do this; both may be so, or neither. */
export interface StallCauses {
  /** Its CPU limit stopped it. */
  cpuLimit: number;
  /** Its heap was collected as a whole. */
  collection: number;
}

/** Of the measured part. */
export interface GeneratorSummary {
  cpuCores: number;
  /** Cores that it could use at the most; null in records before schema version 3. */
  coresAvailable: number | null;
  /** Were due while as many as may be were open; they are not part of what was offered. */
  notSent: number;
  /** Begun later than due: part of every latency. Null in a closed loop, and in older records. */
  latenessMs: { p50: number; p99: number; max: number } | null;
  /** Requests for which a connection had to be opened; null in older records. */
  newConnections: number | null;
  /** Where several made the load at the same time, each; their sum and the faults of all are above. */
  parts?: GeneratorPart[];
  /** Why the run says nothing about the system, a clause each; empty is best. */
  faults: string[];
  /** There are faults. */
  saturated: boolean;
}

/** One of several load generators, each of which makes the same share of the load. Of the measured part. */
export interface GeneratorPart {
  /** Of its pod. */
  name: string;
  node: string;
  requests: number;
  notSent: number;
  latenessMs: { p50: number; p99: number; max: number } | null;
  cpuCores: number;
  coresAvailable: number;
  /**
   * How far its clock was ahead of that of the command, measured before the load began and taken into account; null
   * where its clock could not be read.
   */
  clock: { aheadMs: number; uncertainMs: number } | null;
  /** From then on its share of the load is missing; null where it came to its end. */
  lost: { tMs: number; why: string; inFlight: number } | null;
}

/** As n8n counts them, which knows nothing of responses. */
export interface ExecutionCounts {
  succeeded: number;
  failed: number;
  /** New, waiting in the queue or running. */
  unfinished: number;
  /** Where the counts come from: `database`, `metrics`, `API`. */
  source: string;
}

/** Over the whole run, warm-up included. */
export interface Executions extends ExecutionCounts {
  /** Over the same time, to be compared with; older records do not have them. */
  requests?: number;
  rightReplies?: number;
}

/** Requests and executions matched one by one, over the whole run, warm-up included. */
export interface MatchedExecutions {
  /** Where the executions were read: `database`, `API`. */
  source: string;
  /** Those that carry the id of a request of this run. */
  executions: number;
  /** Of them, those that ended with an outcome that n8n has thrown away. */
  notKept: number;
  /** Of them, those that failed, crashed ones included, and those that had not ended; newer records. */
  failed?: number;
  unfinished?: number;
  /** Answered as expected by an execution that succeeded; newer records. */
  succeeded?: number;
  /** Answered as expected, and no execution carries the id. */
  withoutExecution: NamedRequests;
  /** Answered as expected, and the execution failed or had not ended. */
  notSucceeded: NamedRequests;
  /** Executed to the end, and not answered as expected. */
  unheard: NamedRequests;
  /** Not answered as expected, and the execution failed or had not ended; newer records. */
  failedBoth?: NamedRequests;
  /** Not answered as expected, and no execution carries the id: never begun; newer records. */
  notExecuted?: NamedRequests;
  /** Executed more than once. */
  repeated: NamedRequests;
}

export interface NamedRequests {
  requests: number;
  /** Of the first 20. */
  ids: string[];
}

/** Of what should stay level under a steady load, after it had settled. With 95 % confidence. */
export interface SoakTrend {
  name: 'memory' | 'latency' | 'database' | 'WAL' | `table ${string}`;
  unit: 'MiB' | 'ms';
  perHour: { value: number; low: number; high: number };
  /** `unknown`: the interval allows growth that matters, and none. */
  answer: 'grows' | 'steady' | 'unknown';
}

export interface Completions {
  requests: number;
  ratePerSecond: number;
  shareOfOffered: number;
  /** Executions begun and not ended, when the measured part ended. */
  openAtEnd: number;
  source: string;
}

export interface LatencySummary {
  count: number;
  mean: number;
  min: number;
  p50: number;
  p90: number;
  p95: number;
  p99: number;
  p999: number;
  max: number;
  /** With 95 % confidence; records of schema version 1 have none. */
  intervals?: Record<'mean' | 'p50' | 'p90' | 'p95' | 'p99' | 'p999', LatencyInterval>;
}

export interface LatencyInterval {
  low: number;
  /** Null where there were too few requests for a bound. */
  high: number | null;
}

/** Whatever is sampled plays one of these. */
export interface RoleSummary {
  role: SampledRole;
  instances: number;
  rssPeakMiB: number | null;
  rssMedianMiB: number | null;
  cpuCoresMean: number | null;
  processesPeak: number | null;
  restarts: number;
  oomKills: number;
  throttledShare: number | null;
}
