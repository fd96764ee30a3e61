import type { HostCount } from '../stand-in/analysis/counts';
import type { ServiceTrouble } from '../stand-in/plan';
import type { SeedWorkflow } from '../catalogue/seeding';
import type { Progress } from '../ui/progress';
import type { LoadRequest } from '../../../loadtests/lib/workload';
import type { ClockOffset } from '../analysis/clock';
import type { Effect } from '../analysis/effects';
import type { ExecutionsSeen } from '../analysis/traced-execution';
import type { SampledRole } from '../plan/roles';
import type { Server } from '../plan/server';
import type { Role, Topology } from '../plan/topology';
import type { Inside } from '../linux/container-stats';
import type { Command } from '../linux/own-user';
import type { N8nRequests } from './url/api';
import type {
  ExecutionCounts,
  Machine,
  RecordedDeployment,
  RunEvent,
  TargetKind,
} from '../record/run-record';

/** The place where a topology runs, or the system under load. A new target is one new folder that returns one of these. */
export interface Target {
  readonly kind: TargetKind;
  /**
   * Brings it up. When it throws or `signal` fires, it has taken down what it had started.
   * `progress` is told, in the present tense, what is being waited for.
   */
  up(progress: Progress, signal: AbortSignal): Promise<Running>;
}

/** Who owns an n8n, and their password. */
export interface Owner {
  email: string;
  password: string;
}

/** A target that is up. What cannot be known about it is an empty list or null, never a guess. */
export interface Running {
  readonly kind: TargetKind;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** The topology without secrets, for the record; null if we did not deploy the target. */
  readonly topology: Topology | null;
  readonly versions: Record<string, string>;
  readonly machine: Machine;
  /** Asked again at every tick: a restart changes the pids. */
  processes(): ProcessRoot[];
  readonly metrics: MetricsEndpoint[];
  readonly redis: { url: string; prefix: string; queue: string } | null;
  readonly postgresql: { url: string } | null;
  /** The same where neither is reached from here, and each is asked where it runs; left out: nothing is. */
  readonly storeLooks?: StoreLooks;
  /** Its file, and the Node.js that can and may read it; null or left out where there is none, or not to be seen. */
  readonly sqlite?: { file: string; reader: Command } | null;
  /** The owner of an n8n that was started here; left out if none was created. */
  readonly owner?: Owner;
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
  /**
   * Requests as they are to be sent, where what seed() has put in answers at paths of its own; left out: as they are.
   */
  addressed?(requests: readonly LoadRequest[]): LoadRequest[];
  /** All executions so far, from n8n itself; null where n8n cannot be asked. */
  executions(): Promise<ExecutionCounts | null>;
  /** Calls of services outside n8n so far, as a stand-in counts them; null or left out where there is none. */
  services?(): Promise<HostCount[] | null>;
  /**
   * What workflows have done outside n8n so far; null where none of them calls the service that counts it, left out where
   * drillAccess tells it.
   */
  effects?(): Promise<Effect[] | null>;
  /** Left out where nothing of it can be reached from here but its address. */
  readonly drillAccess?: DrillAccess;
  /**
   * What tells of work that is open, where executions() tells nothing; null, rejected or left out where
   * nothing does.
   */
  backlog?(): Promise<BacklogWatch | null>;
  /** Begins to look at the executions from here on; null or rejected where they cannot be read one by one. */
  traceExecutions(): Promise<ExecutionTrace | null>;
  /** Generators with equal shares of the load, at least one; left out if this machine produces the load. */
  readonly generators?: readonly Generator[];
  /** What runs where /proc does not show it, and tells of itself, such as pods; left out: nothing does. */
  readonly containerStats?: ContainerStats;
  /** Target server: what was started, secrets taken out. */
  readonly server?: Server;
  /** What was deployed, for the record; left out: nothing was, beyond the topology. */
  readonly deployed?: RecordedDeployment;
  /** Ends what up() started, and nothing else. Safe to call twice. */
  down(progress: Progress): Promise<void>;
}

/** `ended`: connections that were open. */
export interface FailedOver {
  ended: number;
  promote: () => Promise<void>;
}

/** A primary that was killed, and has a standby. */
export interface PrimaryEnded {
  /** The instance that was the primary. */
  primary: string;
  /** Connections to it that were open. */
  ended: number;
  /** Returns once the standby is the primary, with what shows it; early when `signal` fires. */
  promote(signal: AbortSignal): Promise<string>;
  /** Starts the old one again, which then follows; left out where it does not come back. */
  startAgain?(): Promise<void>;
}

/** A table that everyone who runs executions needs, and that nobody gets. */
export interface LockedExecutions {
  /** Connections that wait for it, and instances of n8n that say at this moment that they are not ready (503). */
  look(): Promise<{ waiting: number; unready: string[] }>;
  unlock(): Promise<void>;
}

/** What large requests did to an instance. */
export interface LargeRequests {
  sent: number;
  mebibytes: number;
  /** What the instance ended by, in words; null: it did not run out of memory. */
  exhausted: string | null;
}

