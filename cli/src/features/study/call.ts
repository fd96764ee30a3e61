import { spawn } from 'node:child_process';
import { EXIT } from '../../ui/exit';
import type { CallOptions } from './study';

/** Characters: the end of what a command says tells why it fails. */
const MAX_SAID = 2000;

export interface ProgramEnded {
  code: number;
  printed: string;
  lastLine: string;
}

export interface ProgramCall extends CallOptions {
  cwd: string;
  /** What is printed: collected, or shown on standard output or, where that is for a record alone, on standard error. */
  prints: 'collected' | 'inherit' | 2;
}

/**
 * Runs a program. It is in a process group of its own, so that Ctrl-C reaches it once, through us, and not a second time from
 * the terminal, which would end it without order.
 */
export function runProgram(
  words: readonly string[],
  { cwd, prints, through = [], env = {}, hears }: ProgramCall,
  signal: AbortSignal,
): Promise<ProgramEnded> {
  const [program = '', ...args] = [...through, ...words];
  const child = spawn(program, args, {
    ...{ cwd, detached: true, env: { ...process.env, ...env } },
    stdio: [
      'ignore',
      prints === 'collected' ? 'pipe' : prints,
      hears === undefined ? 'inherit' : 'pipe',
    ],
  });
  const end = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
    } catch {
      // It has ended meanwhile.
    }
  };
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  // A second Ctrl-C ends us at once, and what we started with it.
  process.once('exit', end);
  let [printed, said] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (printed += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-MAX_SAID);
    hears?.(text);
  });
  return new Promise<ProgramEnded>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({
        code: code ?? EXIT.invalid,
        printed,
        lastLine: said.trim().split('\n').at(-1) ?? '',
      });
    });
  }).finally(() => {
    signal.removeEventListener('abort', end);
    process.off('exit', end);
  });
}
