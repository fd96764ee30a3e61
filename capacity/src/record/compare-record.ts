import type { Slo } from '../plan/slo';
import type { Topology } from '../plan/topology';
import type { LimitSeen, Machine } from './record';
import type { RecordedWorkload } from '../plan/chosen-workload';

export const COMPARE_FILE = 'compare.json';

/** The shape of compare.json: two sides, measured in turns. */
export interface CompareRecord {
  schemaVersion: 2;
  kind: 'compare';
  id: string;
  startedAt: string;
  endedAt: string;
  command: string[];
  workload: RecordedWorkload;
  metric: CompareMetric;
  slo: Slo[];
  /** Of a core and of a GiB for an hour, where they were given (--cpu-price, --memory-price). */
  prices?: { cpu: number; memory: number };
  a: Side;
  b: Side;
  machine: Machine;
  versions: Record<string, string>;
  /** How many times as good B is as A; below 1 it is worse. */
  ratio: { value: number; low: number; high: number };
  answer: 'better' | 'worse' | 'no difference' | 'unknown';
  /** One sentence a manager can read. */
  sentence: string;
  totalSeconds: number;
  doubts: string[];
}

export interface Side {
  /** The topology's file, the URL, or the folder of the record. */
  name: string;
  /** Null where it was not ours to lay out. */
  topology: Topology | null;
  /** By round: the i-th of A and of B are a pair. Null where the run was not valid. */
  values: (number | null)[];
  /** Folders of the runs beneath the comparison's own, by round. */
  runs: string[];
  /** What became of each run, or of each search, by round; records of schema version 1 have none. */
  outcomes?: string[];
  /** Share of requests that got the expected response, by round; null of a search. */
  goodShares?: (number | null)[];
  /** What limited each run or search, by round; null where it failed; older records have none. */
  limits?: (LimitSeen | null)[];
}

export type CompareMetric = 'capacity' | 'throughput' | 'p95' | 'memory' | 'cpu-per-request';
