import exec from 'k6/execution';

/** All lanes are made by then. */
const LEAD_MS = 250;

/** Milliseconds since the load began, finer than one. All virtual users have the same zero. */
export interface Clock {
  /** Milliseconds since 1970 of the zero. */
  beganAtMs: number;
  now: () => number;
}

interface ClockOptions {
  leadMs?: number;
  /** A zero that several generators share, by the clock of this machine. */
  beginsAtMs?: number | null;
}

/** The zero is a little after the scenario's begin, so that the first request is not late for want of a sender. */
export function startClock({ leadMs = LEAD_MS, beginsAtMs = null }: ClockOptions = {}): Clock {
  const beganAtMs = beginsAtMs ?? exec.scenario.startTime + leadMs;
  const zero = beganAtMs - epochOfTestRun();
  return { beganAtMs, now: () => exec.instance.currentTestRunDuration - zero };
}

/**
 * Date.now() has whole milliseconds, and the clock of the test run an unknown zero. The largest difference
 * within a few milliseconds is where Date.now() had just changed.
 */
function epochOfTestRun(): number {
  let epoch = -Infinity;
  const until = exec.instance.currentTestRunDuration + 3;
  for (let at = 0; at < until;) {
    at = exec.instance.currentTestRunDuration;
    epoch = Math.max(epoch, Date.now() - at);
  }
  return epoch;
}
