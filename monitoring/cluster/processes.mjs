// Programs that are run to their end, and those that go on until they are stopped.
import { execFile, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const OUTPUT_BYTES = 256 * 1024 * 1024;
const READY_SECONDS = 60;
/** Characters. */
const LAST_WORDS = 500;
const running = promisify(execFile);

/** What it writes; `input` goes to it. A failure is its own last words. */
export async function run(program, args, { input, ...options } = {}) {
  const promise = running(program, args, { maxBuffer: OUTPUT_BYTES, ...options });
  promise.child.stdin?.end(input);
  try {
    return (await promise).stdout;
  } catch (error) {
    const said = (error.stderr ?? '').trim();
    throw new Error(`${program} ${args.slice(0, 3).join(' ')}: ${said || error.message}`, {
      cause: error,
    });
  }
}

/** A server in a group of its own, so that an interruption of this script does not end it first. */
export async function serve(program, args, readyUrl, env = {}) {
  const child = spawn(program, args, {
    ...{ stdio: ['ignore', 'ignore', 'pipe'], detached: true },
    env: { ...process.env, ...env },
  });
  // Some tell all that they do: shown is only the last of one that does not start.
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (said = (said + text).slice(-LAST_WORDS)));
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.once('error', () => undefined);
  const stop = async () => {
    if (child.exitCode === null) child.kill('SIGTERM');
    await ended;
  };
  for (let second = 0; second < READY_SECONDS * 2; second += 1) {
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
