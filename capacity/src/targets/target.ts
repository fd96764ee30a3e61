import type { SeedWorkflow } from '../catalogue/seeding';
import type { Progress } from '../ui/progress';
import type { LoadRequest } from '../../../loadtests/lib/workload';
import type { Effect } from '../analysis/ledger/effects';
import type { ExecutionsSeen } from '../analysis/match-executions';
import type { SampledRole } from '../plan/roles';
import type { Role, Topology } from '../plan/topology';
import type { ExecutionCounts, Machine, RunEvent, TargetKind } from '../record/record';

/** Where a topology runs, or what is loaded. A new target is one new folder that makes one of these. */
export interface Target {
  readonly kind: TargetKind;
  /**
   * Brings it up. When it throws or `signal` fires, it has taken down what it had started.
   * `progress` is told, in the present tense, what is being waited for.
   */
  up(progress: Progress, signal: AbortSignal): Promise<Running>;
}

/** A target that is up. What cannot be known about it is an empty list or null, never a guess. */
export interface Running {
  readonly kind: TargetKind;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** As it may be recorded, secrets taken out; null where the target was not ours to lay out. */
  readonly topology: Topology | null;
  readonly versions: Record<string, string>;
  readonly machine: Machine;
  /** Asked again at every tick: a restart changes the pids. */
  processes(): ProcessRoot[];
  readonly metrics: MetricsEndpoint[];
  readonly redis: { url: string; prefix: string; queue: string } | null;
  readonly postgresql: { url: string } | null;
  /** Files that are copied into the run's folder. */
  readonly logs: string[];
  /**
   * Restarts, OOM kills, exits that nobody asked for. Called at any time until down() has ended, or until
   * what it returns is called.
   */
  onEvent(listener: (event: Omit<RunEvent, 'tMs'>) => void): () => void;
  /** Imports and activates these workflows; those already there with the same content stay. */
  seed(workflows: SeedWorkflow[], progress: Progress): Promise<void>;
  /** Returns once every request is answered right: /healthz says so seconds too early. */
  ready(requests: LoadRequest[], progress: Progress, signal: AbortSignal): Promise<void>;
  /** All executions so far, from n8n itself; null where n8n cannot be asked. */
  executions(): Promise<ExecutionCounts | null>;
  /** Left out where nothing of it can be reached from here but its address. */
  readonly drillAccess?: DrillAccess;
  /** Begins to look at the executions from here on; null or rejected where they cannot be read one by one. */
  traceExecutions(): Promise<ExecutionTrace | null>;
  /** Ends what up() started, and nothing else. Safe to call twice. */
  down(progress: Progress): Promise<void>;
}

/** What a drill does to a target, and what it must know beyond a run. Instances are those of `processes()`. */
export interface DrillAccess {
  /** To every process of an instance, as when its container is killed or frozen. */
  signal(instance: string, signal: NodeJS.Signals): void;
  /** SIGKILL of the task runner that a process of n8n has as its child; how many there were. */
  killRunner(instance: string): number;
  /**
   * Ends a service in its orderly way, its data kept, with a grace of `withinMs`, and keeps it down; what it
   * returns starts it again.
   */
  keepDown(instance: string, withinMs: number): Promise<() => Promise<void>>;
  /** What workflows have done outside n8n so far; null where none of them calls the service that counts it. */
  effects(): Promise<Effect[] | null>;
}

/** The root of a process tree that plays one role; children are found from it. */
export interface ProcessRoot {
  role: Exclude<SampledRole, 'generator' | 'host'>;
  /** Such as `worker-2`; stays the same over a restart. */
  instance: string;
  pid: number;
  /** Its control group as in /proc/PID/cgroup, where it has one of its own. */
  cgroup?: string;
}

export interface MetricsEndpoint {
  role: Role;
  instance: string;
  url: string;
}

/** The executions since a moment, one by one. */
export interface ExecutionTrace {
  /** Where they are read: `database`, `API`. */
  source: string;
  /** Requests of a run for which reading them all costs little: seconds. */
  affordable: number;
  /** Every execution with its x-load-id, where that begins with `runId`. Rejects when it takes longer. */
  read(runId: string, withinMs: number): Promise<ExecutionsSeen>;
}
