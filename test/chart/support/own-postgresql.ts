// A PostgreSQL of a test's own.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../../../cli/src/lab/paths';
import { freePort } from '../../../cli/src/targets/process/ports';
import {
  awaitPostgresql,
  newCluster,
  postgresql,
  postgresqlUrl,
} from '../../../cli/src/targets/process/postgresql';

const PASSWORD = 'of-the-test';

export interface OwnPostgresql {
  folder: string;
  port: number;
  /** The password of the user n8n. */
  password: string;
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
  const { command, env } = newCluster(bin, data, PASSWORD, place);
  await once(run(command, env), 'exit');
  const port = await freePort();
  const server = run([...postgresql(bin, data, port, place).command, ...options]);
  await awaitPostgresql(postgresqlUrl(port, PASSWORD), () => server.exitCode === null);
  return {
    ...{ folder, port, password: PASSWORD, stderr: server.stderr },
    end: async () => {
      if (server.exitCode === null && server.kill('SIGINT')) await once(server, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}

const run = ([program = '', ...args]: readonly string[], env: Record<string, string> = {}) =>
  spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...env } });
