import { Counter, Rate, Trend } from 'k6/metrics';
import { COUNTED_KINDS, countedKind } from './errors.ts';

/** Of the measured part only: the warm-up is sent, checked, and not counted. */
const duration = new Trend('load_duration', true);
const wrong = new Rate('load_wrong');
const unansweredAge = new Trend('load_unanswered_age', true);
const late = new Trend('load_late', true);
const notSent = new Counter('load_not_sent');
const connections = new Counter('load_new_connections');
const ranBy = new Counter('load_ran_by');
const errors = new Map(
  COUNTED_KINDS.map((kind) => [kind, new Counter(`load_errors_${kind.replaceAll(' ', '_')}`)]),
);

export interface Counted {
  workload: string;
  /** Since it was due. */
  durationMs: number;
  /** Null in a closed loop, where nothing is due at a time. */
  lateMs: number | null;
  /** Empty for the expected response. */
  errorKind: string;
  ranBy: string;
  connected: number;
}

/** Latency is that of expected responses and of those never given; see analysis/summarize.ts. */
export function count(counted: Counted): void {
  const { workload, durationMs, lateMs, errorKind, ranBy: process, connected } = counted;
  const tags = { workload };
  if (lateMs !== null) late.add(lateMs, tags);
  if (connected > 0) connections.add(connected, tags);
  wrong.add(errorKind !== '', tags);
  if (errorKind === '' || errorKind === 'timeout' || errorKind === 'unanswered') {
    duration.add(durationMs, tags);
  }
  if (errorKind !== '') {
    errors.get(countedKind(errorKind))?.add(1, tags);
  }
  if (errorKind === 'unanswered') {
    unansweredAge.add(durationMs, tags);
  }
  if (process !== '') {
    ranBy.add(1, { ...tags, ran_by: process });
  }
}

export function countNotSent(workload: string): void {
  notSent.add(1, { workload });
}
