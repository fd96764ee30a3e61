import type { Cell, Step } from '../plan/cells';
import type { SweepPlan } from '../plan/sweep-plan';
import type { LimitSeen, Machine, VerdictOutcome } from './record';

export const SWEEP_FILE = 'sweep.json';

/** The shape of sweep.json: all that is settled before the first cell, so that a sweep can be resumed. */
export interface SweepRecord {
  schemaVersion: 1;
  kind: 'sweep';
  id: string;
  name: string;
  title: string;
  startedAt: string;
  command: string[];
  machine: Machine;
  plan: SweepPlan;
  /** In the order in which they are measured; made from the plan's seed. */
  steps: Step[];
  skipped: { cell: Cell; reason: string }[];
  estimatedSeconds: number;
}

/** The shape of cell.json. A step of the sweep is done when it has one, whatever became of it. */
export interface CellRecord extends Step {
  schemaVersion: 2;
  kind: 'cell';
  startedAt: string;
  seconds: number;
  machine: Machine;
  versions: Record<string, string>;
  /** `crashed`: n8n did not come up, or never gave the expected response. */
  outcome: Exclude<VerdictOutcome, 'aborted'> | 'crashed';
  sentence: string;
  limitedBy: string;
  /** The same with its figures and what came next; not of what crashed, nor in older records. */
  limit?: LimitSeen;
  figures: CellFigures;
  /** Folder of its run or search beneath the cell's own; null where it came to none. */
  run: string | null;
}

/** Null where it was not measured. */
export interface CellFigures {
  /** Of a search. */
  capacityPerSecond: number | null;
  achievedPerSecond: number | null;
  p50Ms: number | null;
  p95Ms: number | null;
  p99Ms: number | null;
  errorShare: number | null;
  /** Peak of all n8n processes together. */
  memoryMiB: number | null;
  /** Peak memory over expected responses a second. */
  memoryMiBPerRequestPerSecond: number | null;
  cpuMillisecondsPerRequest: number | null;
  /** Restarts and OOM kills during the load. */
  restarts: number | null;
}

export const NO_FIGURES: CellFigures = {
  capacityPerSecond: null,
  achievedPerSecond: null,
  p50Ms: null,
  p95Ms: null,
  p99Ms: null,
  errorShare: null,
  memoryMiB: null,
  memoryMiBPerRequestPerSecond: null,
  cpuMillisecondsPerRequest: null,
  restarts: null,
};
