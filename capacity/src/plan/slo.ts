/**
 * What must hold. Written as `p95<6s`, `errors<1%`, `throughput>=95%`, `backlog=0`;
 * times are milliseconds inside, shares are fractions of 1.
 */
export type SloMetric =
  | 'p50'
  | 'p90'
  | 'p95'
  | 'p99'
  | 'p99.9'
  | 'max'
  | 'mean'
  | 'errors'
  | 'throughput'
  | 'backlog';

export type SloOperator = '<' | '<=' | '>' | '>=' | '=';

export interface Slo {
  /** As the user wrote it; shown in every report. */
  text: string;
  metric: SloMetric;
  operator: SloOperator;
  /** Milliseconds for latencies, a fraction of 1 for errors and throughput, executions for backlog. */
  bound: number;
}
