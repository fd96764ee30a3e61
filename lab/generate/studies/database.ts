// What PostgreSQL costs n8n: its pool of connections in bursts, its sessions, and the statements of an execution.
import { link, ms, namesIn, number, perSecond, readJson, spread, tableOf } from '../records';
import type { StudyPage } from '../study-page';
import { distinct, grouped, sum } from '../sweeps';

const POOL = 'studies/database-pool/results';
type ByRole = Record<string, { max: number }>;
interface Cell {
  isControl: boolean;
  poolSize: number;
  concurrency: number;
  ratePerSecond: number;
  requests: number;
  expected: number;
  status503: number;
  errors: Record<string, number>;
  p95Ms: number | null;
  acquireMs: ByRole;
  waiting: ByRole;
  pingsFailed: number;
}
interface Condition {
  path: string;
  roundTripMs: number;
  pingTimeoutMs: number;
  cells: Cell[];
}

const errorsOf = ({ errors }: Cell): number => sum(Object.values(errors));

/** From which size on something was so in every cell, at any rate and concurrency. */
function fromWhichPool(cells: readonly Cell[]): string {
  const sizes = distinct(cells.map(({ poolSize }) => poolSize)).toSorted((a, b) => a - b);
  const where = (isSo: (cell: Cell) => boolean): string => {
    const min = sizes.find((size) =>
      // If n8n did not live, nothing was requested.
      cells.every((cell) => cell.poolSize < size || (cell.requests > 0 && isSo(cell))),
    );
    if (min === undefined) return 'not even with the largest pool';
    return min === sizes[0] ? 'with every pool' : `from a pool of ${number(min)} on`;
  };
  return `Pools of ${sizes.join(', ')} were tried. No status 503: ${where(({ status503 }) => status503 === 0)}. No error of any kind:
${where((cell) => errorsOf(cell) === 0)}. Every expected response within the measured time: ${where(({ requests, expected }) => expected >= requests)}.`;
}

/** The highest of all processes, and whose it is. */
function highest(cells: readonly ByRole[], unit: string): string {
  const all = cells.flatMap((roles) => Object.entries(roles));
  const [first] = all.toSorted(([, a], [, b]) => b.max - a.max);
  return first === undefined || first[1].max === 0
    ? '0'
    : `${number(first[1].max)}${unit} (${first[0]})`;
}

export function conditionText({ path, roundTripMs, pingTimeoutMs, cells }: Condition): string {
  const sorted = cells.toSorted(
    (a, b) =>
      a.ratePerSecond - b.ratePerSecond || a.concurrency - b.concurrency || a.poolSize - b.poolSize,
  );
  // Cells alike, such as the controls, are one row.
  const keyOf = (cell: Cell): string =>
    [cell.ratePerSecond, cell.concurrency, cell.poolSize].join(' ');
  const rows = [...grouped(sorted, keyOf).values()].flatMap((same) =>
    same[0] === undefined ? [] : [{ ...same[0], same }],
  );
  const total = ({ same }: (typeof rows)[number], figure: (cell: Cell) => number): number =>
    sum(same.map(figure));
  return `### ${number(roundTripMs)} ms away, DB_PING_TIMEOUT_MS ${String(pingTimeoutMs)}

${fromWhichPool(cells)}

${tableOf(rows, {
  'rate, in the burst': ({ ratePerSecond }) =>
    `${perSecond(ratePerSecond)}, ${perSecond(5 * ratePerSecond)}`,
  "worker's concurrency": ({ concurrency }) => concurrency,
  pool: ({ poolSize }) => poolSize,
  requests: (row) => total(row, ({ requests }) => requests),
  'expected responses': (row) => total(row, ({ expected }) => expected),
  'status 503': (row) => total(row, ({ status503 }) => status503),
  'all errors': (row) => total(row, errorsOf),
  p95: ({ same }) => {
    const known = same.flatMap(({ p95Ms }) => p95Ms ?? []);
    if (known.length === 0) return '';
    return `${known.length === 1 ? number(known[0]) : spread(known)} ms`;
  },
  'longest mean wait for a connection': ({ same }) =>
    highest(
      same.map(({ acquireMs }) => acquireMs),
      ' ms',
    ),
  'pings failed': (row) => total(row, ({ pingsFailed }) => pingsFailed),
})}

${link(path)}`;
}

