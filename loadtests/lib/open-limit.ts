/** How many requests may be open side by side, so that the generator never holds one back that is due. */
import { dueBetween, highestRate } from './due.ts';
import { Mistake } from './mistake.ts';
import { lengthSeconds, type LoadPlan } from './profile.ts';
import { latencyLimits, type Slo } from './slo.ts';

/** Measured: 4,000 open requests take k6 250 MiB. Sockets end near 28,000 per address. */
const OPEN_AT_MOST = 10_000;
const OPEN_AT_LEAST = 50;
/** What comes at random comes in bunches. */
const BUNCHES = 1.2;

/**
 * A request is open until its response or its timeout, so rate x timeout are enough whatever the system does,
 * as far as the machines of the generators can keep them open.
 */
export function openLimit(plan: LoadPlan, timeoutMs: number, generators = 1): number {
  if (plan.loop === 'closed') return plan.clients;
  return Math.min(generators * OPEN_AT_MOST, openAtOnce(plan, timeoutMs));
}

/** A rate and an SLO that together allow more open requests than that are refused: the run could not be valid. */
export function refuseTooManyOpen(
  plan: LoadPlan,
  timeoutMs: number,
  slos: readonly Slo[],
  generators = 1,
): void {
  if (plan.loop === 'closed') return;
  const slowestMs = Math.max(0, ...latencyLimits(slos).map(({ bound }) => bound));
  const allowed = openAtOnce(plan, Math.min(slowestMs, timeoutMs));
  const max = generators * OPEN_AT_MOST;
  if (allowed > max) {
    throw new Mistake(
      `${String(highestRate(plan))} requests per second that may each take ${String(slowestMs / 1000)} s can need ${String(allowed)} open requests at the same time, but ${generators === 1 ? 'one generator opens' : `${String(generators)} generators open`} at most ${String(max)} by default. Each open request needs about 64 KiB and a socket. Choose a lower rate or SLO, or set the limit yourself (--max-open, or MAX_OPEN with k6 alone)`,
    );
  }
}

function openAtOnce(plan: LoadPlan, eachMs: number): number {
  const byTime = highestRate(plan) * BUNCHES * (eachMs / 1000);
  const inAll = dueBetween(plan, 0, lengthSeconds(plan)) * BUNCHES;
  return Math.ceil(Math.min(byTime, inAll)) + OPEN_AT_LEAST;
}