/** What a drill does to a target, and what it must know beyond a run. Instances are those of `processes()`. */
export interface DrillAccess {
  /** Those that run now, where `processes()` does not show them. */
  instances?(): Instance[];
  /** To every process of an instance, as when its container is killed or frozen. */
  signal(instance: string, signal: NodeJS.Signals): Promise<void>;
  /** SIGKILL of the task runner that a process of n8n has as its child; how many there were. */
  killRunner(instance: string): Promise<number>;
  /**
   * Lowers the memory limit of a service to what it uses, until the kernel has ended it, and sets it as it was.
   */
  runOutOfMemory(instance: string, signal: AbortSignal): Promise<void>;
  /** Ends a store as when its machine is lost, with all that it does not keep on a volume; it is started again. */
  loseStore(instance: string): Promise<void>;
  /**
   * Ends a service in its orderly way, its data kept, with a grace of `withinMs`, and keeps it down; what it
   * returns starts it again. Left out, the grace is that with which it was deployed; with 0 it is killed.
   */
  keepDown(instance: string, withinMs?: number): Promise<() => Promise<void>>;
  /** Between each process of n8n and each of its stores; empty where it reaches them directly. */
  readonly links: readonly StoreLink[];
  /**
   * Ends the connections of n8n to PostgreSQL and takes every one that can be had; how many, and what gives them
   * back.
   */
  useUpConnections(): Promise<{ taken: number; giveBack: () => Promise<void> }>;
  /**
   * Ends all connections to a store, which from now on answers as a standby does: it refuses to write, until `promote`.
   */
  failOver(store: StoreLink['store']): Promise<FailedOver>;
  /** Kills the primary of a store. Left out where no store has a standby. */
  endPrimary?(store: StoreLink['store']): Promise<PrimaryEnded>;
  /** Locks the executions in PostgreSQL. Left out where this machine does not reach it. */
  lockExecutions?(): Promise<LockedExecutions>;
  /**
   * Sends what the load sends to an instance, with bodies as large as n8n takes them, until it has run out of memory or some
   * time is over. Left out where it cannot be reached by itself.
   */
  sendLargeRequests?(instance: string, signal: AbortSignal): Promise<LargeRequests>;
  /**
   * Replaces every instance of n8n by a new one, as an upgrade does; returns when the last old one is gone, or
   * early when `signal` fires. Left out where nothing replaces them.
   */
  rollOut?(signal: AbortSignal): Promise<void>;
  /**
   * Asks that every instance of n8n leaves the machine that `instance` is on, as a drain does; whom it asked, as
   * each was let go, and early when `signal` fires. Left out where nobody can be asked.
   */
  drainNode?(instance: string, signal: AbortSignal): Promise<{ node: string; evicted: string[] }>;
  /**
   * Leaves no space on the disk on which the data of `what` lies, with `usedMiB` on it, until `freeUp`. Left out where
   * that disk is none of ours.
   */
  fillDisk?(): Promise<{ what: string; usedMiB: number; freeUp: () => Promise<void> }>;
  /**
   * Makes an owner of n8n with a key of these scopes, and reaches n8n and its queue for a recovery. Left out where this
   * machine reaches them itself.
   */
  recovery?(scopes: readonly string[]): Promise<RecoveryReach>;
  /**
   * Leaves each process of n8n so much CPU, until it is given back; `heldMs`: for how long they had to wait for it, all
   * added up. Left out where nothing of theirs can be limited.
   */
  takeCpu?(millicores: number): Promise<{
    instances: string[];
    heldMs: () => number;
    giveBack: () => void;
  }>;
  /**
   * Shifts the time that an instance reads; what is returned sets it right, and tells how often it was read meanwhile.
   * Left out where that cannot be done.
   */
  jumpClock?(instance: string, byMs: number): Promise<() => Promise<number>>;
  /**
   * From now on n8n gets no answer when it asks for a name; what is returned ends that, and tells which names were asked
   * for how often. Left out where n8n asks no resolver of ours.
   */
  silenceNames?(): () => ReadonlyMap<string, number>;
  /**
   * Changes the passwords of the stores; what is returned starts every process of n8n again with them, and names
   * those. Left out where the processes do not get them from us.
   */
  rotateSecrets?(): Promise<(signal: AbortSignal) => Promise<string[]>>;
  /** Copies n8n's database, and returns once n8n reaches it again. Left out where it cannot be copied. */
  backUp?(): Promise<void>;
  /**
   * Lets nobody into n8n's database; what is returned puts the copy in its place, and tells how many executions it
   * lacks. Left out where there can be no copy.
   */
  restore?(): Promise<() => Promise<{ without: number }>>;
  /** What goes wrong with the services that workflows call, from now on; {}: nothing. */
  trouble(trouble: ServiceTrouble): Promise<void>;
  /** Calls of workflows to those services so far; null: nothing counts them. */
  calls(): Promise<number | null>;
  /** What workflows have done outside n8n so far; null where none of them calls the service that counts it. */
  effects(): Promise<Effect[] | null>;
}

