// How much work per request makes several processes worthwhile: the loop of n counts, by who starts the processes, in n8n,
// and what a reload by PM2 costs under load.
import { link, median, ms, number, perSecond, readJson, tableOf, times } from '../records';
import type { Answer, StudyPage } from '../study-page';
import {
  cellsOf,
  distinct,
  grouped,
  isQuiet,
  otherCores,
  publishedOf,
  rateOf,
  sum,
  sweepLink,
  sweepOf,
  type MeasuredCell,
} from '../sweeps';

const NAME = 'cluster-loop';
const SWEEP = sweepOf(NAME, NAME);
const IN_N8N = sweepOf(NAME, 'cpu-loop');
const ONE = 'one process';
const CLUSTER = 'cluster module, 2';
const WAYS: [string, RegExp][] = [
  [ONE, /^exec node/],
  [CLUSTER, /^WORKERS=2/],
  ['PM2 fork', /pm2\.sh \S+$/],
  ['PM2 cluster, 2', /-i 2$/],
];

interface Row {
  n: number;
  way: string;
  rate: number;
  cpuMs: number;
  others: number;
}
function rowsOf(
  cells: readonly MeasuredCell[],
  nOf: (cell: MeasuredCell) => number,
  wayOf: (cell: MeasuredCell) => string,
  middle = lowerMedian,
): Row[] {
  const groups = grouped(cells, (cell) => `${String(nOf(cell))} ${wayOf(cell)}`);
  return [...groups.values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const of = (figure: (cell: MeasuredCell) => number | null): number =>
      middle(same.map((one) => figure(one) ?? NaN));
    return [
      {
        ...{ n: nOf(first), way: wayOf(first), rate: of(rateOf) },
        cpuMs: of(({ figures }) => figures.cpuMillisecondsPerRequest),
        others: Math.max(...same.map(({ record }) => otherCores(record))),
      },
    ];
  });
}
const lowerMedian = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? NaN;
const inOrder = (rows: readonly Row[], ways: readonly string[]): Row[] =>
  rows.toSorted((a, b) => a.n - b.n || ways.indexOf(a.way) - ways.indexOf(b.way));

const bare = (): Row[] =>
  inOrder(
    rowsOf(
      cellsOf(SWEEP),
      ({ cell }) => Number(/\d+$/.exec(String(cell['request']))?.[0]),
      ({ cell }) => WAYS.find(([, way]) => way.test(String(cell['command'])))?.[0] ?? '',
    ),
    WAYS.map(([way]) => way),
  );

const singleOf = (all: readonly Row[], { n }: Row): Row | undefined =>
  all.find((row) => row.n === n && row.way === ONE);
const publishedFor = (n: number): number | undefined =>
  publishedOf(NAME).find(({ id }) => id === `n-${String(n)}`)?.value;
/** Times as much as one process; null where other work used much of the machine. */
function gainOf(all: readonly Row[], row: Row): number | null {
  const single = singleOf(all, row);
  return single !== undefined && isQuiet(row) && isQuiet(single) ? row.rate / single.rate : null;
}

function answer(): Answer {
  const all = bare();
  const max = all.filter(({ way }) => way === CLUSTER).at(-1);
  if (max === undefined) throw new Error(`${NAME} has no run of the cluster module`);
  const ours = gainOf(all, max);
  const theirs = publishedFor(max.n) ?? NaN;
  const costs = `a loop of n = ${number(max.n)} takes ${ms(max.cpuMs)} of CPU`;
  const lost = (leaves: string): string => {
    const way = ways().find((one) => one.asks === 'reload' && one.leaves === leaves);
    return `${number(way?.lost)} of ${number(way?.sent)}`;
  };
  const reloads = `While PM2 reloads a server that ends at once, ${lost('at once')} requests are lost; of one that first sends its clients away, ${lost('drain')}.`;
  return ours === null
    ? {
        sentence: `Not answered yet: other work used ${number(Math.max(max.others, singleOf(all, max)?.others ?? 0))} cores during the only record. As far as it tells, ${costs}. ${reloads}`,
        published: times(theirs),
      }
    : {
        sentence: `At n = ${number(max.n)} two processes of the cluster module do ${number(ours)} times as much as one; ${costs}. ${reloads}`,
        ...{ published: times(theirs), ours: times(ours), ratio: number(ours / theirs) },
      };
}

