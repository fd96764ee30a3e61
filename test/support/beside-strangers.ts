// The command in a namespace that is full of objects of others, by one Helm or the other.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { labPaths } from '../../cli/src/lab/paths';
import { FRONT_DOOR, inCluster, until, type Outcome } from './cluster';
import { CLI } from './cluster-command';

export interface Call {
  child: ChildProcess;
  ended: Promise<Outcome>;
  /** On standard error so far. */
  said(): string;
}

/** The command where this Helm is the only one. */
export class Beside {
  private readonly cache: string;

  constructor(
    private readonly out: string,
    version: 3 | 4,
  ) {
    this.cache = join(out, `cache-${String(version)}`);
    mkdirSync(join(this.cache, 'bin'), { recursive: true });
    const helm = version === 3 ? labPaths().helm3 : labPaths().helm4;
    symlinkSync(helm, join(this.cache, 'bin', `helm${String(version)}`));
  }

  run(...args: string[]): Call {
    const what = args.includes('--request') ? [] : ['--workload', 'last-node'];
    const command = ['run', '--target', 'kubernetes', ...what, '--out', this.out];
    return this.call(
      ...command,
      '--rate',
      '3',
      '--warmup',
      '1s',
      ...(args.includes('--ready') ? [] : ['--ready', '300s']),
      ...args,
    );
  }

  async clean(): Promise<string> {
    const { code, stdout, stderr } = await this.call('clean', '--target', 'kubernetes').ended;
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    return stdout;
  }

  /** The folders of results that hold requests: their runs have begun to load. */
  loads(): string[] {
    const folders = readdirSync(this.out, { withFileTypes: true }).filter((one) =>
      one.isDirectory(),
    );
    return folders
      .map(({ name }) => name)
      .filter((name) => readdirSync(join(this.out, name)).includes('requests.csv.gz'));
  }

  private call(...args: string[]): Call {
    const env = [`N8N_TUNED_CACHE=${this.cache}`, 'PATH=/usr/bin:/bin'];
    // The front door becomes the command itself, so a signal reaches it.
    const child = spawn(FRONT_DOOR, ['exec', 'env', ...env, process.execPath, CLI, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const ended = new Promise<Outcome>((resolve) =>
      child.once('close', (code) => {
        resolve({ code: code ?? -1, stdout, stderr });
      }),
    );
    return { child, ended, said: () => stderr };
  }
}

/** Until Helm has begun what it was asked for, and is not at its end. */
export const installing = (namespace: string): Promise<boolean> =>
  until('a release that is being installed', async () => {
    const { stdout } = await inCluster([
      ...['helm3', 'list', '--pending', '--short', '-n', namespace],
    ]);
    return stdout.trim() !== '';
  });
