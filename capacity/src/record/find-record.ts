import type { Arrivals } from '../plan/profile';
import type { Slo } from '../plan/slo';
import type { Topology } from '../plan/topology';
import type { RecordedWorkload } from '../plan/chosen-workload';
import type { SampledRole } from '../plan/roles';
import type { Machine, RoleSummary, StallCauses, TargetKind, VerdictOutcome } from './record';

/** The shape of find.json: one search for the capacity, with every probe it made. */
export interface FindRecord {
  schemaVersion: 2;
  kind: 'find';
  id: string;
  startedAt: string;
  endedAt: string;
  command: string[];
  workload: RecordedWorkload;
  target: { kind: TargetKind; url: string };
  topology: Topology | null;
  versions: Record<string, string>;
  machine: Machine;
  slo: Slo[];
  /** Of the probes in an open loop; older records do not have it, and were even. */
  arrivals?: Arrivals;
  budgetSeconds: number | null;
  capacity: {
    /** The best estimate from all probes; `confirmed` where a run of full length sustained a rate within the interval. */
    ratePerSecond: number;
    low: number;
    /** Null where every rate was sustained: nobody knows how much more it sustains. */
    high: number | null;
    confirmed: boolean;
  };
  /** What to plan with: enough room for noise, deploys and a busy minute. */
  advised: { share: number; ratePerSecond: number };
  /** The first limit met above the capacity. */
  limit: string;
  verdict: 'found' | 'not confirmed' | 'inconclusive' | 'nothing sustained' | 'invalid';
  /** One sentence a manager can read. */
  sentence: string;
  /** Wall time of everything, bringing to rest included. */
  totalSeconds: number;
  /** Folder of the run that confirmed the capacity; null where none did. */
  confirmedBy: string | null;
  /** Of a core and of a GiB for an hour, where they were given (--cpu-price, --memory-price). */
  prices?: { cpu: number; memory: number };
  /** Of the run that the answer rests on, so that the search alone is evidence; older records have none. */
  atCapacity?: AtCapacity | null;
  probes: FindProbe[];
  doubts: string[];
}

/** What each role used at the capacity, or at the highest rate that was sustained. */
export interface AtCapacity {
  /** Folder of that run. */
  run: string;
  ratePerSecond: number;
  meanLatencyMs: number;
  cpuMillisecondsPerRequest: number | null;
  roles: RoleSummary[];
}

export interface FindProbe {
  kind: 'ladder' | 'growth' | 'narrow' | 'confirm';
  /** Open loop. */
  ratePerSecond?: number;
  /** Closed loop. */
  clients?: number;
  durationSeconds: number;
  /** An aborted run is no probe. */
  result: Exclude<VerdictOutcome, 'aborted'>;
  achievedPerSecond: number;
  p95Ms: number | null;
  errorShare: number;
  /** Null where no CPU was seen, as of an n8n at a URL without metrics; left out in older records. */
  cpuPerRequest?: CpuPerRequest | null;
  /** As in the run's summary: how long the system stood still, each time; older records do not have it. */
  stallsMs?: number[];
  /** What was seen during them; left out where there were none, and in older records. */
  stallCauses?: StallCauses;
  /** Requests in flight seen over those that Little's law predicts. */
  littlesLaw: number | null;
  limitedBy: string;
  /** The figures that say so, and what would limit it next; older records have neither. */
  limitEvidence?: string;
  nextLimit?: string | null;
  sentence: string;
  /** The first SLO that was missed or left open, with what was measured; null where all were met. */
  missed?: string | null;
  /** Why its run is doubtful; left out in records of earlier versions. */
  doubts?: string[];
  /** Folder of its run beneath the search's own. */
  run: string;
}

/** Milliseconds of CPU per expected response. */
export interface CpuPerRequest {
  /** Of all roles that are loaded; databases and the load generator are apart. */
  allMs: number;
  roles: { role: SampledRole; instances: number; ms: number }[];
}

/** Whether the search has an answer that others may use, though its interval may be wide. */
export const hasEstimate = (verdict: FindRecord['verdict']): boolean =>
  verdict === 'found' || verdict === 'not confirmed' || verdict === 'inconclusive';
