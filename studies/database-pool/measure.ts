// What a small pool of database connections costs in bursts: pools of 2 to 20 connections for each process, workers with
// 10 and 50 executions at once, small and large bursts, on a PostgreSQL some milliseconds away. Of each cell it keeps the
// responses of status 503, how long a connection was waited for, and how often n8n's own ping of the database failed.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { NotMeasured, type Part, type Study } from '../../cli/src/features/study/study';
import { EXIT } from '../../cli/src/ui/exit';
import { cellsOf } from './figures';

interface Condition extends Part {
  roundTripMs: number;
  pingTimeoutMs: number;
  rates: number[];
  concurrency: number[];
}

/** At 10 ms only the large bursts on 10 executions at once; DB_PING_TIMEOUT_MS is n8n's own 5 s, and the chart's 20 s. */
const CONDITIONS: Condition[] = [
  {
    ...{ name: '3ms-ping-5s', seconds: 1860, roundTripMs: 3, pingTimeoutMs: 5_000 },
    ...{ rates: [5, 20], concurrency: [10, 50] },
  },
  {
    ...{ name: '10ms-ping-5s', seconds: 480, roundTripMs: 10, pingTimeoutMs: 5_000 },
    ...{ rates: [20], concurrency: [10] },
  },
  {
    ...{ name: '10ms-ping-20s', seconds: 480, roundTripMs: 10, pingTimeoutMs: 20_000 },
    ...{ rates: [20], concurrency: [10] },
  },
];

const POOL = 'env.DB_POSTGRESDB_POOL_SIZE';

function planOf({ name, roundTripMs, pingTimeoutMs, rates, concurrency }: Condition) {
  return {
    name,
    title: `Pool of database connections, PostgreSQL ${String(roundTripMs)} ms away`,
    // The middle fifth, 10 s, is at five times the rate: bursts of 25 and of 100 requests per second.
    measure: {
      ...{ profile: 'spike', duration: '50s', warmup: '5s', timeout: '120s', drain: '120s' },
      maxOpen: 5_000,
    },
    fixed: {
      ...{ workload: 'last-node', mode: 'queue', workers: 1, webhooks: 1 },
      'env.NODE_OPTIONS': `--require=${join(import.meta.dirname, '../patches/slow-database.cjs')}`,
      'env.DATABASE_ROUND_TRIP_MS': roundTripMs,
      'env.DB_PING_TIMEOUT_MS': pingTimeoutMs,
    },
    dimensions: { [POOL]: [2, 4, 10, 20], concurrency, ratePerSecond: rates },
    control: { [POOL]: 4, concurrency: 10, ratePerSecond: rates[0] },
    controlEvery: 5,
    // The path of a script.
    recorded: ['env.NODE_OPTIONS'],
    repeats: 1,
    quick: {
      ...{ duration: '5s', warmup: '1s' },
      dimensions: { [POOL]: [4], concurrency: [10], ratePerSecond: rates.slice(0, 1) },
    },
  };
}

export default {
  parts: CONDITIONS,
  async measured(part, { show, folder, isShort, signal }) {
    const file = join(folder, `${part.name}.yaml`);
    writeFileSync(file, stringify(planOf(part)));
    const code = await show([
      'sweep',
      '-f',
      file,
      ...(isShort ? ['--quick'] : []),
      '--out',
      folder,
    ]);
    if (signal.aborted) throw new NotMeasured('it was interrupted');
    const cells = cellsOf(join(folder, `${part.name}${isShort ? '-quick' : ''}`));
    // What it refused to go on with is another sweep.
    if (code === EXIT.mistake || cells.length === 0) {
      throw new NotMeasured(`the sweep ended with ${String(code)}`);
    }
    const { roundTripMs, pingTimeoutMs } = part;
    const clean = cells.filter(({ status503 }) => status503 === 0).length;
    return {
      record: { workload: 'last-node', profile: 'spike', roundTripMs, pingTimeoutMs, cells },
      sentence: `${String(clean)} of ${String(cells.length)} measurements without status 503`,
    };
  },
} satisfies Study<Condition>;
