import { PostgresqlReader, SqliteReader, type SqlReader } from './sql-reader';
import type { Sampler } from './sampler';
import { sampler } from './ticker';
import { statSync } from 'node:fs';

const MEBI = 1024 * 1024;

/** The files of n8n's SQLite: the database, and the log that is written before it. */
export function sqliteSampler(): Sampler {
  return sampler('sqlite', ({ sqlite }, sink) => {
    if (!sqlite) throw new Error('the target has no SQLite');
    return {
      tick: () => {
        sink.sample('sqlite', 'sqlite', 'dbSizeMiB', sizeMiB(sqlite.file));
        sink.sample('sqlite', 'sqlite', 'dbWalMiB', sizeMiB(`${sqlite.file}-wal`));
      },
    };
  });
}

/** 0 of a log that the last checkpoint has removed. */
const sizeMiB = (file: string): number =>
  (statSync(file, { throwIfNoEntry: false })?.size ?? 0) / MEBI;

/** Number of sizes of each table from which a trend is computed. */
const LOOKS = 120;
const MIN_EVERY_MS = 1_500;
/** SQLite reads all of its pages for this: looking may take one part in this many of the time. */
const COST_SHARE = 1 / 25;
/** Most of n8n's tables are smaller, and stay so. */
const MIN_MIB = 0.05;

/** Every table with its indexes, in bytes. */
const SIZES = {
  postgresql: `
    SELECT relname AS name, pg_total_relation_size(c.oid)::float8 AS bytes
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'r' AND n.nspname = current_schema()`,
  sqlite: `
    SELECT coalesce(s.tbl_name, d.name) AS name, sum(d.pgsize) AS bytes
    FROM dbstat AS d LEFT JOIN sqlite_schema AS s ON s.name = d.name
    WHERE d.aggregate = 1 GROUP BY 1`,
} as const;

/** The sizes of n8n's tables over a run of `seconds`, for what grows slowly. */
export function tablesSampler(seconds: number): Sampler {
  return sampler('tables', ({ sqlite, postgresql }, sink) => {
    if (!sqlite && postgresql === null) throw new Error('the target has no database');
    const role = postgresql === null ? 'sqlite' : 'postgresql';
    const reader: SqlReader = sqlite
      ? new SqliteReader(sqlite.reader, sqlite.file)
      : new PostgresqlReader(postgresql?.url ?? '');
    const everyMs = Math.max(MIN_EVERY_MS, (1000 * seconds) / LOOKS);
    let nextAtMs = 0;
    return {
      tick: async () => {
        const beganMs = performance.now();
        if (beganMs < nextAtMs) return;
        const rows = await reader.read(SIZES[role]);
        const tookMs = performance.now() - beganMs;
        nextAtMs = beganMs + Math.max(everyMs, tookMs / COST_SHARE);
        for (const { name, bytes } of rows) {
          const sizeMiB = Number(bytes) / MEBI;
          if (sizeMiB < MIN_MIB) continue;
          sink.sample(role, `${role}/${String(name)}`, 'tableSizeMiB', sizeMiB);
        }
      },
      close: () => reader.close(),
    };
  });
}
