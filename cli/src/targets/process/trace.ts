import { idsOf, shortError, type TracedExecution } from '../../analysis/traced-execution';
import {
  hasFailedNode,
  isRead,
  STALLED,
  storedIn,
  type Stored,
} from '../../analysis/n8n-execution';
import type { ExecutionTrace } from '../target';
import { isOfLegacy, type Database, type DatabaseRow } from './database';

/** Executions read at once; only a few words of each leave the database. */
const PAGE = 1000;
/** Number of requests to afford; see docs/read-a-report.md. */
const AFFORDABLE = 20_000;

/**
 * n8n keeps with each execution what its webhook was called with, headers included: from its start on,
 * and also where the result is not saved, until it deletes in passing (every 15 minutes). The id is cut
 * out within the database; the data itself stays there. `keptMs`: for so long n8n deletes none, by its settings.
 */
export async function traceFromNow(
  database: Database,
  version: string | null,
  keptMs: number,
): Promise<ExecutionTrace> {
  const isLegacy = await isOfLegacy(database, version);
  const newest = await newestId(database);
  const sinceMs = performance.now();
  const savesAll = keptMs > 0 && !(await someAreDropped(database));
  return {
    source: 'database',
    affordable: AFFORDABLE,
    read: async (runId, withinMs) => {
      const giveUpMs = performance.now() + withinMs;
      const givenOut = (await newestId(database)) - newest;
      const executions: TracedExecution[] = [];
      let after = newest;
      for (;;) {
        const rows = await database.query(
          pageSql(database.kind, { runId, after, isLegacy }),
          Math.max(1, giveUpMs - performance.now()),
        );
        const failed = rows.filter(({ status, stalled }) => status === 'error' && !stalled);
        const stored = await storedOf(database, isLegacy, failed, giveUpMs - withinMs / 2);
        executions.push(...rows.map((row) => tracedIn(row, stored.get(Number(row['id'])))));
        if (rows.length < PAGE) {
          const isWhole = savesAll && performance.now() - sinceMs < keptMs;
          return { executions, made: isWhole ? executions.length : givenOut };
        }
        after = Number(rows.at(-1)?.['id']);
      }
    },
  };
}

/**
 * The last id that was given out, also where its execution is deleted. PostgreSQL gives out an id for an INSERT that
 * it then rolls back, and passes over up to 32 when it has crashed: so an id without an execution proves a deleted
 * one only where n8n deletes.
 */
async function newestId(database: Database): Promise<number> {
  const [row] = await database.query(
    database.kind === 'sqlite'
      ? `SELECT seq AS newest FROM sqlite_sequence WHERE name = 'execution_entity'`
      : `SELECT pg_sequence_last_value(pg_get_serial_sequence('execution_entity', 'id')::regclass) AS newest`,
  );
  return Number(row?.['newest'] ?? 0);
}

/** Whether a workflow's own settings have executions deleted when they end. */
async function someAreDropped(database: Database): Promise<boolean> {
  const dropping = ['Success', 'Error']
    .map((outcome) => `CAST(settings AS TEXT) LIKE '%"saveData${outcome}Execution":"none"%'`)
    .join(' OR ');
  const [row] = await database.query(
    `SELECT count(*) AS dropping FROM workflow_entity WHERE ${dropping}`,
  );
  return Number(row?.['dropping'] ?? 0) > 0;
}

interface Page {
  runId: string;
  after: number;
  isLegacy: boolean;
}

function pageSql(kind: Database['kind'], { runId, after, isLegacy: legacy }: Page): string {
  const data = legacy ? 'e.data' : 'd.data';
  // In n8n's notation (flatted) every text stands once, in quotes. An error of the database may quote the data that it could
  // not store: there the quotes are escaped.
  const start = `"${runId}-`;
  const find = kind === 'sqlite' ? 'instr' : 'strpos';
  const at = `${find}(${data}, '${start}')`;
  const longest = start.length + 24;
  return `SELECT e.id AS id, e.mode AS mode, e.status AS status,
      ${endedAt(kind, legacy)} AS ended,
      ${legacy ? 'FALSE' : 'e."deletedAt" IS NOT NULL'} AS dropped, ${data} IS NULL AS elsewhere,
      CASE WHEN e.status = 'error' THEN ${find}(${data}, '"${STALLED}"') > 0 ELSE FALSE END AS stalled,
      CASE WHEN ${at} > 0 THEN substr(${data}, ${at} + 1, ${String(longest)}) END AS cut
    FROM execution_entity e ${legacy ? '' : 'LEFT JOIN execution_data d ON d."executionId" = e.id'}
    WHERE e.id > ${String(after)} ORDER BY e.id LIMIT ${String(PAGE)}`;
}

