// The parts of what a reload costs: what is reloaded and how, the load on it, and the ledger of its requests.
// Pure.
import type { Part } from '../../cli/src/features/study/study';

export interface Load {
  n: number;
  ratePerSecond: number;
  warmupSeconds: number;
  durationSeconds: number;
  reloadsAtSeconds: number[];
  repeats: number;
}

/** Modest, so that one process of two cores sustains it alone, and a request is open nearly half of the time. */
export const LOAD: Record<'full' | 'quick', Load> = {
  full: {
    ...{ n: 5_000_000, ratePerSecond: 150, warmupSeconds: 2, durationSeconds: 26 },
    ...{ reloadsAtSeconds: [2, 8, 14, 20], repeats: 3 },
  },
  quick: {
    ...{ n: 5_000_000, ratePerSecond: 150, warmupSeconds: 1, durationSeconds: 9 },
    ...{ reloadsAtSeconds: [1], repeats: 1 },
  },
};

export interface Way {
  name: string;
  mode: 'cluster' | 'fork';
  processes: number;
  /** What PM2 is asked to do; null: it is left alone. */
  asks: 'reload' | 'restart' | null;
  /** What the server does when it is told to end (server.cjs). */
  leaves: 'at once' | 'close' | 'drain';
}

const CLUSTER = { mode: 'cluster', processes: 2, asks: 'reload' } as const;
/** PM2 has no way to reload one process without a gap: there `reload` is `restart`. */
const FORK = { mode: 'fork', processes: 1, asks: 'restart' } as const;

export const WAYS: Way[] = [
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

export interface ReloadPart extends Way, Part {
  length: 'full' | 'quick';
  way: string;
  repeat: number;
}

/** In turns, so that what changes on the machine falls on all of them. */
export const runsOf = (length: 'full' | 'quick'): ReloadPart[] =>
  Array.from({ length: LOAD[length].repeats }, (_, index) => index + 1).flatMap((repeat) =>
    WAYS.filter(({ name }) => length === 'full' || QUICK.includes(name)).map((way) => ({
      ...{ ...way, way: way.name, length, name: `${way.name}-${String(repeat)}`, repeat },
      seconds: 6 + LOAD[length].warmupSeconds + LOAD[length].durationSeconds,
    })),
  );

const PORT = 18080;

/** The call of the command, from the root of the repository. */
export function commandOf(
  { processes, mode, leaves }: Way,
  { n, ratePerSecond, warmupSeconds, durationSeconds }: Load,
  out: string,
): string[] {
  const instances = mode === 'cluster' ? ` -i ${String(processes)}` : '';
  return [
    ...['run', '--target', 'server', '--url', `http://127.0.0.1:${String(PORT)}`],
    ...['--command', `exec studies/pm2.sh studies/cluster-loop/server.cjs${instances}`],
    ...[
      '--env',
      `PORT=${String(PORT)}`,
      ...(leaves === 'at once' ? [] : ['--env', `LEAVES=${leaves}`]),
    ],
    // A GET that gets no response on an old connection is sent again by the HTTP client of k6, which tells nobody.
    ...['--request', `POST /${String(n)}`],
    ...['--profile', 'load', '--rate', String(ratePerSecond)],
    ...['--warmup', `${String(warmupSeconds)}s`, '--duration', `${String(durationSeconds)}s`],
    // A request that is never answered is not waited for.
    ...['--drain', '5s', '--out', out],
  ];
}

/** What a reload is still blamed for after PM2 has said that it is done. */
const AFTERWARDS_MS = 1000;

export interface Reload {
  beganMs: number;
  endedMs: number;
}

export interface Ledger {
  sent: number;
  expected: number;
  failures: Record<string, number>;
  away: number;
}

/**
 * Tells where each request of a run went, warm-up included. `table`: requests.csv; `reloads`: [{beganMs, endedMs}], by the clock
 * of the run. `away`: failures of requests that were not open during a reload.
 */
export function ledgerOf(table: string, reloads: readonly Reload[]): Ledger {
  const [head = '', ...lines] = table.trim().split('\n');
  const names = head.split(',');
  const valueIn = (cells: string[], name: string): string => cells[names.indexOf(name)] ?? '';
  const ledger: Ledger = { sent: lines.length, expected: 0, failures: {}, away: 0 };
  for (const cells of lines.map((line) => line.split(','))) {
    if (valueIn(cells, 'ok') === 'true') {
      ledger.expected += 1;
      continue;
    }
    const kind = valueIn(cells, 'errorKind');
    ledger.failures[kind] = (ledger.failures[kind] ?? 0) + 1;
    const fromMs = Number(valueIn(cells, 'tMs'));
    const toMs = fromMs + Number(valueIn(cells, 'durationMs'));
    const isNear = reloads.some(
      ({ beganMs, endedMs }) => toMs >= beganMs && fromMs <= endedMs + AFTERWARDS_MS,
    );
    if (!isNear) ledger.away += 1;
  }
  return ledger;
}
