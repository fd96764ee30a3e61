/** What drills do to the connections to PostgreSQL; they are taken in a pod too, with the client that n8n has. */
import type { FailedOver } from '../target';
import { Failure } from '../../ui/errors';

/** How ours are told from those of others. */
const NAME = 'n8n-tuned-drill';
/** n8n connects again as soon as it is cut off, so that a few of its new connections may come before ours. */
const ROUNDS = 50;
const AT_ONCE = 10;

/** The parts of a client of the package pg that we use. */
export interface PostgresClient {
  connect(): Promise<unknown>;
  query(
    text: string,
    values?: string[],
  ): Promise<{ rows: Record<string, string>[]; rowCount: number | null }>;
  end(): Promise<void>;
  on(event: 'error', listener: () => void): unknown;
}

/** Ends every connection to PostgreSQL but ours, and takes all that it allows. `clientOf` gives one of that name. */
export async function useUpConnections(
  clientOf: (name: string) => PostgresClient,
): Promise<{ taken: number; giveBack: () => Promise<void> }> {
  const taken: PostgresClient[] = [];
  const giveBack = async (): Promise<void> => {
    await Promise.allSettled(taken.map((client) => client.end()));
  };
  /** Null: PostgreSQL has none left. */
  const take = async (): Promise<PostgresClient | null> => {
    const client = clientOf(NAME);
    client.on('error', () => undefined); // It is gone then, and counts for nothing.
    try {
      await client.connect();
    } catch (error) {
      if ((error as { code?: string }).code === TOO_MANY) return null;
      throw error;
    }
    taken.push(client);
    return client;
  };
  try {
    const first = await take();
    const [shown] = (await first?.query('SHOW max_connections'))?.rows ?? [];
    const allowed = Number(shown?.['max_connections']);
    for (let round = 0; first !== null && round < ROUNDS; round += 1) {
      const ended = await first.query(END_OTHERS, [NAME]);
      // Another one may be on its way in, and seen by nobody yet.
      const isAll = taken.length === allowed && ended.rowCount === 0;
      if (isAll) return { taken: taken.length, giveBack };
      let isFull = false;
      while (!isFull) {
        const got = await Promise.all(Array.from({ length: AT_ONCE }, take));
        isFull = got.includes(null);
      }
    }
  } catch (error) {
    await giveBack();
    throw error;
  }
  await giveBack();
  throw new Failure(
    'the drill could not take all PostgreSQL connections, because other clients always took them first',
  );
}

/** PostgreSQL's code for `sorry, too many clients already`. */
const TOO_MANY = '53300';

/**
 * A standby has no session of its primary, and refuses to write with the same code (25006) as a server whose
 * transactions only read. Each is a statement of a superuser.
 */
export const STAND_BY = [
  'ALTER SYSTEM SET default_transaction_read_only = on',
  'SELECT pg_reload_conf()',
  `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
];
/** Those who are connected may write from then on. */
export const PROMOTE = [
  'ALTER SYSTEM RESET default_transaction_read_only',
  'SELECT pg_reload_conf()',
];

export async function failOver(clientOf: () => PostgresClient): Promise<FailedOver> {
  /** Returns how many rows the last one had. */
  const ask = async (statements: readonly string[]): Promise<number> => {
    const client = clientOf();
    client.on('error', () => undefined); // The query below tells it.
    let rows = 0;
    try {
      await client.connect();
      for (const statement of statements) rows = (await client.query(statement)).rowCount ?? 0;
    } finally {
      await client.end();
    }
    return rows;
  };
  return { ended: await ask(STAND_BY), promote: async () => void (await ask(PROMOTE)) };
}

/** What waits for a lock now; a backend of ours has one. */
const WAITING = `SELECT count(*)::int AS waiting FROM pg_stat_activity
  WHERE wait_event_type = 'Lock' AND application_name <> $1`;

/**
 * Locks the table of executions: a statement that needs the table waits and keeps its connection, until a pool has none left,
 * not even for a ping of the database. `clientOf` gives a client of that name.
 */
export async function lockExecutions(clientOf: (name: string) => PostgresClient): Promise<{
  waiting: () => Promise<number>;
  unlock: () => Promise<void>;
}> {
  const [holder, watcher] = [clientOf(NAME), clientOf(NAME)];
  for (const client of [holder, watcher]) client.on('error', () => undefined); // The query tells it.
  const end = async (): Promise<void> => {
    await Promise.allSettled([holder, watcher].map((client) => client.end()));
  };
  try {
    await Promise.all([holder.connect(), watcher.connect()]);
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE execution_entity IN ACCESS EXCLUSIVE MODE');
  } catch (error) {
    await end();
    throw error;
  }
  return {
    waiting: async () => Number((await watcher.query(WAITING, [NAME])).rows[0]?.['waiting'] ?? 0),
    // The server ends the transaction with its connection.
    unlock: end,
  };
}

const END_OTHERS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND application_name <> $1`;