/** Executions whose data is read at once, and the longest that is. */
const FAILURES = 50;
const LONGEST_DATA = 2 ** 18;

/** With which errors these failed. What is too long, or would be read too late, is left out. */
async function storedOf(
  database: Database,
  isLegacy: boolean,
  rows: readonly DatabaseRow[],
  untilMs: number,
): Promise<Map<number, Stored>> {
  const found = new Map<number, Stored>();
  const [table, id] = isLegacy ? ['execution_entity', 'id'] : ['execution_data', '"executionId"'];
  for (let at = 0; at < rows.length && performance.now() < untilMs; at += FAILURES) {
    const ids = rows.slice(at, at + FAILURES).map((row) => String(Number(row['id'])));
    const sql = `SELECT ${id} AS id, data FROM ${table} WHERE ${id} IN (${ids.join()}) AND length(data) <= ${String(LONGEST_DATA)}`;
    // Without an answer nothing is known of their errors, and all else still is.
    const withData = await database.query(sql, untilMs - performance.now()).catch(() => []);
    for (const row of withData) {
      found.set(Number(row['id']), storedIn(unpacked(String(row['data']))));
    }
  }
  return found;
}

/** The error of a node's run lies this deep. What a node put out lies deeper, and may point back to what it lies in. */
const DEEPEST = 5;

/** From n8n's notation (flatted): a list, in which each text within an object or a list is the place of its value. */
function unpacked(text: string): unknown {
  const all = JSON.parse(text) as unknown[];
  const valueOf = (value: unknown, depth: number): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (depth > DEEPEST) return null;
    const inner = (one: unknown): unknown =>
      typeof one === 'string' ? valueOf(all[Number(one)], depth + 1) : one;
    return Array.isArray(value)
      ? value.map(inner)
      : Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inner(one)]));
  };
  return valueOf(all[0], 0);
}

/** Milliseconds since 1970. One whose result is not saved is dropped when it ends, without its end. */
function endedAt(kind: Database['kind'], legacy: boolean): string {
  const end = legacy ? 'e."stoppedAt"' : 'coalesce(e."stoppedAt", e."deletedAt")';
  return kind === 'sqlite'
    ? `(julianday(${end}) - 2440587.5) * 86400000.0`
    : `(extract(epoch FROM ${end}) * 1000)::float8`;
}

function tracedIn(row: DatabaseRow, stored?: Stored): TracedExecution {
  const { mode, status, dropped, elsewhere, cut, ended, stalled } = row;
  if (elsewhere) throw new Error('n8n does not keep their data in its database');
  const carried = typeof cut === 'string' ? (/^[^"\\]*/.exec(cut)?.[0] ?? null) : null;
  const ids = idsOf(String(mode), carried);
  return {
    ...ids,
    outcome: outcomeOf(String(status), Boolean(dropped)),
    // With the patch keep-stalled its data is still there, the id included.
    ...(status === 'crashed' || Boolean(stalled) ? { hasCrashed: true } : {}),
    ...(stored !== undefined && hasFailedNode(stored) ? { hasFailedNode: true } : {}),
    ...(stored !== undefined && isRead(stored) ? shortError(stored.error) : {}),
    ...(typeof ended === 'number' ? { endedAtMs: ended } : {}),
    ...(mode === 'webhook' && ids.loadId === null ? { isOverwritten: true } : {}),
  };
}

function outcomeOf(status: string, dropped: boolean): TracedExecution['outcome'] {
  if (status === 'success') return 'succeeded';
  if (!['new', 'running', 'waiting'].includes(status)) return 'failed';
  return dropped ? 'not kept' : 'unfinished';
}
