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
