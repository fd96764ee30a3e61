// How much work per request makes several processes worthwhile: the loop of n counts, by who starts the processes, in n8n,
// and what a reload by PM2 costs under load.
import type { RunRecord } from '../../../cli/src/record/run-record';
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
  p99Ms: number;
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
        p99Ms: of(({ figures }) => figures.p99Ms),
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

function loops(): string {
  const all = bare();
  return `## A loop of n counts in each request

100 clients ask a bare server for a loop of n counts. It is one process, two of Node.js's cluster module, one under PM2 in
fork mode, or two under PM2 in cluster mode. Where other work used half a core or more, no ratio is given.

${tableOf(all, {
  n: ({ n }) => number(n),
  'who starts the processes': ({ way }) => way,
  'expected responses': ({ rate }) => perSecond(rate),
  'of one process': (row) => times(gainOf(all, row)),
  published: ({ n, way }) =>
    way === CLUSTER && publishedFor(n) !== undefined ? times(publishedFor(n)) : '',
  'CPU per request': ({ cpuMs }) => ms(cpuMs),
})}

**Why it differs from what was published.** Two cores carry the server and the load generator here: at small n the generator
takes more CPU than the server, and two processes have at most the cores that it leaves. The published machine is not known.

${sweepLink(SWEEP)}`;
}

const N8N_WAYS = [ONE, 'one worker', 'two workers'];

function inN8n(): string {
  const all = inOrder(
    rowsOf(
      cellsOf(IN_N8N),
      ({ cell }) => Number(cell['param.n']),
      ({ cell }) =>
        cell['mode'] === 'regular'
          ? ONE
          : `${cell['instances'] === 1 ? 'one worker' : 'two workers'}`,
      median,
    ),
    N8N_WAYS,
  );
  return `## The same loop in n8n

The workload cpu runs the loop in a Code node: in one process, or in queue mode with workers, which is n8n's own way to
several processes; its requests come through main.

${tableOf(all, {
  n: ({ n }) => number(n),
  n8n: ({ way }) => way,
  'expected responses': ({ rate }) => perSecond(rate),
  'of one process': (row) => times(row.rate / (singleOf(all, row)?.rate ?? NaN)),
  p99: ({ p99Ms }) => ms(p99Ms),
  'CPU per request': ({ cpuMs }) => ms(cpuMs),
})}

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
  run: string;
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
    const records = same.map(({ run }) =>
      readJson<RunRecord>(RELOAD.replace('reload.json', `${run}/run.json`)),
    );
    return [
      {
        ...first,
        runs: same,
        times: sum(same.map(({ reloads }) => reloads.length)),
        sent: sum(same.map(({ sent }) => sent)),
        lost: sum(same.map(({ sent, expected }) => sent - expected)),
        longestMs: Math.max(...records.map(({ summary }) => summary.latencyMs?.max ?? NaN)),
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

A bare server under PM2 is asked for a loop of n = ${number(load.n)} counts, ${number(load.ratePerSecond)} times per second, whether or not
earlier requests have had their responses. Meanwhile PM2 is asked to replace its processes: in cluster mode by
\`pm2 reload\`, in fork mode, which cannot reload, by \`pm2 restart\`. PM2 sends SIGINT and kills what has not ended after a
while. The server does not handle that signal; or it ends when its open requests have had their responses; or before that,
for a second, it responds with \`Connection: close\`.

${tableOf(ways(), {
  PM2: ({ mode, processes }) =>
    `${mode}, ${processes === 1 ? 'one process' : `${number(processes)} processes`}`,
  'asked of it': ({ asks }) => (asks === null ? 'nothing' : `\`pm2 ${asks}\``),
  'the server': ({ leaves }) => ENDS[leaves] ?? leaves,
  times: (way) => way.times,
  sent: ({ sent }) => number(sent),
  lost: ({ lost }) => number(lost),
  'lost each time': (way) => (way.times === 0 ? '-' : number(way.lost / way.times)),
  how: ({ runs }) => howLost(runs),
  'longest wait': ({ longestMs }) => ms(longestMs),
})}

In cluster mode something listens all the time, so no connection is refused. However, what a process has taken over is lost
with it, unless the server itself finishes it. Code of its own has to tell it to.

${link(RELOAD)}`;
}

export const clusterLoop: StudyPage = {
  study: NAME,
  answer,
  parts: [loops, inN8n, reloads],
};
