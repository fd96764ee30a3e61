import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;

export interface Usage {
  cpuSeconds: number;
  rssMiB: number;
}

/** Of one process, from /proc; null where there is none, or it has ended. */
export function usageOf(pid: number): Usage | null {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    // The name in brackets may hold blanks; after it: state is 0, utime 11, stime 12, rss 21.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return {
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
      rssMiB: (Number(fields[21]) * PAGE_BYTES) / (1024 * 1024),
    };
  } catch {
    return null;
  }
}
