/** The one JSON shape in which a run of k6 sums itself up, whatever the version of k6. */
export interface LoadSummary {
  schemaVersion: 4;
  /** Null where k6 does not tell: its machine-readable form leaves it out, unless RUN_ID is given. */
  runId: string | null;
  baseUrl: string;
  workloads: string[];
  profile: string;
  loop: 'open' | 'closed';
  /** Every SLO is known to be met by a valid run. */
  passed: boolean;
  /** Why the run says nothing about the system; empty for a valid run. */
  notValid: string[];
  warmupSeconds: number;
  durationSeconds: number;
  /** Requests of the measured part. */
  requests: number;
  /** Those of them that got the expected response. */
  expected: number;
  expectedPerSecond: number;
  errors: Record<string, number>;
  unanswered: { requests: number; oldestAgeMs: number };
  arrivals: 'even' | 'random' | null;
  /** Were due while as many as may be were open. */
  notSent: number;
  /** How much later than due requests were started; null in a closed loop. It is part of the latency. */
  latenessMs: Record<'p50' | 'p99' | 'max', number | null> | null;
  /** Requests for which a connection had to be opened. */
  newConnections: number;
  /** Responses by their version of HTTP. */
  protocols: Record<string, number>;
  /** Null without an expected response. A figure is null where k6 does not tell it: its machine-readable form has no p99. */
  latencyMs: Record<
    'mean' | 'min' | 'p50' | 'p90' | 'p95' | 'p99' | 'p999' | 'max',
    number | null
  > | null;
  /** `met` is null where it is not known. */
  slo: { text: string; met: boolean | null }[];
}
