import type { Topology } from '../../plan/topology';
import type { TargetKind } from '../../record/run-record';
import type { DrillAccess, Instance, StoreLink } from '../../targets/target';
import type { Victim } from './record';

/** Something that goes wrong, or is done on purpose. Each is an entry in one of the tables in faults/ and in faults/index.ts. */
interface Described {
  name: string;
  /** What it does, for a list. */
  title: string;
  /** `planned`: operators do it on purpose, and nobody is to notice. */
  kind: 'planned' | 'accident';
  /** How long it lasts where nobody says; 0: it is a moment. */
  defaultSeconds: number;
  /** The load while it lasts, as a multiple of the rate. */
  rateFactor?: number;
  /** n8n reaches its stores through links of ours, which this one slows or cuts; left out: directly. */
  isOnLinks?: boolean;
  /** Redis has no volume, so that it comes back empty; left out: as it is deployed. */
  isOnForgetfulRedis?: boolean;
  /** The data of n8n's database lies on a file system of ours, whose size this one changes; left out: where it always does. */
  isOnSmallDisk?: boolean;
  /** It stays, or is nothing that n8n survives by itself: not one of those that a soak makes. */
  isNoSoak?: true;
  /** Jobs are gone while workers and database live: recovery is to begin nothing again that a worker is at. */
  keepsWorkers?: true;
  /** n8n asks a resolver of ours for the names of its stores and services; left out: it reaches them by address. */
  isOnNames?: boolean;
  /** Processes of n8n read a time that this one shifts; left out: that of the machine. */
  isOnClock?: boolean;
  /** Stores that have a standby, which this one makes the primary; left out: none. */
  standbys?: readonly StoreLink['store'][];
  /** A command of the user's proves that it has an effect: one that was made without a failure had one. */
  hasProof?: true;
  /** It is made of others, one after the other: each is one time of it. */
  hasParts?: true;
  /** A workflow that is active beside the load, and whose due times are accounted for; left out: none. */
  schedule?: DrilledSchedule;
  /** What a system is promised to do, where nobody says. */
  promise: string;
  /** What the topology lacks for it, as the options to add; null: nothing. */
  lacks(topology: Topology): string | null;
  /** Targets on which it cannot be made, each with the reason as a clause; left out: on none of those that drills run on. */
  notOn?: Partial<Record<TargetKind, string>>;
  /** Why this machine cannot make it where n8n runs on it, as a clause; null or left out: it can. */
  notHere?(): string | null;
}

/** Made with what a target that was deployed here gives. */
export interface InsideFault extends Described {
  isFromOutside?: false;
  /** Done once n8n is ready, before the load; left out: nothing. */
  prepare?(access: DrillAccess): Promise<void>;
  /** Does it, and returns when it is over. */
  make(scene: FaultContext): Promise<void>;
}

/** Made without: so also of an n8n that is there already. */
export interface OutsideFault extends Described {
  isFromOutside: true;
  make(scene: FaultScene): Promise<void>;
}

export type Fault = InsideFault | OutsideFault;

export interface DrilledSchedule {
  /** File of its workflow in lab/drill. */
  file: string;
  everySeconds: number;
}

export interface FaultScene {
  /** Duration that was asked for; 0 for an instantaneous fault. */
  lastsMs: number;
  /** How often it was made before: one that is repeated takes turns over those of a role. */
  turn: number;
  /** Told as soon as it is done, in words for the record: `SIGKILL of worker-1`. */
  tell(text: string): void;
  /** One of those that it is made of: what that one tells and hits belongs to a time of its own. */
  part?(): FaultPart;
  /** Fires when the drill is broken off: then it returns early, and leaves nothing as it made it. */
  signal: AbortSignal;
}

export interface FaultPart {
  tell: FaultScene['tell'];
  hit: FaultContext['hit'];
  /** It is over; `isMade`: false if it could not be made, and is no time of the fault. */
  over(isMade: boolean): void;
}

/**
 * What a fault tells of a victim. `takes`: which of the requests that are open reach it, so that the drill can count those that were
 * open on it, from what became of them.
 */
export type Hit = Omit<Victim, 'tMs' | 'turn' | 'open'> & { takes?: 'all' | 'some' };

export interface FaultContext extends FaultScene {
  access: DrillAccess;
  /** Executions that an instance runs at this moment, by its own counts; null: it tells nothing of them. */
  executionsOn(instance: string): Promise<number | null>;
  /** Requests to webhooks that an instance has answered, by its own counts; null: it tells nothing of them. */
  requestsOn(instance: string): Promise<number | null>;
  /** Told of what the fault has hit, as soon as that is known: what shows that something was at risk there. */
  hit(victim: Hit): void;
  /** Those that run now. */
  instances(): Instance[];
}

/** Why a fault is not made where nothing replaces an instance of n8n by a new one. */
const PODS = 'it replaces pods, which exist only in a cluster';
export const NEEDS_PODS = { process: PODS, container: PODS };

/** Why a fault is not made where n8n is more than processes of this machine. */
export const NEEDS_PROCESSES = {
  container: 'it changes how n8n processes are started, which works only with --target process',
  kubernetes: 'it changes how n8n processes are started, which works only with --target process',
};

/** Nobody notices what operators do on purpose. */
export const UNNOTICED = 'lost=0,failed=0,errors=0,repeated=0,running=0';
/** After an accident all that was accepted is done, and once; and the SLO is soon met again. */
export const SURVIVED = 'lost=0,failed=0,repeated=0,running=0,recover<60s';
/** For a fault that itself lasts a minute: n8n is slow until its end. */
export const SURVIVED_A_MINUTE = SURVIVED.replace('recover<60s', 'recover<120s');
