import type { Slo } from '../plan/slo';
import type { Topology } from '../plan/topology';
import type { Machine } from './record';
import type { RecordedWorkload } from '../plan/chosen-workload';

export const COMPARE_FILE = 'compare.json';

/** The shape of compare.json: two topologies, measured in turns. */
export interface CompareRecord {
  schemaVersion: 1;
  kind: 'compare';
  id: string;
  startedAt: string;
  endedAt: string;
  command: string[];
  workload: RecordedWorkload;
  metric: CompareMetric;
  slo: Slo[];
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
  /** The file it was read from. */
  name: string;
  topology: Topology;
  /** In the order they were measured; the i-th of A and of B are a pair. */
  values: number[];
  /** Folders of the runs beneath the comparison's own. */
  runs: string[];
}

export type CompareMetric = 'capacity' | 'throughput' | 'p95' | 'memory' | 'cpu-per-request';
