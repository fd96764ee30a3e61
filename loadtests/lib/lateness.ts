/** How late the generator may be, before a run says more about it than about the system under load. */
import { isAboutLatency, type Slo } from './slo.ts';

/** A lateness is part of the latency: this much of the smallest threshold may be the generator's own. */
const LATE_SHARE = 0.1;
/** What timers and the scheduler of an idle machine were seen to take at the 99th percentile is below it. */
const LATE_ALLOWED_MS = 5;
/** The delay that is allowed if no SLO is about latency. */
const LATE_ALLOWED_WITHOUT_SLO_MS = 100;

/** The share of requests that may be later than what is allowed. */
export const MAY_BE_LATE = 0.01;

/** At the 99th percentile. */
export function allowedLatenessMs(slos: readonly Slo[]): number {
  const bounds = slos.filter(isAboutLatency).map(({ bound }) => bound);
  if (bounds.length === 0) return LATE_ALLOWED_WITHOUT_SLO_MS;
  return Math.max(LATE_ALLOWED_MS, LATE_SHARE * Math.min(...bounds));
}
