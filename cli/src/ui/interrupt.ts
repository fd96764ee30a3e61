import { Interrupted, LeftBehind, messageOf } from './exit';

export interface Interrupt {
  signal: AbortSignal;
  /** Stops the command as Ctrl-C does, for the reason given. */
  stop(why: string): void;
  end(): void;
}

/**
 * Fires at Ctrl-C, at SIGTERM and when the terminal goes. A second Ctrl-C ends at once; what runs is
 * then taken down by those who watch over it.
 */
export function onInterrupt(): Interrupt {
  const controller = new AbortController();
  let hasSignal = false;
  const stop = (name: NodeJS.Signals): void => {
    if (hasSignal) process.exit(130);
    hasSignal = true;
    process.stderr.write(`\nn8n-tuned: ${name}: stopping cleanly; a second signal stops at once\n`);
    controller.abort(new Error(name === 'SIGINT' ? 'stopped by Ctrl-C' : `stopped by ${name}`));
  };
  const names: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const name of names) process.on(name, stop);
  return {
    signal: controller.signal,
    stop: (why) => {
      if (controller.signal.aborted) return;
      process.stderr.write(`\nn8n-tuned: stopping cleanly: ${why}\n`);
      controller.abort(new Error(`stopped by --stop-if: ${why}`));
    },
    end: () => {
      for (const name of names) process.off(name, stop);
    },
  };
}

/**
 * Work that Ctrl-C reaches as an aborted signal. Whatever fails after it, fails because it was ended: the work itself says
 * so where something was recorded by then.
 */
export async function interruptible<Result>(
  work: (signal: AbortSignal, stop: Interrupt['stop']) => Promise<Result>,
): Promise<Result> {
  const interrupt = onInterrupt();
  try {
    return await work(interrupt.signal, interrupt.stop);
  } catch (error) {
    const isSaid = error instanceof Interrupted || error instanceof LeftBehind;
    if (!interrupt.signal.aborted || isSaid) throw error;
    throw new Interrupted(`${messageOf(interrupt.signal.reason)}, before anything was recorded.`);
  } finally {
    interrupt.end();
  }
}
