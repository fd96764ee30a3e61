import { readFileSync } from 'node:fs';
import { parseStat } from '../linux/proc';

export interface Usage {
  cpuSeconds: number;
  rssMiB: number;
}

/** Of one process, also of one that has ended and still waits for its parent; null where there is none. */
export function usageOf(pid: number): Usage | null {
  try {
    const { cpuMs, rssMiB } = parseStat(readFileSync(`/proc/${String(pid)}/stat`, 'latin1'));
    return { cpuSeconds: cpuMs / 1000, rssMiB };
  } catch {
    return null;
  }
}
