// What a small pool of database connections costs in bursts: pools of 2 to 20 connections for each process, workers with
// 10 and 50 executions at once, small and large bursts, on a PostgreSQL some milliseconds away. Of each cell it keeps the
// replies of status 503, how long a connection was waited for, and how often n8n's own ping of the database failed.
//
//   make lab build && node studies/database-pool/measure.mjs             16 cells and 5 controls, about 31 minutes
//   node studies/database-pool/measure.mjs --round-trip 10               the same at 10 ms
//   node studies/database-pool/measure.mjs --round-trip 10 --short       of that the large bursts on 10 executions at once, 8 minutes
//   node studies/database-pool/measure.mjs --ping-timeout 20             with the chart's DB_PING_TIMEOUT_MS, not n8n's 5000
//
// Stopped, the same command goes on with the cell that it was in. Keeps a record by its condition after each call; --dry-run
// says what would be measured. The machine has to be quiet.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { commandOf } from '../command-of.mjs';
import { cellsOf } from './figures.mjs';
import { recordsOf } from '../archive.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const root = path('../..');

const { values: given } = parseArgs({
  options: {
    'round-trip': { type: 'string', default: '3' },
    'ping-timeout': { type: 'string', default: '5' },
    repeats: { type: 'string', default: '1' },
    short: { type: 'boolean', default: false },
    'dry-run': { type: 'boolean', default: false },
  },
});
const roundTripMs = amount('round-trip', 'milliseconds');
const pingTimeoutMs = 1000 * amount('ping-timeout', 'seconds');
const repeats = amount('repeats', 'times');
const rates = given.short ? [20] : [5, 20];

function amount(option, unit) {
  const value = Number(given[option]);
  if (given[option].trim() !== '' && Number.isInteger(value) && value >= 0) return value;
  console.error(`--${option} is '${given[option]}': give a whole number of ${unit}`);
  process.exit(2);
}

const condition = `${String(roundTripMs)}ms-ping-${given['ping-timeout']}s`;
const name = `database-pool-${condition}`;
const plan = {
  name,
  title: `Pool of database connections, PostgreSQL ${String(roundTripMs)} ms away`,
  // The middle fifth, 10 s, is at five times the rate: bursts of 25 and of 100 requests per second.
  measure: {
    ...{ profile: 'spike', duration: '50s', warmup: '5s', timeout: '120s', drain: '120s' },
    maxOpen: 5_000,
  },
  fixed: {
    ...{ workload: 'last-node', mode: 'queue', workers: 1, webhooks: 1 },
    'env.NODE_OPTIONS': `--require=${path('../patches/slow-database.cjs')}`,
    'env.DATABASE_ROUND_TRIP_MS': roundTripMs,
    'env.DB_PING_TIMEOUT_MS': pingTimeoutMs,
  },
  dimensions: {
    'env.DB_POSTGRESDB_POOL_SIZE': [2, 4, 10, 20],
    concurrency: given.short ? [10] : [10, 50],
    ratePerSecond: rates,
  },
  control: { 'env.DB_POSTGRESDB_POOL_SIZE': 4, concurrency: 10, ratePerSecond: rates[0] },
  controlEvery: 5,
  repeats,
};

mkdirSync(join(root, 'results'), { recursive: true });
const file = join(root, 'results', `${name}.yaml`);
writeFileSync(file, stringify(plan));
const { status, signal } = spawnSync(
  process.execPath,
  ['cli/dist/cli.js', 'sweep', '-f', file, ...(given['dry-run'] ? ['--dry-run'] : [])],
  { stdio: 'inherit', cwd: root },
);
if (!given['dry-run']) keep();
process.exitCode = status ?? (signal === null ? 0 : 1);

/** Whatever is measured by now. */
function keep() {
  const cells = cellsOf(join(root, 'results', name));
  if (cells.length === 0) return;
  const head = {
    ...{ when: new Date().toISOString(), command: commandOf(import.meta.filename) },
    ...{ machine: { cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length } },
    ...{ workload: 'last-node', profile: 'spike', roundTripMs, pingTimeoutMs },
  };
  recordsOf('database-pool').write(condition, { ...head, cells });
  console.table(
    cells.map(({ poolSize, concurrency, ratePerSecond, isControl, ...cell }) => ({
      ...{ pool: poolSize, concurrency, 'usual rate': ratePerSecond, control: isControl },
      ...{ requests: cell.requests, 503: cell.status503, p95Ms: Math.round(cell.p95Ms ?? NaN) },
      'longest mean wait for a connection, ms': Math.round(
        Math.max(...Object.values(cell.acquireMs).map(({ most }) => most)),
      ),
      'pings failed': cell.pingsFailed,
    })),
  );
}
