import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { EXIT } from '../../ui/exit';

/**
 * Runs a command of a study and returns its exit code. It is in a process group of its own, so that Ctrl-C reaches it
 * once, through us, and not a second time from the terminal, which would end it without order.
 */
export async function runStep(
  [program = '', ...args]: readonly string[],
  cwd: string,
  isQuiet: boolean,
  signal: AbortSignal,
): Promise<number> {
  const [file, ...first] =
    program === 'n8n-tuned' ? [process.execPath, process.argv[1] ?? ''] : [process.execPath];
  const child = spawn(file ?? process.execPath, [...first, ...args], {
    cwd,
    // With --json standard output is for the record alone.
    stdio: ['ignore', isQuiet ? 2 : 'inherit', 'inherit'],
    detached: true,
  });
  const end = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
    } catch {
      // It has ended meanwhile.
    }
  };
  signal.addEventListener('abort', end, { once: true });
  // A second Ctrl-C ends us at once, and what we started with it.
  process.once('exit', end);
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    return code ?? EXIT.invalid;
  } finally {
    signal.removeEventListener('abort', end);
    process.off('exit', end);
  }
}
