import { readFileSync } from 'node:fs';
import { parseStat } from '../linux/proc';

export interface Usage {
  cpuSeconds: number;
  rssMiB: number;
}

/** Usage of one process, including a zombie; null if there is no such process. */
export function usageOf(pid: number): Usage | null {
  try {
    const { cpuMs, rssMiB } = parseStat(readFileSync(`/proc/${String(pid)}/stat`, 'latin1'));
    return { cpuSeconds: cpuMs / 1000, rssMiB };
  } catch {
    return null;
  }
}

export interface UsageWatch {
  cpuCoresMean(): number;
  rssPeakMiB(): number;
  end(): void;
}

export function watchUsage(
  pid: number | undefined,
  tell: (cpuCores: number, rssMiB: number) => void,
  everyMs: number,
): UsageWatch {
  const since = performance.now();
  let last = { atMs: since, cpuSeconds: 0 };
  let rssPeakMiB = 0;
  const look = (): void => {
    const usage = pid === undefined ? null : usageOf(pid);
    if (usage === null) return;
    const atMs = performance.now();
    tell((1000 * (usage.cpuSeconds - last.cpuSeconds)) / (atMs - last.atMs), usage.rssMiB);
    last = { atMs, cpuSeconds: usage.cpuSeconds };
    rssPeakMiB = Math.max(rssPeakMiB, usage.rssMiB);
  };
  const timer = setInterval(look, everyMs);
  return {
    cpuCoresMean: () => (last.atMs > since ? (1000 * last.cpuSeconds) / (last.atMs - since) : 0),
    rssPeakMiB: () => rssPeakMiB,
    end: () => {
      clearInterval(timer);
    },
  };
}
