import { yieldToOthers } from '../../shared/sleep';

/** Between two looks at the clock; about a third of a millisecond of work. */
const ITERATIONS_A_LOOK = 200_000;

/** CPU time of this thread, or of the process where Node (before 23.9) cannot tell threads apart. */
export function cpuTimeMs(): number {
  const { user, system } =
    typeof process.threadCpuUsage === 'function' ? process.threadCpuUsage() : process.cpuUsage();
  return (user + system) / 1000;
}

export interface Burned {
  cpuTimeMs: number;
  iterations: number;
  sum: number;
}

export interface Burn {
  /** Runs this many iterations of the loop and gives the sum so far. */
  work: (sum: number, from: number, to: number) => number;
  untilIteration: number;
  untilCpuTimeMs: number;
  /** Others get their turn after so much CPU time; infinite blocks the event loop until the end. */
  yieldEveryMs: number;
  /** The work ends with the error `Frozen` when others did not get their turn for so long on the clock. */
  longestFreezeMs: number;
  signal: AbortSignal | undefined;
}

/** Others did not get their turn for too long. */
export class Frozen extends Error {
  constructor(readonly ms: number) {
    super(`The event loop was blocked for ${ms} ms`);
  }
}

/** Counts only its own time: what others do while it yields is not in it. */
export async function burn(plan: Burn): Promise<Burned> {
  const burned: Burned = { cpuTimeMs: 0, iterations: 0, sum: 0 };
  for (;;) {
    const before = cpuTimeMs();
    const beganMs = performance.now();
    let sliceMs = 0;
    do {
      const to = Math.min(plan.untilIteration, burned.iterations + ITERATIONS_A_LOOK);
      burned.sum = plan.work(burned.sum, burned.iterations, to);
      burned.iterations = to;
      sliceMs = cpuTimeMs() - before;
      const frozenMs = performance.now() - beganMs;
      if (frozenMs > plan.longestFreezeMs) throw new Frozen(frozenMs);
    } while (
      burned.iterations < plan.untilIteration &&
      burned.cpuTimeMs + sliceMs < plan.untilCpuTimeMs &&
      sliceMs < plan.yieldEveryMs
    );
    burned.cpuTimeMs += sliceMs;
    const done =
      burned.iterations >= plan.untilIteration || burned.cpuTimeMs >= plan.untilCpuTimeMs;
    if (done) return burned;
    await yieldToOthers(plan.signal);
  }
}
