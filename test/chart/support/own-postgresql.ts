// A PostgreSQL of a test's own, and programs that use it through n8n's TypeORM.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../../../capacity/src/lab/paths';
import { freePort } from '../../../capacity/src/targets/process/ports';
import {
  awaitPostgresql,
  newCluster,
  postgresql,
  postgresqlUrl,
} from '../../../capacity/src/targets/process/postgresql';
import { n8nFolder, node24 } from '../../nodes/support/lab';

export interface OwnPostgresql {
  folder: string;
  port: number;
  /** What it says, with `log_statement=all` every statement. */
  stderr: NonNullable<ChildProcess['stderr']>;
  end: () => Promise<void>;
}

export async function startOwnPostgresql(options: readonly string[] = []): Promise<OwnPostgresql> {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-postgresql-'));
  // Also the user that PostgreSQL runs as has to enter it.
  chmodSync(folder, 0o755);
  const bin = dirname(realpathSync(join(cacheFolder(), 'bin/postgres')));
  const place = { folder, log: join(folder, 'log') };
  const data = join(folder, 'data');
  await once(run(newCluster(bin, data, place).command), 'exit');
  const port = await freePort();
  const server = run([...postgresql(bin, data, port, place).command, ...options]);
  await awaitPostgresql(postgresqlUrl(port), () => server.exitCode === null);
  return {
    ...{ folder, port, stderr: server.stderr },
    end: async () => {
      if (server.exitCode === null && server.kill('SIGINT')) await once(server, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}

const run = ([program = '', ...args]: readonly string[]) =>
  spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });

/** Runs a program that is given n8n's package.json and reads what it does: what it wrote, and what it said. */
export async function withTypeorm<T>(
  program: string,
  scripts: readonly string[],
  given: object,
): Promise<{ wrote: T; said: string }> {
  const manifest = join(n8nFolder('2.41.1'), 'package.json');
  const required = scripts.flatMap((path) => ['--require', path]);
  // TypeORM's use of its driver is deprecated.
  const child = spawn(node24(), ['--no-deprecation', ...required, program, manifest]);
  let out = '';
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (out += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (said += part));
  child.stdin.end(JSON.stringify(given));
  await once(child, 'close');
  return { wrote: JSON.parse(out) as T, said };
}
