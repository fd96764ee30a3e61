// Programs that are run to their end, and those that go on until they are stopped.
import { execFile, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const OUTPUT_BYTES = 256 * 1024 * 1024;
const READY_SECONDS = 60;
/** Characters. */
const LAST_WORDS = 500;

/** What it writes; `input` goes to it. A failure is its own last words. */
export async function run(program: string, args: string[], input?: string): Promise<string> {
  const running = promisify(execFile)(program, args, {
    maxBuffer: OUTPUT_BYTES,
    encoding: 'utf8',
  });
  running.child.stdin?.end(input);
  try {
    return (await running).stdout;
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    throw new Error(`${program} ${args.slice(0, 3).join(' ')}: ${stderr.trim() || message}`, {
      cause: error,
    });
  }
}

/** A server in a group of its own, so that an interruption of this command does not end it first. */
export async function serve(
  program: string,
  args: string[],
  readyUrl: string,
  env: Record<string, string> = {},
): Promise<{ stop: () => Promise<void> }> {
  const child = spawn(program, args, {
    ...{ stdio: ['ignore', 'ignore', 'pipe'], detached: true },
    env: { ...process.env, ...env },
  });
  // Some tell all that they do: shown is only the last of one that does not start.
  let said = '';
  child.stderr
    .setEncoding('utf8')
    .on('data', (text: string) => (said = (said + text).slice(-LAST_WORDS)));
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.once('error', () => undefined);
  const stop = async (): Promise<void> => {
    if (child.exitCode === null) child.kill('SIGTERM');
    await ended;
  };
  for (let look = 0; look < READY_SECONDS * 2; look += 1) {
    const isReady = await fetch(readyUrl).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return { stop };
    if (child.exitCode !== null || child.pid === undefined) break;
    await sleep(500);
  }
  await stop();
  throw new Error(`${program} did not answer at ${readyUrl}: ${said.trim()}`);
}