const pool = (): string => `## Pool of database connections

Queue mode with one worker and one webhook processor, a PostgreSQL some milliseconds away, and a rate that is five times as
high for 10 s. While n8n's own ping waits for a connection for too long, main and webhook processors respond to every
request with status 503. Errors are those of the requests of the measured time, whenever they came; an expected response
counts if it came within that time.

${namesIn(POOL)
  .map((file) => ({ ...readJson<Condition>(`${POOL}/${file}`), path: `${POOL}/${file}` }))
  .toSorted((a, b) => a.roundTripMs - b.roundTripMs || a.pingTimeoutMs - b.pingTimeoutMs)
  .map(conditionText)
  .join('\n\n')}`;

export const databasePool: StudyPage = {
  study: 'database-pool',
  parts: [pool],
};

const SESSIONS = 'studies/sessions/results/record.json';
interface Round {
  queryMs: number;
  perSecond: number;
}
interface Sessions {
  n8n: string;
  rows: { delayMs: number; without: Round[]; with: Round[] }[];
}
function sessionsPart(): string {
  const { n8n, rows } = readJson<Sessions>(SESSIONS);
  type Row = (typeof rows)[number];
  const of = (row: Row, turn: 'without' | 'with', figure: 'queryMs' | 'perSecond'): string =>
    spread(row[turn].map((round) => round[figure]));
  return `## By the distance of the database

The TypeORM of n8n ${n8n} ran without and with the [patch](docs/chart/patches.md#session-once) \`session-once\`, behind a proxy that delays the
responses of the database. It sent \`SELECT 1\` one after the other, and from 16 callers over a pool of 4 connections. This study measures
n8n's way to the database alone, not n8n. Median of ${number(rows[0]?.with.length)} rounds in turns, and from the least to the most.

${tableOf(rows, {
  'later by': ({ delayMs }) => ms(delayMs),
  'a query': (row) => `${of(row, 'without', 'queryMs')} ms`,
  'a query, with the patch': (row) => `${of(row, 'with', 'queryMs')} ms`,
  '16 callers': (row) => `${of(row, 'without', 'perSecond')}/s`,
  '16 callers, with the patch': (row) => `${of(row, 'with', 'perSecond')}/s`,
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
  role: string;
  statement: string;
  callers: string[];
  perResponse: number;
}
interface Statements {
  mode: string;
  tuning: string;
  statements: Statement[];
}
const ROLES = { main: 'main', webhook: 'webhook processor', worker: 'worker' };

/** Those that another n8n could do without, with the reason; read in n8n 2.41.1. */
const SPARED: [why: string, is: (statement: Statement) => boolean][] = [
  [
    'the sizes are written apart from the row that was written just before',
    ({ statement }) => statement.startsWith('UPDATE execution_entity: jsonSizeBytes'),
  ],
  [
    'whether a workflow has ever fetched data is asked again in each execution',
    ({ statement }) => statement === 'SELECT FROM workflow_statistics',
  ],
  [
    'a transaction that reads the time of the start and then writes one row',
    ({ statement, callers }) =>
      /^(START TRANSACTION|COMMIT)$/.test(statement) &&
      callers[0]?.includes('.setRunning ') === true,
  ],
];

function statementsPart(): string {
  const records = ['queue-none', 'queue-default', 'regular-none', 'regular-default'].map(
    (name) => ({
      path: `${STATEMENTS}/${name}.json`,
      ...readJson<Statements>(`${STATEMENTS}/${name}.json`),
    }),
  );
  const perExecution = (some: readonly Statement[]): string =>
    number(sum(some.map(({ perResponse }) => perResponse)));
  const whole = readJson<Statements>(`${STATEMENTS}/queue-default.json`).statements;
  const rows = Object.entries(ROLES).flatMap(([role, title]) =>
    whole.filter((one) => one.role === role).map((one) => ({ title, ...one })),
  );
  return `## For an execution

One client calls the workload last-node; every statement is noted, with the function of n8n that asked for it. Statements that
timers send are not counted.

${tableOf(records, {
  mode: ({ mode }) => mode,
  tuning: ({ tuning }) => tuning,
  'for an execution': ({ statements }) => perExecution(statements),
  'of them SET': ({ statements }) =>
    perExecution(statements.filter(({ statement }) => statement.startsWith('SET '))),
  record: ({ path }) => link(path),
})}

### Those of queue mode with the chart's defaults

${tableOf(rows, {
  process: ({ title }) => title,
  statement: ({ statement }) => statement,
  'for an execution': ({ perResponse }) => number(perResponse),
  'asked for by': ({ callers }) => callers[0] ?? 'not known',
  'could be spared, since': (one) => SPARED.find(([, is]) => is(one))?.[0] ?? '',
})}`;
}

export const statements: StudyPage = {
  study: 'statements',
  parts: [statementsPart],
};
