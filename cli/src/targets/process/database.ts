import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ExecutionCounts } from '../../record/run-record';
import { isLegacy } from '../../plan/topology';
import { PLAIN, type Command } from '../../linux/own-user';
import { query } from './postgresql';

const run = promisify(execFile);

export type DatabaseRow = Record<string, unknown>;

/** n8n's database, whichever it is. */
export interface Database {
  kind: 'sqlite' | 'postgresql';
  /** Rejects when it takes longer than `withinMs`. */
  query(sql: string, withinMs?: number): Promise<DatabaseRow[]>;
}

/** Its address has another password after a rotation. */
export const postgresqlDatabase = (url: () => string): Database => ({
  kind: 'postgresql',
  query: (sql, withinMs) => query(url(), sql, withinMs),
});

/** The answer to a query may be this large. */
const MAX_BYTES = 2 ** 26;

/** `reader`: the Node.js that runs n8n, as the file's user; the command's own may be older than its SQLite. */
export const sqliteDatabase = ([program, ...args]: Command, file: string): Database => ({
  kind: 'sqlite',
  query: async (sql, withinMs) => {
    const { stdout } = await run(
      program,
      [...args, '--no-warnings', '-e', sqliteScript, file, sql],
      {
        ...PLAIN,
        maxBuffer: MAX_BYTES,
        ...(withinMs === undefined ? {} : { timeout: Math.ceil(withinMs), killSignal: 'SIGKILL' }),
      },
    );
    return JSON.parse(stdout) as DatabaseRow[];
  },
});

const sqliteScript = `
const { DatabaseSync } = require('node:sqlite');
const [file, sql] = process.argv.slice(1);
const database = new DatabaseSync(file, { timeout: 10000 });
process.stdout.write(JSON.stringify(database.prepare(sql).all()));
database.close();
`;

/**
 * n8n counts the end of every production execution in workflow_statistics, also of those it does not
 * save (EXECUTIONS_DATA_SAVE_ON_SUCCESS=none) and whichever process ran them: so that count is right
 * for every tuning, where saved executions and the metrics of one process are not. On PostgreSQL it
 * first collects in workflow_statistics_delta. What has not ended is always a row of execution_entity; one
 * that ended and is not saved stays there for an hour, still `running`, but with the date of its deletion.
 */
export async function countExecutions(
  database: Database,
  version: string | null,
): Promise<ExecutionCounts> {
  const delta = (await hasDelta(database))
    ? (name: string): string =>
        ` + (SELECT count(*) FROM workflow_statistics_delta WHERE name = '${name}')`
    : (): string => '';
  const ended = (name: string): string =>
    `(SELECT coalesce(sum(count), 0) FROM workflow_statistics WHERE name = '${name}')${delta(name)}`;
  const kept = (await isOfLegacy(database, version)) ? '' : ' AND "deletedAt" IS NULL';
  const [row] = await database.query(
    `SELECT ${ended('production_success')} AS succeeded, ${ended('production_error')} AS failed,
      (SELECT count(*) FROM execution_entity WHERE status IN ('new', 'running', 'waiting')${kept}) AS unfinished`,
  );
  const count = (name: string): number => Number(row?.[name] ?? 0);
  return {
    succeeded: count('succeeded'),
    failed: count('failed'),
    unfinished: count('unfinished'),
    source: 'database',
  };
}

/** Whether the tables are those of n8n below 1.0: by its version or, where that is unknown, by the tables that there are. */
export async function isOfLegacy(
  { kind, query: ask }: Database,
  version: string | null,
): Promise<boolean> {
  if (version !== null) return isLegacy(version);
  const [row] = await ask(
    kind === 'sqlite'
      ? `SELECT count(*) AS tables FROM sqlite_master WHERE name = 'execution_data'`
      : `SELECT count(to_regclass('execution_data')) AS tables`,
  );
  return Number(row?.['tables']) === 0;
}

async function hasDelta({ kind, query: ask }: Database): Promise<boolean> {
  if (kind === 'sqlite') return false;
  const [row] = await ask(`SELECT to_regclass('workflow_statistics_delta') IS NOT NULL AS there`);
  return row?.['there'] === true;
}
