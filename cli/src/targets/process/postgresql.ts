import { execFileSync, spawn } from 'node:child_process';
import { once as onceEmitted } from 'node:events';
import { chownSync, closeSync, createReadStream, mkdirSync, openSync, readSync } from 'node:fs';
import { isUtf8 } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { setpriv, type Command } from '../../linux/own-user';
import { checkPlainFile } from '../../linux/plain-file';
import { Failure, messageOf, Mistake } from '../../ui/exit';
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

/** Copies a running server into a new folder, which follows it once a server runs on that. */
export function copiedCluster(
  binFolder: string,
  data: string,
  primary: { port: number; password: string },
  { hasUser = false, ...place }: PostgresqlPlace,
): ProcessSpec {
  mkdirSync(data, { mode: 0o700 });
  const owner = hasUser ? null : ownerWithoutUser();
  if (owner !== null) chownSync(data, owner.user, owner.group);
  return {
    ...place,
    role: 'postgresql',
    instance: 'pg_basebackup',
    command: asUser(hasUser)(
      `${binFolder}/pg_basebackup`,
      ...['-D', data, '-h', '127.0.0.1', '-p', String(primary.port), '-U', 'n8n'],
      ...['--write-recovery-conf', '--wal-method=stream', '--checkpoint=fast', '--no-sync'],
    ),
    env: { PGPASSWORD: primary.password },
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

/** On a machine whose cores are all busy, a server on loopback was not reached within two seconds. */
const CONNECTED_WITHIN_MS = 10_000;
/** A server that writes gigabytes takes its time to let somebody in. */
const PATIENCE_MS = 120_000;

export const patientQuery = (url: string, sql: string): Promise<Record<string, unknown>[]> =>
  query(url, sql, undefined, PATIENCE_MS);

export async function query(
  url: string,
  sql: string,
  withinMs?: number,
  connectedWithinMs = CONNECTED_WITHIN_MS,
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectedWithinMs,
    ...(withinMs === undefined ? {} : { statement_timeout: Math.ceil(withinMs) }),
  });
  client.on('error', () => undefined); // The server going away is told by the query.
  await client.connect().catch((error: unknown) => {
    throw new Failure(`PostgreSQL cannot be reached: ${messageOf(error)}`, { cause: error });
  });
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

const BACKUP = 'n8n_backup';
const CLOSED = 'n8n_before';

/** Another database of the same server, from where statements about n8n's are given. */
const besides = (url: string): string => url.replace(/\/n8n$/, '/postgres');

const END_OTHERS = (database: string): string =>
  `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`;

/** Nobody gets into it, and who was in it is out. */
async function close(url: string): Promise<void> {
  await patientQuery(besides(url), 'ALTER DATABASE n8n ALLOW_CONNECTIONS false');
  await patientQuery(besides(url), END_OTHERS('n8n'));
}

const ROUNDS = 50;

/** One that was just ended may still be on its way out. */
async function once(statement: () => Promise<unknown>): Promise<void> {
  for (let round = 1; ; round += 1) {
    try {
      await statement();
      return;
    } catch (error) {
      if (round === ROUNDS || (error as { code?: string }).code !== IN_USE) throw error;
      await sleep(100);
    }
  }
}

/** PostgreSQL's code for `database is being accessed by other users`. */
const IN_USE = '55006';

/** Copies n8n's database, which is closed meanwhile. */
export async function backUp(url: string): Promise<void> {
  const ask = (sql: string): Promise<unknown> => patientQuery(besides(url), sql);
  await ask(`DROP DATABASE IF EXISTS ${BACKUP}`);
  await close(url);
  try {
    await once(() => ask(`CREATE DATABASE ${BACKUP} TEMPLATE n8n`));
  } finally {
    await ask('ALTER DATABASE n8n ALLOW_CONNECTIONS true');
  }
}

/** Closes n8n's database; what is returned puts the copy in its place, and counts the executions that it lacks. */
export async function restore(url: string): Promise<() => Promise<{ without: number }>> {
  const ask = (sql: string): Promise<unknown> => patientQuery(besides(url), sql);
  await close(url);
  return async () => {
    await ask(`DROP DATABASE IF EXISTS ${CLOSED}`);
    await once(() => ask(`ALTER DATABASE n8n RENAME TO ${CLOSED}`));
    await ask(`ALTER DATABASE ${CLOSED} ALLOW_CONNECTIONS true`);
    const newestIn = `SELECT coalesce(max(id), 0)::int AS newest FROM execution_entity`;
    const [backup] = await patientQuery(url.replace(/\/n8n$/, `/${BACKUP}`), newestIn);
    const newest = Number(backup?.['newest']);
    const [row] = await patientQuery(
      url.replace(/\/n8n$/, `/${CLOSED}`),
      `SELECT count(*)::int AS without FROM execution_entity WHERE id > ${String(newest)}`,
    );
    await once(() => ask(`ALTER DATABASE ${BACKUP} RENAME TO n8n`));
    return { without: Number(row?.['without']) };
  };
}

export interface Dump {
  file: string;
  /** One that only pg_restore can read. */
  isArchive: boolean;
}

const PLAIN_SQL =
  /^(--|SET|SELECT|CREATE|COPY|INSERT|BEGIN|\\restrict)\b|PostgreSQL database dump/m;
const LOOKED_AT = 4096;

/** What pg_dump has written, in its custom format or as plain SQL. */
export function dumpIn(file: string): Dump {
  const refuse = (why: string): never => {
    throw new Mistake(`--database ${file} ${why}`);
  };
  try {
    checkPlainFile(file);
  } catch (error) {
    return refuse(`cannot be read: ${messageOf(error)}.`);
  }
  const descriptor = openSync(file, 'r');
  const bytes = Buffer.alloc(LOOKED_AT);
  const head = bytes.subarray(0, readSync(descriptor, bytes, 0, LOOKED_AT, 0));
  closeSync(descriptor);
  if (head.toString('latin1').startsWith('PGDMP')) {
    if (!isThere(PG_RESTORE)) {
      return refuse(
        'has the custom format of pg_dump, which requires pg_restore in PATH: install it, or use pg_dump --format=plain.',
      );
    }
    return { file, isArchive: true };
  }
  if (head[0] === 0x1f && head[1] === 0x8b) return refuse('is compressed: unpack it first.');
  // The last character may be cut in two.
  const isText =
    !head.includes(0) && [0, 1, 2, 3].some((cut) => isUtf8(head.subarray(0, -cut || undefined)));
  if (!isText || !PLAIN_SQL.test(head.toString())) {
    return refuse(
      'is not a database dump: use a file that pg_dump wrote with --format=custom or --format=plain.',
    );
  }
  return { file, isArchive: false };
}

const PG_RESTORE = 'pg_restore';

function isThere(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore', env: process.env });
    return true;
  } catch {
    return false;
  }
}

