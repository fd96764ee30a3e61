/** The jobs in n8n's queue, as its mains show them at /metrics. */

export interface QueueJobs {
  waiting: number;
  active: number;
}

const WAITING = 'scaling_mode_queue_jobs_waiting';
const ACTIVE = 'scaling_mode_queue_jobs_active';

/**
 * From the texts of all endpoints; null where none shows a queue. Every main shows the one queue that they
 * share, and one that does not lead shows 0: the highest counts, never the sum.
 */
export function queueJobs(texts: readonly string[]): QueueJobs | null {
  const [waiting, active] = [highest(texts, WAITING), highest(texts, ACTIVE)];
  return waiting === null || active === null ? null : { waiting, active };
}

function highest(texts: readonly string[], name: string): number | null {
  const shown = new RegExp(`^\\w*${name}(?:\\{[^}]*\\})? ([\\d.e+-]+)`, 'gm');
  const values = texts.flatMap((text) =>
    [...text.matchAll(shown)].map(([, value]) => Number(value)),
  );
  return values.length === 0 ? null : Math.max(...values);
}

/** What `INFO memory` of Redis says. Pure. */
export function redisMemory(info: string): { memoryMiB: number; memoryMaxMiB: number | null } {
  const mebi = (name: string): number =>
    Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1]) / (1024 * 1024);
  const max = mebi('maxmemory');
  return { memoryMiB: mebi('used_memory'), memoryMaxMiB: max > 0 ? max : null };
}
