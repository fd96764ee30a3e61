/**
 * Work under a signal that fires with `signal`, or after so long. `AbortSignal.any` with
 * `AbortSignal.timeout` does not serve: in Node.js 20 nobody holds the timeout, so once garbage is collected
 * it never fires. Nothing stays on `signal`, which may live as long as the program.
 */
export async function within<Result>(
  milliseconds: number,
  signal: AbortSignal,
  work: (patience: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new DOMException('it took too long', 'TimeoutError'));
  }, milliseconds);
  const follow = (): void => {
    controller.abort(signal.reason);
  };
  if (signal.aborted) follow();
  else signal.addEventListener('abort', follow, { once: true });
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', follow);
  }
}

/** The time of day, in milliseconds, as it goes on from this moment: a correction of the time does not move it. */
export function steadyClock(): () => number {
  const zeroMs = Date.now() - performance.now();
  return () => zeroMs + performance.now();
}
