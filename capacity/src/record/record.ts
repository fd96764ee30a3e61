import type { RecordedWorkload } from '../plan/chosen-workload';
import type { Arrivals, Stage } from '../plan/profile';
import type { Server } from '../plan/server';
import type { Slo } from '../plan/slo';
import type { SampledRole } from '../plan/roles';
import type { Topology } from '../plan/topology';

export type { SampledRole };

/** What was loaded: n8n on this machine, in a cluster, whatever answers at an address, or a server that was started. */
export type TargetKind = 'process' | 'kubernetes' | 'url' | 'server';

/**
 * The shape of run.json: everything known about one run. Written once, when the run has ended;
 * a folder without it is an incomplete run. Older schema versions are read by record/read.ts.
 */
export interface RunRecord {
  schemaVersion: 3;
  /** Sortable and unique: start time, workload, profile, four random letters. */
  id: string;
  startedAt: string;
  endedAt: string;
  /** The zero of all `tMs`; older records and those of a killed command do not have it. */
  loadBeganAt?: string;
  /** The command that made it, secrets taken out. */
  command: string[];
  workload: RecordedWorkload;
  profile: RecordedProfile;
  target: { kind: TargetKind; url: string; deployed?: RecordedDeployment; server?: Server };
  /** Null where the target was not ours to lay out. */
  topology: Topology | null;
  versions: Record<string, string>;
  machine: Machine;
  slo: Slo[];
  /** Of a core and of a GiB for an hour, where they were given (--cpu-price, --memory-price). */
  prices?: { cpu: number; memory: number };
  summary: Summary;
  verdict: Verdict;
  events: RunEvent[];
  /** Files beside run.json, by what they hold. */
  files: { samples?: string; requests?: string; logs: string[] };
}

/** Target kubernetes: what was loaded there. */
export interface RecordedDeployment {
  /** Of the cluster, such as v1.36.3. */
  kubernetes: string;
  context: string;
  namespace: string;
  release: string;
  /** Name and version; null where the release was there and is none of Helm's. */
  chart: string | null;
  /** Given to the chart, secrets taken out; null where it was there already. */
  values: Record<string, unknown> | null;
  /** SHA-256 of the manifests that Helm rendered; null where they could not be read. */
  manifestHash: string | null;
  /** Node of each pod, the load generator's too. */
  nodes: Record<string, string>;
}

export interface RecordedProfile {
  name: string;
  loop: 'open' | 'closed';
  durationSeconds: number;
  warmupSeconds: number;
  /** Open loop: the highest rate asked for. */
  ratePerSecond?: number;
  /** Closed loop: the number of clients. */
  clients?: number;
  /** Open loop, the warm-up first; the rate grows evenly within a stage. */
  stages?: Stage[];
  /** Open loop: whether requests were due at even or at random (exponential) gaps. */
  arrivals?: Arrivals;
  /** Of random arrivals: with it the due times can be computed again. */
  seed?: number;
}

export interface Machine {
  cpu: string;
  /** That may be used there, by affinity and quotas: 0.5 where a container has half a core. */
  cores: number;
  memoryMiB: number;
  os: string;
  node: string;
}

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
  /** Answered rightly, and no execution carries the id. */
  withoutExecution: NamedRequests;
  /** Answered rightly, and the execution failed or had not ended. */
  notSucceeded: NamedRequests;
  /** Executed to the end, and not answered rightly. */
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

/**
 * `sustained`: every SLO is met; `not sustained`: one is missed; `inconclusive`: too little evidence for
 * either; `invalid`: the load generator or the environment was at fault; `aborted`: it did not end.
 */
export type Outcome = 'sustained' | 'not sustained' | 'inconclusive' | 'invalid' | 'aborted';

export interface Verdict {
  outcome: Outcome;
  /** One sentence a manager can read. */
  sentence: string;
  breaches: { slo: string; measured: number; text: string }[];
  /** SLOs for which there was too little evidence, or none: then `measured` is null. */
  undecided: { slo: string; measured: number | null; seemsMet: boolean; text: string }[];
  limitedBy: LimitedBy;
  /** What makes the result doubtful; empty is best. */
  doubts: string[];
}

/** The resource that ran out first; `nothing` where none did, `unknown` where none of those seen did. */
export interface LimitedBy {
  /** A row of the table in analysis/limits, such as `worker slots`. */
  name: string;
  /** The figures that say so. */
  evidence: string;
  /** In use of what there is; older records do not have this, nor the next two. */
  utilisation?: number;
  /** What would limit it next. */
  runnerUp?: RankedLimit | null;
  /** Every resource that was seen, the limiting one first. */
  ranked?: RankedLimit[];
}

/** What limited a run or a search, as records of several runs keep it. */
export interface LimitSeen {
  name: string;
  /** The figures that say so; null where there are none. */
  evidence: string | null;
  /** What would limit it next; null where nothing else was seen. */
  next: string | null;
}

export interface RankedLimit {
  name: string;
  role: SampledRole;
  resource: string;
  /** In use of what there is, as a share. */
  utilisation: number;
  isUsedUp: boolean;
  evidence: string;
}

/** Something that happened during the run: a restart, an OOM kill, a sampler that failed. */
export interface RunEvent {
  tMs: number;
  kind: string;
  text: string;
  /** Where a process ended: requests without a response at that time. */
  inFlight?: number;
  /** Where a process ended for want of memory: of which kind, in which role. */
  exhausted?: { role: SampledRole; resource: 'memory' | 'heap' };
}

/** One line of requests.csv.gz. */
export interface RequestSample {
  /** Milliseconds since the load began, when the request was due. */
  tMs: number;
  /**
   * From when it was due until the whole response was there, connecting included; the age of an unanswered one.
   * In records before schema version 3: from when it was begun.
   */
  durationMs: number;
  /** 0 without a reply. */
  status: number;
  ok: boolean;
  /** Empty when ok: `status 500`, `wrong reply`, `wrong id`, `timeout`, `refused`, `unanswered`, ... */
  errorKind: string;
  /** Sent as x-load-id. */
  id: string;
  /** Which workload of a blend; the workload's own name elsewhere. */
  workload: string;
  /** host/pid/role of the process that replied, where known. */
  ranBy: string;
  /** Begun so much later than due, so that the service time is `durationMs - lateMs`; not in older records. */
  lateMs?: number;
  /** Connections that were opened for it, 0 or 1; not in older records. */
  connected?: number;
}

/** One line of samples.csv. The unit is part of the metric's name: rssMiB, cpuCores, eventLoopLagMs. */
export interface MetricSample {
  tMs: number;
  role: string;
  /** pid, pod name, or the like. */
  instance: string;
  metric: string;
  value: number;
}
