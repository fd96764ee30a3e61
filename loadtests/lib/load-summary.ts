/** The one JSON shape in which a run of k6 sums itself up, whatever the version of k6. */
export interface LoadSummary {
  schemaVersion: 1;
  runId: string;
  baseUrl: string;
  workloads: string[];
  profile: string;
  loop: 'open' | 'closed';
  warmupSeconds: number;
  durationSeconds: number;
  /** Of the measured part. */
  requests: number;
  right: number;
  rightPerSecond: number;
  errors: Record<string, number>;
  unanswered: { requests: number; oldestAgeMs: number };
  /** Were due, and no virtual user was free: warm-up included. */
  droppedIterations: number;
  latencyMs: Record<'mean' | 'min' | 'p50' | 'p90' | 'p95' | 'p99' | 'p999' | 'max', number> | null;
  slo: { text: string; held: boolean }[];
}
