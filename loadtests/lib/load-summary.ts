/** The one JSON shape in which a run of k6 sums itself up, whatever the version of k6. */
export interface LoadSummary {
  schemaVersion: 3;
  runId: string;
  baseUrl: string;
  workloads: string[];
  profile: string;
  loop: 'open' | 'closed';
  warmupSeconds: number;
  durationSeconds: number;
  /** Of the measured part. */
  requests: number;
  /** Of these, those that got the expected response. */
  expected: number;
  expectedPerSecond: number;
  errors: Record<string, number>;
  unanswered: { requests: number; oldestAgeMs: number };
  arrivals: 'even' | 'random' | null;
  /** Were due while as many as may be were open, so that the run says nothing about the system. */
  notSent: number;
  /** How much later than due requests were started; null in a closed loop. It is part of the latency. */
  latenessMs: Record<'p50' | 'p99' | 'max', number> | null;
  /** Requests for which a connection had to be opened. */
  newConnections: number;
  latencyMs: Record<'mean' | 'min' | 'p50' | 'p90' | 'p95' | 'p99' | 'p999' | 'max', number> | null;
  slo: { text: string; met: boolean }[];
}
