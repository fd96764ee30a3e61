import { Counter, Rate, Trend } from 'k6/metrics';
import { COUNTED_KINDS, countedKind } from './errors.ts';

/** Of the measured part only: the warm-up is sent, checked, and not counted. */
const duration = new Trend('load_duration', true);
const wrong = new Rate('load_wrong');
const unansweredAge = new Trend('load_unanswered_age', true);
const ranBy = new Counter('load_ran_by');
const errors = new Map(
  COUNTED_KINDS.map((kind) => [kind, new Counter(`load_errors_${kind.replaceAll(' ', '_')}`)]),
);

export interface Counted {
  workload: string;
  durationMs: number;
  /** Empty when right. */
  errorKind: string;
  ranBy: string;
}

/** Latency is that of right replies and of those never given; see analysis/summarize.ts. */
export function count({ workload, durationMs, errorKind, ranBy: process }: Counted): void {
  const tags = { workload };
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
