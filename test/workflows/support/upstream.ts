import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from './n8n';

/** The stand-in as a process of its own, on a free port. */
export async function startUpstream(
  env: Record<string, string> = {},
): Promise<{ url: string; stop: () => Promise<number | null> }> {
  const child = spawn(process.execPath, [join(root, 'cli/dist/stand-in.cjs')], {
    env: { PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = (): boolean => child.kill('SIGKILL');
  process.once('exit', end);
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return {
    url: line.replace('listening on ', ''),
    stop: async () => {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      const [code] = (await exit) as [number | null];
      process.removeListener('exit', end);
      return code;
    },
  };
}
