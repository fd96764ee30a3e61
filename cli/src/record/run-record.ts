export type { SampledRole } from '../plan/roles';
export type {
  Completions,
  Doubt,
  ExecutionCounts,
  Executions,
  GeneratorPart,
  GeneratorSummary,
  LatencyInterval,
  LatencySummary,
  MatchedExecutions,
  NamedRequests,
  RoleSummary,
  ServiceCalls,
  SoakTrend,
  StallCauses,
  Summary,
} from './summary';
export type {
  AssessedSlo,
  Limit,
  LimitSeen,
  LimitedBy,
  RankedLimit,
  Verdict,
  VerdictOutcome,
} from './verdict';
import { z } from 'zod';
import { patchStatesSchema } from './patches';
import {
  arrivalsSchema,
  pricesSchema,
  recordedWorkloadSchema,
  sampledRoleSchema,
  sloSchema,
  stageSchema,
} from '../plan/recorded';
import { serverSchema } from '../plan/server';
import { topologySchema } from '../plan/topology';
import { summarySchema } from './summary';
import { verdictSchema } from './verdict';

/** What was loaded: n8n on this machine, in a cluster, whatever answers at an address, or a server that was started. */
/** Kinds of events in the run of a drill: what was done to it, and what of it came after. */
export const FAULT = 'fault';

export const FAULT_STEP = 'fault goes on';

export const targetKindSchema = z.enum(['process', 'container', 'kubernetes', 'url', 'server']);
export type TargetKind = z.infer<typeof targetKindSchema>;

export const recordedProfileSchema = z.object({
  name: z.string(),
  loop: z.enum(['open', 'closed']),
  durationSeconds: z.number(),
  warmupSeconds: z.number(),
  /** Open loop: the highest rate asked for. */
  ratePerSecond: z.exactOptional(z.number()),
  /** Closed loop: the number of clients. */
  clients: z.exactOptional(z.number()),
  /** Open loop, the warm-up first; the rate grows evenly within a stage. */
  stages: z.exactOptional(z.array(stageSchema)),
  /** Open loop: whether requests were due at even or at random (exponential) gaps. */
  arrivals: z.exactOptional(arrivalsSchema),
  /** Open loop: how often a caller sent a request again that failed; left out: never. */
  retries: z.exactOptional(z.number()),
  /** Seed of random arrivals, from which the due times can be computed again. */
  seed: z.exactOptional(z.number()),
});
export type RecordedProfile = z.infer<typeof recordedProfileSchema>;

/** Target kubernetes: what was loaded there. */
export const recordedDeploymentSchema = z.object({
  /** Version of the cluster, such as v1.36.3. */
  kubernetes: z.string(),
  context: z.string(),
  namespace: z.string(),
  release: z.string(),
  /** Name and version; null where the release was there and is none of Helm's. */
  chart: z.string().nullable(),
  /** Given to the chart, secrets taken out; null where it was there already. */
  values: z.record(z.string(), z.unknown()).nullable(),
  /** SHA-256 of the manifests that Helm rendered; null where they could not be read. */
  manifestHash: z.string().nullable(),
  /** Node of each pod, the load generator's too. */
  nodes: z.record(z.string(), z.string()),
});
export type RecordedDeployment = z.infer<typeof recordedDeploymentSchema>;

export const machineSchema = z.object({
  cpu: z.string(),
  /** That may be used there, by affinity and quotas: 0.5 where a container has half a core. */
  cores: z.number(),
  memoryMiB: z.number(),
  os: z.string(),
  node: z.string(),
});
export type Machine = z.infer<typeof machineSchema>;

/** Something that happened during the run: a restart, an OOM kill, a sampler that failed. */
export const runEventSchema = z.object({
  tMs: z.number(),
  kind: z.string(),
  text: z.string(),
  /** Requests without a response at the time a process ended. */
  inFlight: z.exactOptional(z.number()),
  /** The kind of memory and the role, if a process ended for lack of memory. */
  exhausted: z.exactOptional(
    z.object({
      role: sampledRoleSchema,
      resource: z.enum(['memory', 'heap']),
    }),
  ),
});
export type RunEvent = z.infer<typeof runEventSchema>;

/**
 * The shape of run.json: everything known about one run. Written once, when the run has ended;
 * a folder without it is an incomplete run.
 */
export const runRecordSchema = z.object({
  schemaVersion: z.literal(3),
  /** Sortable and unique: start time, workload, profile, four random letters. */
  id: z.string(),
  startedAt: z.string(),
  endedAt: z.string(),
  /** The zero of all `tMs`; left out where it is not known. */
  loadBeganAt: z.exactOptional(z.string()),
  /** The command that made it, secrets taken out. */
  command: z.array(z.string()),
  workload: recordedWorkloadSchema,
  profile: recordedProfileSchema,
  target: z.object({
    kind: targetKindSchema,
    url: z.string(),
    deployed: z.exactOptional(recordedDeploymentSchema),
    server: z.exactOptional(serverSchema),
  }),
  /** Null where the target was not ours to lay out. */
  topology: topologySchema.nullable(),
  versions: z.record(z.string(), z.string()),
  /** What n8n showed of the kit's patches once the load was over; left out where it shows nothing of them. */
  patches: z.exactOptional(patchStatesSchema),
  machine: machineSchema,
  slo: z.array(sloSchema),
  /** Prices of a core and of a GiB for an hour, if given (--cpu-price, --memory-price). */
  prices: z.exactOptional(pricesSchema),
  summary: summarySchema,
  verdict: verdictSchema,
  events: z.array(runEventSchema),
  /** Files beside run.json, by what they hold. */
  files: z.object({
    samples: z.exactOptional(z.string()),
    requests: z.exactOptional(z.string()),
    logs: z.array(z.string()),
  }),
});
export type RunRecord = z.infer<typeof runRecordSchema>;

/** One line of requests.csv.gz. */
export interface RequestSample {
  /** Milliseconds since the load began, when the request was due. */
  tMs: number;
  /**
   * From when it was due until the whole response was there, connecting included; the age of an unanswered one.
   */
  durationMs: number;
  /** 0 without a response. */
  status: number;
  ok: boolean;
  /** Empty when ok: `status 500`, `unexpected response`, `wrong id`, `timeout`, `refused`, `unanswered`, ... */
  errorKind: string;
  /** Sent as x-load-id. */
  id: string;
  /** Which workload of a blend; the workload's own name elsewhere. */
  workload: string;
  /** host/pid/role of the process that replied, where known. */
  ranBy: string;
  /** Begun so much later than due, so that the service time is `durationMs - lateMs`. */
  lateMs?: number;
  /** Connections that were opened for it, 0 or 1. */
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
