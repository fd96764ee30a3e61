/** The part of run.json that judges the run, and names what limited it. */
import type { SampledRole } from '../plan/roles';

/**
 * `sustained`: every SLO is met; `not sustained`: one is missed; `inconclusive`: too little evidence for
 * either; `invalid`: the load generator or the environment was at fault; `aborted`: it did not end.
 */
export type VerdictOutcome = 'sustained' | 'not sustained' | 'inconclusive' | 'invalid' | 'aborted';

export interface Verdict {
  outcome: VerdictOutcome;
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
