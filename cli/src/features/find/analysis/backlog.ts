/** Which probes a backlog has spoilt. */
import { isRateTrial, type RateTrial, type Trial } from './types';
import { meanCost } from './virtual-queue/trace';

/** A probe that got this share of its responses kept up. */
const KEPT_UP = 0.97;

/** A stall holds up a probe as well, but not so that it alone asked for so much more than was ever answered. */
const ABOVE_PEAK = 1.05;

/** Whether it responded to what was asked for. */
export function keptUp({ probe, outcome }: RateTrial): boolean {
  const { trace, achievedPerSecond } = outcome;
  const planned = probe.ratePerSecond * probe.durationSeconds;
  // By chance, about the square root of their number more or fewer requests are due.
  if (trace === null) {
    return achievedPerSecond >= (KEPT_UP - 2 / Math.sqrt(planned)) * probe.ratePerSecond;
  }
  const { due, latency, seconds } = trace;
  const ended = due.filter((at, i) => at + (latency[i] ?? 0) <= seconds).length;
  return ended >= KEPT_UP * due.length;
}

/**
 * The valid probes whose stalls are no consequence of their load: where more CPU is asked for than there is, a backlog
 * grows, with it the heap, and so the garbage collections. To leave out every probe that did not keep up was tried too: it
 * leaves out those that a stall itself held up, and then 16% of the intervals of stalling systems miss the capacity.
 */
export function withOwnStalls(trials: readonly Trial[]): Trial[] {
  const valid = trials.filter(({ outcome }) => outcome.result !== 'invalid');
  const peak = Math.max(0, ...valid.map(({ outcome }) => outcome.achievedPerSecond));
  return valid.filter((trial) => !isOverloaded(trial, peak));
}

/** Without its CPU: by far more than any probe was answered. */
function isOverloaded(trial: Trial, peak: number): boolean {
  const { trace } = trial.outcome;
  if (trace !== null)
    return trace.ratePerSecond !== null && trace.ratePerSecond * meanCost(trace) > 1;
  return isRateTrial(trial) && trial.probe.ratePerSecond > ABOVE_PEAK * peak && !keptUp(trial);
}
