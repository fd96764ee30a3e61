import type { RecordedWorkload } from '../plan/chosen-workload';
import type { Arrivals, Stage } from '../plan/profile';
import type { Server } from '../plan/server';
import type { Slo } from '../plan/slo';
import type { SampledRole } from '../plan/roles';
import type { Topology } from '../plan/topology';
import type { Summary } from './summary';
import type { Verdict } from './verdict';

export type { SampledRole };
export type {
  Completions,
  ExecutionCounts,
  Executions,
  GeneratorPart,
  GeneratorSummary,
  LatencyInterval,
  LatencySummary,
  MatchedExecutions,
  NamedRequests,
  RoleSummary,
  SoakTrend,
  StallCauses,
  Summary,
} from './summary';
export type { LimitSeen, LimitedBy, RankedLimit, Verdict, VerdictOutcome } from './verdict';

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