/** A row for each n, a column for each way: the rate of one process, and how many times as much the others do. */
function byWay(all: readonly Row[], names: readonly string[], isQuietOnly: boolean): string {
  const counts = distinct(all.map(({ n }) => n));
  const rowAt = (n: number, way: string): Row | undefined =>
    all.find((row) => row.n === n && row.way === way);
  const ratioAt = (n: number, way: string): string => {
    const [row, single] = [rowAt(n, way), rowAt(n, ONE)];
    if (row === undefined || single === undefined) return '-';
    const ratio = isQuietOnly ? gainOf(all, row) : row.rate / single.rate;
    return times(ratio);
  };
  return tableOf(counts, {
    n: (n) => number(n),
    [ONE]: (n) => perSecond(rowAt(n, ONE)?.rate),
    ...Object.fromEntries(
      names.filter((way) => way !== ONE).map((way) => [way, (n: number) => ratioAt(n, way)]),
    ),
    ...(isQuietOnly ? { published: (n: number) => times(publishedFor(n)) } : {}),
    'CPU per request': (n) => {
      const cpu = all.filter((row) => row.n === n).map(({ cpuMs }) => cpuMs);
      return `${number(Math.min(...cpu))} to ${ms(Math.max(...cpu))}`;
    },
  });
}

const loops = (): string => `## A loop of n counts in each request

100 clients ask a bare server for a loop of n counts. Others than one process count as times its rate, unless other work used half a core or more.

${byWay(
  bare(),
  WAYS.map(([way]) => way),
  true,
)}

**Why it differs from what was published.** Two cores carry the server and the load generator here: two processes have at most the cores that the generator leaves. The published machine is not known.

${sweepLink(SWEEP)}`;

const N8N_WAYS = [ONE, 'one worker', 'two workers'];

function inN8n(): string {
  const all = inOrder(
    rowsOf(
      cellsOf(IN_N8N),
      ({ cell }) => Number(cell['param.n']),
      ({ cell }) =>
        cell['mode'] === 'regular' ? ONE : cell['instances'] === 1 ? 'one worker' : 'two workers',
      median,
    ),
    N8N_WAYS,
  );
  return `## The same loop in n8n

The workload cpu runs the loop in a Code node: in one process, or in queue mode with workers; its requests come through main.

${byWay(all, N8N_WAYS, false)}

${sweepLink(IN_N8N)}`;
}

const RELOAD = 'studies/cluster-loop/results/reload/reload.json';
interface Reload {
  load: { n: number; ratePerSecond: number };
  runs: ReloadRun[];
}
interface ReloadRun {
  name: string;
  mode: string;
  processes: number;
  asks: string | null;
  leaves: string;
  reloads: unknown[];
  sent: number;
  expected: number;
  failures: Record<string, number>;
  isValid: boolean;
}
const ENDS: Record<string, string> = {
  'at once': 'ends at once',
  close: 'ends when its open requests are done',
  drain: 'first sends its clients away',
};
const KINDS: Record<string, string> = {
  unanswered: 'no response',
  'reset on idle connection': 'reset on an old connection',
};

function ways() {
  const runs = readJson<Reload>(RELOAD).runs.filter(({ isValid }) => isValid);
  return [...grouped(runs, ({ name }) => name).values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    return [
      {
        ...first,
        runs: same,
        times: sum(same.map(({ reloads }) => reloads.length)),
        sent: sum(same.map(({ sent }) => sent)),
        lost: sum(same.map(({ sent, expected }) => sent - expected)),
      },
    ];
  });
}

function howLost(runs: readonly ReloadRun[]): string {
  const kinds = distinct(runs.flatMap(({ failures }) => Object.keys(failures))).toSorted();
  return (
    kinds
      .map(
        (kind) =>
          `${KINDS[kind] ?? kind} ${number(sum(runs.map((run) => run.failures[kind] ?? 0)))}`,
      )
      .join(', ') || '-'
  );
}

function reloads(): string {
  const { load } = readJson<Reload>(RELOAD);
  return `## PM2 replaces the processes under load

A bare server under PM2 is asked for a loop of n = ${number(load.n)} counts, ${number(load.ratePerSecond)} times per second. Meanwhile PM2 replaces its processes: in cluster mode by
\`pm2 reload\`, in fork mode, which cannot reload, by \`pm2 restart\`. It sends SIGINT. The server does not handle that signal; or ends when its open requests have had their responses; or before that,
for a second, responds with \`Connection: close\`.

${tableOf(ways(), {
  PM2: ({ mode, processes }) => `${mode}, ${number(processes)}`,
  'the server': ({ leaves }) => ENDS[leaves] ?? leaves,
  times: (way) => way.times,
  'lost, of all': ({ lost, sent }) => `${number(lost)} of ${number(sent)}`,
  how: ({ runs }) => howLost(runs),
})}

${link(RELOAD)}`;
}

export const clusterLoop: StudyPage = {
  study: NAME,
  answer,
  parts: [loops, inN8n, reloads],
};
