import { Mistake } from '../../shared/mistake';
import { sleep } from '../../shared/sleep';
import type { QueueMeasures } from './read';

export interface Drained {
  measures: QueueMeasures;
  waitedMs: number;
}

/**
 * Reads until nothing is left to do. A job that asks waits only for those that came before it: two
 * that wait at the same time would otherwise wait for each other.
 */
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
      const { waiting, active, delayed, paused, jobsBeforeOwn } = measures;
      const own = jobsBeforeOwn === null ? '' : ` ${jobsBeforeOwn} of them came before this job.`;
      throw new Mistake(
        `The queue '${measures.queue}' is not drained after ${Math.round(waitedMs / 1000)} s`,
        `Left: ${waiting} waiting, ${active} active, ${delayed} delayed, ${paused} paused.${own}`,
      );
    }
    await sleep(limits.pollMs, limits.signal);
  }
}

export function jobsLeft(measures: QueueMeasures): number {
  const { waiting, active, delayed, paused, jobsBeforeOwn } = measures;
  return jobsBeforeOwn ?? waiting + active + delayed + paused;
}
