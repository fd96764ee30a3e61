import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { setpriv, type Command } from '../../linux/own-user';
import { Failure, Mistake } from '../../ui/exit';
import { isRoot } from './run-user';
import type { ProcessSpec } from './supervisor';

/** PostgreSQL refuses to run as root: then it runs as the user that Debian's package makes for it. */
const UNPRIVILEGED = 'postgres';

/** `hasUser`: it is run as a user of its own. */
export type PostgresqlPlace = Pick<ProcessSpec, 'folder' | 'log'> & { hasUser?: boolean };

/** Makes a new cluster with the empty database `n8n`, owned by the user `n8n`, who has this password. */
export function newCluster(
  binFolder: string,
  data: string,
  password: string,
  { hasUser = false, ...place }: PostgresqlPlace,
): ProcessSpec {
  mkdirSync(data, { mode: 0o700 });
  const owner = hasUser ? null : ownerWithoutUser();
  if (owner !== null) chownSync(data, owner.user, owner.group);
  // The password comes by the environment, which only its user can read, and goes through a pipe.
  const script = `printf '%s\\n' "$PASSWORD" |
    "$1/initdb" -D "$2" -U n8n --auth=scram-sha-256 --pwfile=/dev/stdin --encoding=UTF8 --locale=C --no-sync &&
    echo 'CREATE DATABASE n8n' | "$1/postgres" --single -D "$2" postgres`;
  return {
    ...place,
    role: 'postgresql',
    instance: 'initdb',
    command: asUser(hasUser)('/bin/sh', '-c', script, 'sh', binFolder, data),
    env: { PASSWORD: password },
    limits: {},
    stopSignal: 'TERM',
    kind: 'task',
  };
}

export function postgresql(
  binFolder: string,
  data: string,
  port: number,
  { hasUser = false, ...place }: PostgresqlPlace,
): ProcessSpec {
  const command = asUser(hasUser)(
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

export const postgresqlUrl = (port: number, password: string): string =>
  `postgresql://n8n:${password}@127.0.0.1:${String(port)}/n8n`;

export const changePassword = (url: string, password: string): Promise<unknown> =>
  query(url, `ALTER ROLE n8n PASSWORD '${password}'`);

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
    ...(withinMs === undefined ? {} : { statement_timeout: Math.ceil(withinMs) }),
  });
  client.on('error', () => undefined); // The server going away is told by the query.
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

function asUser(hasUser: boolean): (...command: Command) => Command {
  const owner = hasUser ? null : ownerWithoutUser();
  if (owner === null) return (...command) => command;
  return (...command) => [...setpriv(owner.user, owner.group), ...command];
}

/** The user of a PostgreSQL that has none of its own; null: the user who runs the command. */
export function ownerWithoutUser(): { user: number; group: number } | null {
  if (!isRoot()) return null;
  try {
    const id = (flag: string): number =>
      Number(execFileSync('id', [flag, UNPRIVILEGED], { stdio: 'pipe' }));
    return { user: id('-u'), group: id('-g') };
  } catch {
    throw new Mistake(
      `PostgreSQL does not run as root, and there is no user ${UNPRIVILEGED}: install PostgreSQL from its package, or run as another user.`,
    );
  }
}
