// How much work per request makes several processes worthwhile: the loop of n counts, by who starts the processes, in n8n,
// and what a reload by PM2 costs under load.
import type { Ledger, Load, Way } from '../../../studies/cluster-loop/reload-parts';
import {
  columns,
  link,
  lowerMedian,
  median,
  ms,
  number,
  outOf,
  perSecond,
  readJson,
  tableOf,
  times,
} from '../records';
import type { Answer, StudyPage } from '../study-page';
import {
  cellsOf,
  distinct,
  disturbance,
  grouped,
  publishedOf,
  rateOf,
  sum,
  sweepLink,
  sweepOf,
  worstOthers,
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
      },
    ];
  });
}
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

const publishedFor = (n: number): number | undefined =>
  publishedOf(NAME).find(({ id }) => id === `n-${String(n)}`)?.value;
const rowAt = (all: readonly Row[], n: number, way: string): Row | undefined =>
  all.find((row) => row.n === n && row.way === way);
/** Times as much as one process. */
const gainAt = (all: readonly Row[], n: number, way: string): number =>
  (rowAt(all, n, way)?.rate ?? NaN) / (rowAt(all, n, ONE)?.rate ?? NaN);

function answer(): Answer {
  const all = bare();
  const max = all.filter(({ way }) => way === CLUSTER).at(-1);
  if (max === undefined) throw new Error(`${NAME} has no run of the cluster module`);
  const [ours, theirs] = [gainAt(all, max.n, CLUSTER), publishedFor(max.n) ?? NaN];
  const lost = (leaves: Way['leaves']): string => {
    const way = ways().find((one) => one.asks === 'reload' && one.leaves === leaves);
    return outOf(way?.lost ?? NaN, way?.sent ?? NaN);
  };
  return {
    sentence: `At n = ${number(max.n)} two processes of the cluster module do ${number(ours)} times as much as one; a loop of n = ${number(max.n)} takes ${ms(max.cpuMs)} of CPU. While PM2 reloads a server that ends at once, ${lost('at once')} requests are lost; of one that first sends its clients away, ${lost('drain')}.`,
    ...{ published: times(theirs), ours: times(ours), ratio: number(ours / theirs) },
  };
}

/** A row for each n, a column for each way: the rate of one process, and how many times as much the others do. */
const byWay = (
  all: readonly Row[],
  names: readonly string[],
  more: Record<string, (n: number) => string> = {},
): string =>
  tableOf(distinct(all.map(({ n }) => n)), {
    n: (n) => number(n),
    [ONE]: (n) => perSecond(rowAt(all, n, ONE)?.rate),
    ...columns(
      names.filter((way) => way !== ONE),
      (way) => way,
      (n: number, way) => times(gainAt(all, n, way)),
    ),
    ...more,
    'CPU per request': (n) => {
      const cpu = all.filter((row) => row.n === n).map(({ cpuMs }) => cpuMs);
      return `${number(Math.min(...cpu))} to ${ms(Math.max(...cpu))}`;
    },
  });

const loops = (): string => `## A loop of n counts in each request

100 clients ask a bare server for a loop of n counts. Others than one process count as times its rate. ${disturbance(worstOthers(cellsOf(SWEEP)))}

${byWay(
  bare(),
  WAYS.map(([way]) => way),
  { published: (n) => times(publishedFor(n)) },
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

${byWay(all, N8N_WAYS)}

${sweepLink(IN_N8N)}`;
}

const RELOAD = 'studies/cluster-loop/results/reload/reload.json';
interface Reload {
  load: Load;
  runs: (Way & Ledger & { reloads: unknown[]; isValid: boolean })[];
}
const ENDS: Record<Way['leaves'], string> = {
  'at once': 'ends at once',
  close: 'ends when its open requests are done',
  drain: 'first sends its clients away',
};

function ways() {
  const runs = readJson<Reload>(RELOAD).runs.filter(({ isValid }) => isValid);
  return [...grouped(runs, ({ name }) => name).values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    return [
      {
        ...first,
        times: sum(same.map(({ reloads }) => reloads.length)),
        sent: sum(same.map(({ sent }) => sent)),
        lost: sum(same.map(({ sent, expected }) => sent - expected)),
      },
    ];
  });
}

function reloads(): string {
  const { load } = readJson<Reload>(RELOAD);
  return `## PM2 replaces the processes under load

A bare server under PM2 is asked for a loop of n = ${number(load.n)} counts, ${number(load.ratePerSecond)} times per second. Meanwhile PM2 replaces its processes: in cluster mode by
\`pm2 reload\`, in fork mode, which cannot reload, by \`pm2 restart\`. It sends SIGINT. The server does not handle that signal; or ends when its open requests have had their responses; or before that,
for a second, responds with \`Connection: close\`.

${tableOf(ways(), {
  PM2: ({ mode, processes }) => `${mode}, ${number(processes)}`,
  'the server': ({ leaves }) => ENDS[leaves],
  times: (way) => way.times,
  'lost, of all': ({ lost, sent }) => outOf(lost, sent),
})}

${link(RELOAD)}`;
}

export const clusterLoop: StudyPage = {
  study: NAME,
  answer,
  parts: [loops, inN8n, reloads],
};
