import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../../cli/src/lab/paths';
import { freePort } from '../../cli/src/targets/process/ports';
import { pause } from './wait';

/** A real S3 server, with one bucket, on a folder; it checks every signature. */
export interface S3Server {
  env: Record<string, string>;
  /** What lies in the bucket `runs` under this key. */
  content(key: string): string;
  bytes(key: string): Uint8Array;
  close(): Promise<void>;
}

export async function startS3Server(): Promise<S3Server> {
  const program = findProgram('versitygw');
  if (program === null) throw new Error('versitygw is not here: run lab/install.sh versitygw');
  const folder = mkdtempSync(join(tmpdir(), 's3-'));
  mkdirSync(join(folder, 'runs'));
  const port = await freePort();
  const env = {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${String(port)}`,
    AWS_ACCESS_KEY_ID: 'tester',
    AWS_SECRET_ACCESS_KEY: 'not a secret',
    AWS_REGION: 'us-east-1',
  };
  const server = spawn(
    program,
    [
      '--port',
      `127.0.0.1:${String(port)}`,
      '--access',
      env.AWS_ACCESS_KEY_ID,
      '--secret',
      env.AWS_SECRET_ACCESS_KEY,
      '--quiet',
      'posix',
      folder,
    ],
    { stdio: 'ignore' },
  );
  const ended = new Promise<void>((resolve) => {
    server.once('exit', () => {
      resolve();
    });
  });
  const close = async (): Promise<void> => {
    server.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  for (let tries = 0; !(await answers(env.AWS_ENDPOINT_URL)); tries += 1) {
    if (tries > 300 || server.exitCode !== null) {
      await close();
      throw new Error('the S3 server did not come up');
    }
    await pause(100, 'it is not up yet');
  }
  const fileOf = (key: string): string => join(folder, 'runs', key);
  return {
    env,
    content: (key) => readFileSync(fileOf(key), 'utf8'),
    bytes: (key) => readFileSync(fileOf(key)),
    close,
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    await fetch(url);
    return true;
  } catch {
    return false;
  }
}
