/**
 * Fires with `signal`, or after so long. `AbortSignal.any` with `AbortSignal.timeout` does not serve: in
 * Node.js 20 nobody holds the timeout, so once garbage is collected it never fires.
 */
export function within(milliseconds: number, signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new DOMException('it took too long', 'TimeoutError'));
  }, milliseconds);
  timer.unref();
  const follow = (): void => {
    clearTimeout(timer);
    controller.abort(signal.reason);
  };
  if (signal.aborted) follow();
  else signal.addEventListener('abort', follow, { once: true });
  return controller.signal;
}
