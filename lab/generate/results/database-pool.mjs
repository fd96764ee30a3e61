// What a small pool of database connections costs in bursts.
import { readdirSync } from 'node:fs';
import { has, link, number, readJson, root, spread, table } from './records.mjs';

const FOLDER = 'studies/database-pool/results';

export function databasePool() {
  if (!has(FOLDER)) return '';
  const conditions = readdirSync(new URL(FOLDER, root))
    .filter((name) => name.endsWith('.json'))
    .map((name) => ({ path: `${FOLDER}/${name}`, ...readJson(`${FOLDER}/${name}`) }));
  if (conditions.length === 0) return '';
  const nearestFirst = conditions.toSorted(
    (a, b) => a.roundTripMs - b.roundTripMs || a.pingTimeoutMs - b.pingTimeoutMs,
  );
  return `## Pool of database connections

Queue mode with one worker and one webhook processor, a PostgreSQL some milliseconds away, and a rate that is five times as
high for 10 s. While n8n's own ping waits for a connection for too long, main and webhook processors respond to every
request with status 503.

${nearestFirst.map(partOf).join('\n\n')}`;
}

function partOf({ path, roundTripMs, pingTimeoutMs, cells }) {
  return `### ${number(roundTripMs)} ms away, DB_PING_TIMEOUT_MS ${String(pingTimeoutMs)}

${table(
  [
    ...['rate, in the burst', "worker's concurrency", 'pool', 'requests', 'status 503', 'p95'],
    ...['longest mean wait for a connection', 'most waiting', 'pings failed'],
  ],
  groupsOf(cells).map(rowOf),
)}

${link(path)}`;
}

/** Cells alike, such as the controls, are one row. */
function groupsOf(cells) {
  const groups = new Map();
  const sorted = cells.toSorted(
    (a, b) =>
      a.ratePerSecond - b.ratePerSecond || a.concurrency - b.concurrency || a.poolSize - b.poolSize,
  );
  for (const cell of sorted) {
    const key = [cell.ratePerSecond, cell.concurrency, cell.poolSize].join(' ');
    groups.set(key, [...(groups.get(key) ?? []), cell]);
  }
  return [...groups.values()];
}

function rowOf(cells) {
  const [{ ratePerSecond, concurrency, poolSize }] = cells;
  const sum = (figure) => cells.reduce((all, cell) => all + figure(cell), 0);
  const p95s = cells.map(({ p95Ms }) => p95Ms).filter((p95) => p95 !== null);
  return [
    `${number(ratePerSecond)}/s, ${number(5 * ratePerSecond)}/s`,
    ...[concurrency, poolSize],
    sum(({ requests }) => requests),
    sum(({ status503 }) => status503),
    p95s.length === 0 ? '' : `${p95s.length === 1 ? number(p95s[0]) : spread(p95s)} ms`,
    withRole(
      cells.map(({ acquireMs }) => acquireMs),
      ' ms',
    ),
    withRole(
      cells.map(({ waiting }) => waiting),
      '',
    ),
    sum(({ pingsFailed }) => pingsFailed),
  ];
}

/** The highest of all processes, and whose it is. */
function withRole(cells, unit) {
  const all = cells.flatMap((roles) => Object.entries(roles));
  const [role, { most }] = all.toSorted(([, a], [, b]) => b.most - a.most)[0] ?? ['', { most: 0 }];
  return most === 0 ? '0' : `${number(most)}${unit} (${role})`;
}
