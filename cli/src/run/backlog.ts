/** If executions are not counted, waits until n8n's metrics show no open work. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BacklogWatch } from '../targets/target';
import type { Progress } from '../ui/progress';
import { steadyClock } from '../ui/steady-clock';

const LOOK_EVERY_MS = 500;

export interface SeenBacklog {
  /** After the load had ended, at the latest; null where work was left at the end of its time. */
  seconds: number | null;
  /** What was left. */
  open: number;
  source: string;
}

interface Order {
  endedAtMs: number;
  drainMs: number;
  nowMs?: () => number;
  pause?: () => Promise<unknown>;
}

/** Null where it never became known. */
export async function awaitBacklog(
  { source, lateMs, open }: BacklogWatch,
  { endedAtMs, drainMs, nowMs = steadyClock(), pause = () => sleep(LOOK_EVERY_MS) }: Order,
  progress: Progress,
  signal: AbortSignal,
): Promise<SeenBacklog | null> {
  // Figures that come late tell late that it was done in time.
  const giveUpMs = endedAtMs + drainMs + lateMs;
  let last: number | null = null;
  for (;;) {
    last = (await open().catch(() => null)) ?? last;
    if (last === 0) return { seconds: Math.max(0, nowMs() - endedAtMs) / 1000, open: 0, source };
    if (signal.aborted || nowMs() >= giveUpMs) {
      return last === null ? null : { seconds: null, open: last, source };
    }
    progress(
      last === null
        ? `waiting until the ${source} of n8n show what is left to do`
        : `waiting for n8n to finish ${String(last)} executions`,
    );
    await pause();
  }
}
