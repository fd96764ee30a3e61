// The parts of what a reload costs (reload.mjs): what is reloaded and how, the load on it, and the ledger of its requests.
// Pure.

/** Modest, so that one process of two cores sustains it alone, and a request is open nearly half of the time. */
export const LOAD = {
  full: {
    ...{ n: 5_000_000, ratePerSecond: 150, warmupSeconds: 2, durationSeconds: 26 },
    ...{ reloadsAtSeconds: [2, 8, 14, 20], repeats: 3 },
  },
  quick: {
    ...{ n: 5_000_000, ratePerSecond: 150, warmupSeconds: 1, durationSeconds: 9 },
    ...{ reloadsAtSeconds: [1], repeats: 1 },
  },
};

const CLUSTER = { mode: 'cluster', processes: 2, asks: 'reload' };
/** PM2 has no way to reload one process without a gap: there `reload` is `restart`. */
const FORK = { mode: 'fork', processes: 1, asks: 'restart' };

/** `asks`: of PM2; null: it is left alone. `leaves`: what the server does when it is told to end (server.cjs). */
export const WAYS = [
  { name: 'cluster-alone', ...CLUSTER, asks: null, leaves: 'at once' },
  { name: 'cluster-at-once', ...CLUSTER, leaves: 'at once' },
  { name: 'cluster-close', ...CLUSTER, leaves: 'close' },
  { name: 'cluster-drain', ...CLUSTER, leaves: 'drain' },
  { name: 'fork-at-once', ...FORK, leaves: 'at once' },
  { name: 'fork-close', ...FORK, leaves: 'close' },
  { name: 'fork-drain', ...FORK, leaves: 'drain' },
];
/** Those that a quick run has time for. */
const QUICK = ['cluster-at-once', 'cluster-drain', 'fork-at-once', 'fork-drain'];

/** In turns, so that what changes on the machine falls on all of them. */
export const runsOf = (length) =>
  Array.from({ length: LOAD[length].repeats }, (_, index) => index + 1).flatMap((repeat) =>
    WAYS.filter(({ name }) => length === 'full' || QUICK.includes(name)).map((way) => ({
      ...way,
      repeat,
    })),
  );

const PORT = 18080;

/** The call of the command, from the root of the repository. */
export function commandOf(
  { processes, mode, leaves },
  { n, ratePerSecond, warmupSeconds, durationSeconds },
  out,
) {
  const instances = mode === 'cluster' ? ` -i ${processes}` : '';
  return [
    ...['run', '--target', 'server', '--url', `http://127.0.0.1:${PORT}`],
    ...['--command', `exec studies/pm2.sh studies/cluster-loop/server.cjs${instances}`],
    ...['--env', `PORT=${PORT}`, ...(leaves === 'at once' ? [] : ['--env', `LEAVES=${leaves}`])],
    // A GET that gets no response on an old connection is sent again by the HTTP client of k6, which tells nobody.
    ...['--request', `POST /${n}`],
    ...['--profile', 'load', '--rate', String(ratePerSecond)],
    ...['--warmup', `${warmupSeconds}s`, '--duration', `${durationSeconds}s`],
    // A request that is never answered is not waited for.
    ...['--drain', '5s', '--out', out, '--json'],
  ];
}

/** What a reload is still blamed for after PM2 has said that it is done. */
const AFTERWARDS_MS = 1000;

/**
 * Where each request of a run went, warm-up included. `table`: requests.csv; `reloads`: [{beganMs, endedMs}], by the clock
 * of the run. `away`: failures of requests that were not open during a reload.
 */
export function ledgerOf(table, reloads) {
  const [head, ...lines] = table.trim().split('\n');
  const names = head.split(',');
  const [at, lasts, ok, kind] = ['tMs', 'durationMs', 'ok', 'errorKind'].map((name) =>
    names.indexOf(name),
  );
  const ledger = { sent: lines.length, expected: 0, failures: {}, away: 0 };
  for (const cells of lines.map((line) => line.split(','))) {
    if (cells[ok] === 'true') {
      ledger.expected += 1;
      continue;
    }
    ledger.failures[cells[kind]] = (ledger.failures[cells[kind]] ?? 0) + 1;
    const [fromMs, toMs] = [Number(cells[at]), Number(cells[at]) + Number(cells[lasts])];
    const isNear = reloads.some(
      ({ beganMs, endedMs }) => toMs >= beganMs && fromMs <= endedMs + AFTERWARDS_MS,
    );
    if (!isNear) ledger.away += 1;
  }
  return ledger;
}