/** In place of n8n's database, which must have no connections. */
export async function restoreDump(url: string, dump: Dump): Promise<void> {
  await patientQuery(besides(url), 'DROP DATABASE n8n WITH (FORCE)');
  await patientQuery(besides(url), 'CREATE DATABASE n8n');
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined); // The statement tells it.
  await client.connect();
  try {
    await runDump(
      client,
      linesOf(dump.isArchive ? unpacked(dump.file) : createReadStream(dump.file)),
    );
  } catch (error) {
    throw new Failure(`${dump.file} could not be restored: ${messageOf(error)}`);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The SQL in an archive. */
async function* unpacked(file: string): AsyncGenerator<Buffer> {
  const program = spawn(PG_RESTORE, ['--no-owner', '--no-acl', '--file=-', file], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  program.stderr.on('data', (part: Buffer) => (said += part.toString()));
  const ended = onceEmitted(program, 'close') as Promise<[number | null]>;
  for await (const part of program.stdout) yield part as Buffer;
  const [code] = await ended;
  if (code !== 0) throw new Error(said.trim().split('\n').at(-1) ?? PG_RESTORE);
}

/** A row may have line ends of other kinds in it. */
async function* linesOf(input: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  let begun: Buffer[] = [];
  for await (const part of input) {
    const bytes = part as Buffer;
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...begun, bytes.subarray(from, end)]);
      begun = [];
      from = end + 1;
    }
    begun.push(bytes.subarray(from));
  }
  const rest = Buffer.concat(begun);
  if (rest.length > 0) yield rest;
}
const NEWLINE = 0x0a;

/** Those of psql, and what belongs to roles of another server. */
const LEFT_OUT =
  /^(\\|ALTER .* OWNER TO .*;$|(GRANT|REVOKE|ALTER DEFAULT PRIVILEGES|COMMENT ON EXTENSION) |CREATE SCHEMA public;)/;
const STATEMENTS_BYTES = 4 * 1024 * 1024;

/** What psql would do with a dump: PostgreSQL takes many statements at once, and rows after a COPY. */
async function runDump(client: pg.Client, lines: AsyncGenerator<Buffer>): Promise<void> {
  let statements: string[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    const sql = statements.join('\n');
    statements = [];
    bytes = 0;
    if (sql.trim() !== '') await client.query(sql);
  };
  for (let next = await lines.next(); next.done !== true; next = await lines.next()) {
    const line = next.value.toString();
    if (LEFT_OUT.test(line)) continue;
    if (/^COPY .* FROM stdin;$/i.test(line)) {
      await flush();
      await copyRows(client, line, lines);
    } else if (line.startsWith('CREATE EXTENSION')) {
      await flush();
      // n8n needs none that a server may lack; monitoring may.
      await client.query(line).catch(() => undefined);
    } else {
      statements.push(line);
      bytes += line.length;
      if (bytes > STATEMENTS_BYTES && /^INSERT INTO .*;$/.test(line)) await flush();
    }
  }
  await flush();
}

interface CopyConnection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(why: string): void;
  stream: NodeJS.WritableStream & { writableNeedDrain: boolean };
}

function copyRows(client: pg.Client, sql: string, lines: AsyncGenerator<Buffer>): Promise<void> {
  return new Promise((resolve, reject) => {
    const copying = new pg.Query(sql, undefined, (error: Error | null | undefined) => {
      if (error === null || error === undefined) resolve();
      else reject(error);
    }) as pg.Query & { handleCopyInResponse(connection: CopyConnection): void };
    copying.handleCopyInResponse = (connection) => {
      sendRows(connection, lines).then(
        () => {
          connection.endCopyFrom();
        },
        (error: unknown) => {
          connection.sendCopyFail(messageOf(error));
        },
      );
    };
    client.query(copying);
  });
}

async function sendRows(connection: CopyConnection, lines: AsyncGenerator<Buffer>): Promise<void> {
  for (let next = await lines.next(); next.done !== true; next = await lines.next()) {
    if (next.value.length === 2 && next.value.toString() === '\\.') return;
    connection.sendCopyFromChunk(Buffer.concat([next.value, Buffer.from([NEWLINE])]));
    if (connection.stream.writableNeedDrain) await onceEmitted(connection.stream, 'drain');
  }
  throw new Error('it ends within the rows of a table');
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
