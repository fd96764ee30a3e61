import type { LedgerClass } from '../plan/ledger-class';
import type { DrillPromise } from '../plan/promise';
import type { RecordedWorkload } from '../plan/chosen-workload';
import type { Slo } from '../plan/slo';
import type { Topology } from '../plan/topology';
import type { Machine, NamedRequests, TargetKind } from './record';

export const DRILL_FILE = 'drill.json';
/** Beside it: every request of the drill with its class and what each source says of it. */
export const LEDGER_FILE = 'ledger.csv';

/** Kinds of events in the run of a drill: what was done to it, and what of it came after. */
export const FAULT = 'fault';
export const FAULT_STEP = 'fault goes on';

/** The shape of drill.json: a fault under load, and what became of every request. */
export interface DrillRecord {
  schemaVersion: 1;
  kind: 'drill';
  id: string;
  startedAt: string;
  endedAt: string;
  command: string[];
  fault: DrillFault;
  workload: RecordedWorkload;
  ratePerSecond: number;
  slo: Slo[];
  target: { kind: TargetKind; url: string };
  topology: Topology | null;
  versions: Record<string, string>;
  machine: Machine;
  phases: DrillPhases;
  ledger: DrillLedger;
  /** What became of the due times of a schedule; left out where there was none. */
  schedule?: DrillSchedule;
  /** What recovery did beside it; left out where none ran. */
  recovery?: DrillRecovery;
  /** Null where the fault was never made. */
  figures: DrillFigures | null;
  /** The same load without the fault; null where it was left out. */
  control: DrillControl | null;
  verdict: DrillVerdict;
  /** Folder of the run, beneath the drill's own. */
  run: string;
}

export interface DrillFault {
  name: string;
  title: string;
  kind: 'planned' | 'accident';
  /** What was done, in the order in which it was; empty where it could not be done. */
  done: { tMs: number; text: string }[];
  /** How long it was to last, or to be repeated; 0: a moment. */
  lastsSeconds: number;
  /** Of one that is a moment and was repeated: how often; left out where it was made once. */
  everySeconds?: number;
}

/** Milliseconds since the load began. */
export interface DrillPhases {
  /** The part of the steady phase by which it is judged: what was due here ended before the fault. */
  steady: { fromMs: number; toMs: number };
  /** When the fault was begun; null where it was never made. `done` of the fault says when it was made. */
  faultMs: number | null;
  /** When it was made last; left out where it is not repeated. */
  lastMs?: number | null;
  /** When it was over; null where the load ended before. */
  overMs: number | null;
  /** When the last request was due. */
  endMs: number;
}

export interface DrillLedger {
  sent: number;
  classes: Record<LedgerClass, NamedRequests>;
  /** Requests that were open when the fault came, or due later; with an immediate response, also all whose work was lost. */
  exposed: number;
  /** Of these, accepted and not done; and the share that may be lost in truth, with 95 % confidence. */
  lost: number;
  lossBound: number;
  /** Where n8n's own executions and the effects outside were read; null: not to be had, for this reason. */
  sources: { executions: string | null; effects: string | null };
  /** Why n8n's executions are no source; null: they are. */
  withoutExecutions: string | null;
  /** Failed executions without an id that no request is left for. */
  nameless: number;
}

/** Times are seconds since the fault. */
export interface DrillFigures {
  /** Until the first caller had an error; null: none had. */
  detectSeconds: number | null;
  /** Until requests that were then due met the SLO, and all later ones too; null: not within the drill. */
  recoverSeconds: number | null;
  /** Jobs waiting: the most, and until there were as few as before. Null without a queue. */
  backlog: { before: number; peak: number; drainSeconds: number | null } | null;
  /** The longest wait for an expected response, of requests exposed to the fault. */
  slowestMs: number | null;
  /** Exposed requests without the expected response, and when the first and the last of them were due. */
  errors: { requests: number; fromSeconds: number; toSeconds: number } | null;
}

export interface DrillControl {
  run: string;
  sent: number;
  classes: Record<LedgerClass, NamedRequests>;
  /** The SLO that it missed, with what was measured; null: none. */
  missed: string | null;
  schedule?: DrillSchedule;
}

/** Passes of `n8n-tuned recover --retry` beside the load, and on until nothing was left to retry. */
export interface DrillRecovery {
  ageSeconds: number;
  everySeconds: number;
  passes: number;
  /** That could not ask n8n or Redis. */
  failedPasses: number;
  /** Retries by their outcome. */
  attempts: Record<string, number>;
  /** Executions that the last pass left alone, by the reason. */
  left: Record<string, number>;
}

/** Due times of a schedule, from the warm-up to shortly before the load ended. */
export interface DrillSchedule {
  everySeconds: number;
  due: number;
  /** Executed once; the three add up to those that were due. */
  once: number;
  repeated: NamedTimes;
  never: NamedTimes;
}

/** How many, and the first of them by name. */
export interface NamedTimes {
  times: number;
  at: string[];
}

export interface DrillVerdict {
  outcome: 'pass' | 'fail' | 'invalid';
  /** One sentence a manager can read. */
  sentence: string;
  promises: { promise: DrillPromise; measured: string; kept: boolean }[];
  /** Why it says nothing; empty unless it is invalid. */
  invalid: string[];
  doubts: string[];
}
