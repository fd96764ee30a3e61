import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';
import type { Readable } from 'node:stream';

const BEFORE_OTHERS = -10;

interface Options {
  detached: boolean;
  stdio: ['ignore', 'pipe', 'pipe'];
  env: NodeJS.ProcessEnv;
}

/**
 * A process that goes before the others where this user may say so: the generator needs little CPU, and sends on
 * time only if it gets that at once. It inherits the priority, as it could not be set for threads it has already.
 */
export function spawnFirst(
  program: string,
  args: readonly string[],
  options: Options,
): ChildProcessByStdio<null, Readable, Readable> {
  const own = getPriority();
  try {
    setPriority(BEFORE_OTHERS);
  } catch {
    // Without the right to, it runs like any other.
  }
  try {
    return spawn(program, args, options);
  } finally {
    if (getPriority() !== own) setPriority(own);
  }
}
