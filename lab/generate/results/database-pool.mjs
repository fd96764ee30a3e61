// What a small pool of database connections costs in bursts.
import { readdirSync } from 'node:fs';
import { has, link, number, readJson, root, table } from './records.mjs';

const FOLDER = 'studies/database-pool/results';

export function databasePool() {
  if (!has(FOLDER)) return '';
  const files = readdirSync(new URL(FOLDER, root)).filter((name) => name.endsWith('.json'));
  if (files.length === 0) return '';
  return `## Pool of database connections

Queue mode with one worker and one webhook processor, a PostgreSQL some milliseconds away, and a rate that is five times as
high for 10 s. While n8n's own ping waits for a connection for too long, main and webhook processors respond to every
request with status 503.

${files.toSorted().map(partOf).join('\n\n')}`;
}

function partOf(file) {
  const path = `${FOLDER}/${file}`;
  const { roundTripMs, pingTimeoutMs, cells } = readJson(path);
  const most = (figures) => Math.max(0, ...Object.values(figures).map((role) => role.most));
  const rows = cells
    .toSorted(
      (a, b) =>
        a.ratePerSecond - b.ratePerSecond ||
        a.concurrency - b.concurrency ||
        a.poolSize - b.poolSize,
    )
    .map((cell) => [
      `${number(cell.ratePerSecond)}/s, ${number(5 * cell.ratePerSecond)}/s`,
      cell.concurrency,
      cell.poolSize,
      cell.requests,
      cell.status503,
      cell.p95Ms === null ? '' : `${number(cell.p95Ms)} ms`,
      `${number(most(cell.acquireMs))} ms`,
      number(most(cell.waiting)),
      cell.pingsFailed,
    ]);
  return `### ${number(roundTripMs)} ms away, DB_PING_TIMEOUT_MS ${String(pingTimeoutMs)}

${table(['rate, in the burst', "worker's concurrency", 'pool', 'requests', 'status 503', 'p95', 'longest mean wait for a connection', 'most waiting', 'pings failed'], rows)}

${link(path)}`;
}
