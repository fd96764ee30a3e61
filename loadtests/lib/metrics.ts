/** What k6 counts: of the measured part only, as the warm-up is sent, checked, and not counted. */
import { check } from 'k6';
import { Counter, Rate, Trend } from 'k6/metrics';
import { countedKind } from './errors.ts';

const duration = new Trend('load_duration', true);
const requests = new Counter('load_requests');
const wrong = new Rate('load_wrong');
const errors = new Counter('load_errors');
const unansweredAge = new Trend('load_unanswered_age', true);
const late = new Trend('load_late', true);
const tooLate = new Rate('load_too_late');
const notSent = new Counter('load_not_sent');
const connections = new Counter('load_new_connections');
const responses = new Counter('load_responses');
const ranBy = new Counter('load_ran_by');

export interface Counted {
  workload: string;
  /** Since it was due. */
  durationMs: number;
  /** Null in a closed loop, where nothing is due at a time; `isTooLate`: more than lateness.ts allows. */
  late: { ms: number; isTooLate: boolean } | null;
  /** Empty for the expected response. */
  errorKind: string;
  /** Empty without a response. */
  protocol: string;
  ranBy: string;
  connected: number;
}

/** Latency is that of expected responses and of those never given; see analysis/summarize.ts. */
export function count(counted: Counted): void {
  const {
    workload,
    durationMs,
    late: lateness,
    errorKind,
    protocol,
    ranBy: process,
    connected,
  } = counted;
  const tags = { workload };
  requests.add(1, tags);
  if (lateness !== null) {
    late.add(lateness.ms, tags);
    tooLate.add(lateness.isTooLate, tags);
  }
  if (connected > 0) connections.add(connected, tags);
  if (protocol !== '') responses.add(1, { ...tags, proto: protocol });
  wrong.add(errorKind !== '', tags);
  check(null, { 'expected response': () => errorKind === '' }, tags);
  if (errorKind === '' || errorKind === 'timeout' || errorKind === 'unanswered') {
    duration.add(durationMs, tags);
  }
  if (errorKind !== '') {
    errors.add(1, { ...tags, kind: countedKind(errorKind) });
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
