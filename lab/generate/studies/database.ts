// What PostgreSQL costs n8n: its pool of connections in bursts, its sessions, and the statements of an execution.
import { link, ms, namesIn, number, perSecond, readJson, spread, tableOf } from '../records';
import type { StudyPage } from '../study-page';
import { grouped, sum } from '../sweeps';

const POOL = 'studies/database-pool/results';
interface Cell {
  poolSize: number;
  ratePerSecond: number;
  requests: number;
  expected: number;
  status503: number;
  errors: Record<string, number>;
  p95Ms: number | null;
  acquireMs?: Record<string, { max: number }>;
}
interface Condition {
  path: string;
  roundTripMs: number;
  pingTimeoutMs: number;
  cells: Cell[];
}

const errorsOf = ({ errors }: Cell): number => sum(Object.values(errors));

/** A row for each size of the pool at the rate; cells alike, such as the controls and other concurrencies, are one row. */
export function poolTable(conditions: readonly Condition[]): string {
  const cells = conditions.flatMap(({ cells: own, ...condition }) =>
    own.map((cell) => ({ ...condition, ...cell })),
  );
  const max = Math.max(...cells.map(({ ratePerSecond }) => ratePerSecond));
  const keyOf = ({ path, ratePerSecond, poolSize }: (typeof cells)[number]): string =>
    [path, String(ratePerSecond).padStart(5), String(poolSize).padStart(5)].join(' ');
  const rows = [...grouped(cells, keyOf)]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .flatMap(([, same]) => (same[0] === undefined ? [] : [{ ...same[0], same }]))
    .filter(({ ratePerSecond }) => ratePerSecond === max);
  const total = ({ same }: (typeof rows)[number], figure: (cell: Cell) => number): number =>
    sum(same.map(figure));
  return tableOf(rows, {
    'PostgreSQL away': ({ roundTripMs }) => ms(roundTripMs),
    DB_PING_TIMEOUT_MS: ({ pingTimeoutMs }) => pingTimeoutMs,
    pool: ({ poolSize }) => poolSize,
    requests: (row) => total(row, ({ requests }) => requests),
    'expected responses': (row) => total(row, ({ expected }) => expected),
    'status 503': (row) => total(row, ({ status503 }) => status503),
    'all errors': (row) => total(row, errorsOf),
    'longest mean wait for a connection': ({ same }) =>
      ms(
        Math.max(
          0,
          ...same.flatMap(({ acquireMs }) => Object.values(acquireMs ?? {}).map(({ max }) => max)),
        ),
      ),
    'p95, at most': ({ same }) => {
      const known = same.flatMap(({ p95Ms }) => p95Ms ?? []);
      return known.length === 0 ? null : ms(Math.max(...known));
    },
  });
}

const pool = (): string => `## Pool of database connections

Queue mode with one worker of 10 or 50 executions at once and one webhook processor, and ${perSecond(busiest())}, five times as much for 10 s; lower rates are in the records. While n8n's own ping waits for a connection for too long, main and webhook processors respond to every
request with status 503. An expected response counts if it came within the measured time.

${poolTable(conditions())}

Records: ${conditions()
  .map(({ path }) => link(path))
  .join(', ')}`;

const busiest = (): number =>
  Math.max(...conditions().flatMap(({ cells }) => cells.map((cell) => cell.ratePerSecond)));

const conditions = (): Condition[] =>
  namesIn(POOL)
    .map((file) => ({ ...readJson<Condition>(`${POOL}/${file}`), path: `${POOL}/${file}` }))
    .toSorted((a, b) => a.path.localeCompare(b.path));

export const databasePool: StudyPage = {
  study: 'database-pool',
  parts: [pool],
};

const SESSIONS = 'studies/sessions/results/record.json';
interface Sessions {
  n8n: string;
  rows: ({ delayMs: number } & Record<'without' | 'with', { perSecond: number }[]>)[];
}
function sessionsPart(): string {
  const { n8n, rows } = readJson<Sessions>(SESSIONS);
  type Row = (typeof rows)[number];
  const rates = (row: Row, turn: 'without' | 'with'): number[] =>
    row[turn].map((round) => round.perSecond);
  return `## By the distance of the database

The TypeORM of n8n ${n8n} ran alone, without and with the [patch](docs/chart/patches.md#session-once) \`session-once\`, behind a proxy that delays the
responses of the database. It sent \`SELECT 1\` from 16 callers over a pool of 4 connections. Median of ${number(rows[0]?.with.length)} rounds in turns, and from the least to the most.

${tableOf(rows, {
  'later by': ({ delayMs }) => ms(delayMs),
  '16 callers': (row) => `${spread(rates(row, 'without'))}/s`,
  '16 callers, with the patch': (row) => `${spread(rates(row, 'with'))}/s`,
  ratio: (row) =>
    `${spread(row.with.map((round, at) => round.perSecond / (row.without[at]?.perSecond ?? NaN)))}x`,
})}

${link(SESSIONS)}`;
}

export const sessions: StudyPage = {
  study: 'sessions',
  parts: [sessionsPart],
};

const STATEMENTS = 'studies/statements/results';
interface Statement {
  statement: string;
  perResponse: number;
}
interface Statements {
  mode: string;
  tuning: string;
  statements: Statement[];
}
function statementsPart(): string {
  const records = ['queue-none', 'queue-default', 'regular-none', 'regular-default'].map(
    (name) => ({
      path: `${STATEMENTS}/${name}.json`,
      ...readJson<Statements>(`${STATEMENTS}/${name}.json`),
    }),
  );
  const perExecution = (some: readonly Statement[]): string =>
    number(sum(some.map(({ perResponse }) => perResponse)));
  return `## For an execution

One client calls the workload last-node; statements that timers send are not counted. The records list every statement, with the function of n8n that asked for it.

${tableOf(records, {
  mode: ({ mode }) => mode,
  tuning: ({ tuning }) => tuning,
  'for an execution': ({ statements }) => perExecution(statements),
  'of them SET': ({ statements }) =>
    perExecution(statements.filter(({ statement }) => statement.startsWith('SET '))),
  record: ({ path }) => link(path),
})}`;
}

export const statements: StudyPage = {
  study: 'statements',
  parts: [statementsPart],
};
