/** Ends early, by an error, when the execution is cancelled. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new Cancelled());
    const cancel = (): void => {
      clearTimeout(timer);
      reject(new Cancelled());
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', cancel);
      resolve();
    }, ms);
    signal?.addEventListener('abort', cancel, { once: true });
  });
}

/** Lets everything else that waits for the event loop run first. */
export function yieldToOthers(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    setImmediate(() => (signal?.aborted ? reject(new Cancelled()) : resolve()));
  });
}

/** n8n takes an execution whose error says so for cancelled, not for failed. */
export class Cancelled extends Error {
  constructor() {
    super('The execution was canceled');
    this.name = 'ExecutionCancelledError';
  }
}
