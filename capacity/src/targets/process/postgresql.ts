import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Failure, Mistake } from '../../ui/exit';
import type { ProcessSpec } from './supervisor';

/** PostgreSQL refuses to run as root: then it runs as the user that Debian's package makes for it. */
const unprivileged = 'postgres';

/** Makes a new cluster with the empty database `n8n`, owned by the user `n8n`. */
export function newCluster(
  binFolder: string,
  data: string,
  place: Pick<ProcessSpec, 'folder' | 'log'>,
): ProcessSpec {
  mkdirSync(data, { mode: 0o700 });
  own(data);
  // Loopback only, for minutes, and never with anything of worth: no password.
  const script = `"$1/initdb" -D "$2" -U n8n --auth=trust --encoding=UTF8 --locale=C --no-sync &&
    echo 'CREATE DATABASE n8n' | "$1/postgres" --single -D "$2" postgres`;
  return {
    ...place,
    role: 'postgresql',
    instance: 'initdb',
    command: asUser()('/bin/sh', '-c', script, 'sh', binFolder, data),
    env: {},
    limits: {},
    stopSignal: 'TERM',
    kind: 'task',
  };
}

export function postgresql(
  binFolder: string,
  data: string,
  port: number,
  place: Pick<ProcessSpec, 'folder' | 'log'>,
): ProcessSpec {
  const command = asUser()(
    `${binFolder}/postgres`,
    '-D',
    data,
    '-p',
    String(port),
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    'unix_socket_directories=',
  );
  return {
    ...place,
    role: 'postgresql',
    instance: 'postgresql',
    command,
    env: {},
    limits: {},
    stopSignal: 'INT',
    kind: 'service',
  };
}

export const postgresqlUrl = (port: number): string =>
  `postgresql://n8n@127.0.0.1:${String(port)}/n8n`;

export async function awaitPostgresql(url: string, isAlive: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 200 && isAlive(); attempt += 1) {
    try {
      await query(url, 'SELECT 1');
      return;
    } catch {
      await sleep(50);
    }
  }
  throw new Failure('PostgreSQL did not come up');
}

export async function query(
  url: string,
  sql: string,
  withinMs?: number,
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 2_000,
    ...(withinMs === undefined ? {} : { statement_timeout: withinMs }),
  });
  client.on('error', () => undefined); // The server going away is told by the query.
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

function asUser(): (...command: [string, ...string[]]) => [string, ...string[]] {
  if (process.getuid?.() !== 0) return (...command) => command;
  const found = ids();
  if (found === null) {
    throw new Mistake(
      `PostgreSQL does not run as root, and there is no user ${unprivileged}: install PostgreSQL from its package, or run as another user.`,
    );
  }
  return (...command) => [
    'setpriv',
    `--reuid=${String(found.uid)}`,
    `--regid=${String(found.gid)}`,
    '--clear-groups',
    '--',
    ...command,
  ];
}

function own(folder: string): void {
  const found = process.getuid?.() === 0 ? ids() : null;
  if (found !== null) chownSync(folder, found.uid, found.gid);
  chmodSync(folder, 0o700);
}

function ids(): { uid: number; gid: number } | null {
  try {
    const id = (flag: string): number =>
      Number(execFileSync('id', [flag, unprivileged], { stdio: 'pipe' }));
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return null;
  }
}
