/** Why a process ended, from its exit code, its signal and its control group. */

/** V8 aborts when its heap is full; the shell's 134 is the same abort seen from outside. */
export const isHeapAbort = (code: number | null, signal: string | null): boolean =>
  signal === 'SIGABRT' || code === 134;

export function exitReason(
  code: number | null,
  signal: string | null,
  wasOomKilled: boolean,
): string {
  if (wasOomKilled) return 'the kernel killed it for exceeding its memory limit';
  if (isHeapAbort(code, signal)) return 'it aborted, as V8 does when its heap is full';
  return signal === null ? `exit code ${String(code)}` : `signal ${signal}`;
}
