/** How long a process that has ended by itself waits until it is started again. */

const DELAYS_MS = [1_000, 2_000, 4_000, 8_000, 10_000] as const;
const LONGEST_MS = 10_000;

/**
 * `restarts`: so often it was started again before, since it last ran for long. Kubernetes, too, begins with the first
 * delay again once a container has run for twice the longest one.
 */
export function restartAfter(
  restarts: number,
  ranMs: number,
): { delayMs: number; restarts: number } {
  const counted = ranMs > 2 * LONGEST_MS ? 0 : restarts;
  return { delayMs: DELAYS_MS[counted] ?? LONGEST_MS, restarts: counted + 1 };
}

/** Why a process ended, from its exit code, its signal and its control group. */

/** V8 aborts when its heap is full; the shell's 134 is the same abort seen from outside. */
export const isHeapAbort = (code: number | null, signal: string | null): boolean =>
  signal === 'SIGABRT' || code === 134;

/** What V8 says before it aborts; null: nothing of it is in the log. */
const heapError = (log: string): string | null =>
  log
    .match(/^.*JavaScript heap out of memory.*$/gm)
    ?.at(-1)
    ?.trim() ?? null;

/** `log`: what the process wrote last. */
export function exitReason(
  code: number | null,
  signal: string | null,
  wasOomKilled: boolean,
  log = '',
): string {
  if (wasOomKilled) return 'the kernel killed it for exceeding its memory limit';
  if (isHeapAbort(code, signal)) {
    const said = heapError(log);
    return `it aborted, as V8 does when its heap is full${said === null ? '' : ` (${said})`}`;
  }
  return signal === null ? `exit code ${String(code)}` : `signal ${signal}`;
}
