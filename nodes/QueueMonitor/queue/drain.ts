import { Mistake } from '../../shared/mistake';
import { sleep } from '../../shared/sleep';
import type { QueueMeasures } from './read';

export interface Drained {
  measures: QueueMeasures;
  waitedMs: number;
}

/** Reads until nothing is left to do but, perhaps, the job that asks. */
export async function waitUntilDrained(
  read: () => Promise<QueueMeasures>,
  limits: { timeoutMs: number; pollMs: number; signal: AbortSignal | undefined },
): Promise<Drained> {
  const began = performance.now();
  for (;;) {
    const measures = await read();
    const waitedMs = Math.round(performance.now() - began);
    if (jobsLeft(measures) === 0) return { measures, waitedMs };
    if (waitedMs + limits.pollMs > limits.timeoutMs) {
      const { waiting, active, delayed, paused } = measures;
      throw new Mistake(
        `The queue '${measures.queue}' is not drained after ${Math.round(waitedMs / 1000)} s`,
        `Left: ${waiting} waiting, ${active} active, ${delayed} delayed, ${paused} paused.`,
      );
    }
    await sleep(limits.pollMs, limits.signal);
  }
}

export function jobsLeft(measures: QueueMeasures): number {
  const { waiting, active, delayed, paused, ownJobActive } = measures;
  return waiting + active + delayed + paused - (ownJobActive ? 1 : 0);
}