/** How recovery runs if this machine reaches neither n8n nor its queue. */
export interface RecoveryReach {
  api: N8nRequests;
  /** One pass with these variables, as the chart's job has them; its report. */
  pass(variables: Record<string, string>, signal: AbortSignal): Promise<unknown>;
}

/** Through which a process of n8n reaches a store. */
export interface StoreLink {
  instance: string;
  role: Role;
  store: 'redis' | 'postgresql';
  /** From now on each byte comes so much later, in each direction; 0: at once. */
  slow(delayMs: number): Promise<void>;
  /** Nothing passes until `thaw`, and nothing is lost. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Nothing passes through its open connections again, and they stay open; how many there were. */
  lose(): Promise<number>;
  counts(): Promise<LinkCounts>;
}

/** What a link counts: connections that are open, and the bytes that have come since it was opened, passed on or not. */
export interface LinkCounts {
  connections: number;
  bytes: number;
}

/** What plays one role. */
export interface Instance {
  role: Exclude<SampledRole, 'generator' | 'host'>;
  /** Such as `worker-2`, or the name of a pod; stays the same over a restart. */
  instance: string;
}

/** The root of a process tree that plays one role; children are found from it. */
export interface ProcessRoot extends Instance {
  pid: number;
  /** Its control group as in /proc/PID/cgroup, where it has one of its own. */
  cgroup?: string;
}

export interface MetricsEndpoint {
  role: Role;
  instance: string;
  url: string;
  /** How its text is had where the URL is not reached from here. */
  read?: () => Promise<string>;
}

/** k6 where the load is to come from. */
export interface Generator {
  /** Name of its pod or machine. */
  readonly name: string;
  /** The machine that it runs on. */
  readonly node: string;
  /** The version of k6. */
  readonly version: string;
  readonly coresAvailable: number;
  /** Compares its clock with ours; null where it cannot be read. */
  clock(): Promise<ClockOffset | null>;
  start(order: GeneratorOrder): GeneratorRun;
}

export interface GeneratorOrder {
  /** One of loadtests/, without its ending. */
  script: string;
  /** Flags of `k6 run`. */
  flags: readonly string[];
  env: Record<string, string>;
  requests: readonly LoadRequest[];
  onLine(line: string): void;
  /** Null, or a promise until which no more is read: what takes the lines is behind. */
  behind(): Promise<void> | null;
  /** About once a second: what k6 uses. */
  onUsage(cpuCores: number, rssMiB: number): void;
}

/** What follows `k6`, wherever it runs. */
export const k6Arguments = (
  { flags, env }: Pick<GeneratorOrder, 'flags' | 'env'>,
  requestsFile: string,
  script: string,
): string[] => [
  ...flags,
  ...Object.entries({ ...env, WORKLOAD_FILE: requestsFile }).flatMap(([name, value]) => [
    '-e',
    `${name}=${value}`,
  ]),
  script,
];

export interface GeneratorRun {
  /** `code` null: it was cut off, and `reason` says how. */
  ended: Promise<{ code: number | null; reason: string }>;
  stop(signal: 'INT' | 'KILL'): void;
}

/** Null where there is none, or where it cannot be asked. */
export interface StoreLooks {
  queue: (() => Promise<QueueLook>) | null;
  postgresql: (() => Promise<DatabaseActivity>) | null;
}

/** n8n's queue as Bull keeps it, and the Redis it lies in. */
export interface QueueLook {
  waiting: number;
  active: number;
  /** Age of the job that has waited longest; 0 if none waits. */
  oldestMs: number;
  memoryMiB: number;
  /** Null without `maxmemory`. */
  memoryMaxMiB: number | null;
}

/** What PostgreSQL says of itself. */
export interface DatabaseActivity {
  connections: number;
  max: number;
  active: number;
  waiting: number;
  transactions: number;
  /** Asked for now and then: it is summed from files, which is dear, and moves slowly. */
  sizeMiB: number | null;
}

/** Containers that tell of themselves about once a second. */
export interface ContainerStats {
  /** Calls `listener` for each look until what it returns is called; `onTrouble` is told what cannot be seen. */
  watch(listener: (seen: ContainerSample) => void, onTrouble: (text: string) => void): () => void;
}

export interface ContainerSample {
  role: SampledRole;
  instance: string;
  inside: Inside;
  /** Restarts of its container since its pod was created. */
  restarts: number;
  /** The machine that it runs on, where this one tells of it; null: another one does. */
  node: string | null;
}

/** Shows, once a load is over, what n8n has been given and not done. */
export interface BacklogWatch {
  /** The source: `queue metrics` or `API`. */
  source: string;
  /** What it shows may be older by so much than the look at it. */
  lateMs: number;
  /** Executions not done, also those of others; null while that is not known. */
  open(): Promise<number | null>;
}

/** The executions since a moment, one by one. */
export interface ExecutionTrace {
  /** The source: `database` or `API`. */
  source: string;
  /** Requests of a run for which reading them all costs little: seconds. */
  affordable: number;
  /** Every execution with its x-load-id, where that begins with `runId`. Rejects when it takes longer. */
  read(runId: string, withinMs: number): Promise<ExecutionsSeen>;
}
