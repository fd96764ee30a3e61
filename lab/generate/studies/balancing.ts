// What spreads requests over processes: how many they get, how evenly, and in how much memory.
import type { RunRecord } from '../../../cli/src/record/run-record';
import {
  has,
  link,
  median,
  ms,
  number,
  perSecond,
  readJson,
  recordsNamed,
  share,
  tableOf,
} from '../records';
import type { Answer, StudyPage } from '../study-page';
import {
  cellsOf,
  grouped,
  isQuiet,
  otherCores,
  publishedAt,
  rateOf,
  samplesOf,
  sum,
  sweepLink,
  sweepOf,
} from '../sweeps';

const NAME = 'balancing';
const SWEEP = sweepOf(NAME, NAME);
const CLUSTER = 'cluster rr';
const NGINX = 'nginx round_robin';
const IPTABLES = 'iptables nth';
const WAYS: Record<string, string> = {
  one: 'nothing, one process',
  [CLUSTER]: 'cluster module, by its master',
  'cluster none': 'cluster module, by the kernel',
  [NGINX]: 'nginx, in turns',
  'nginx least_conn': 'nginx, fewest connections',
  [IPTABLES]: 'iptables, in turns',
  'iptables random': 'iptables, at random',
};
const CONNECTIONS: Record<string, string> = {
  'keep-alive': 'kept',
  close: 'new for each request',
};

const mean = (values: readonly number[]): number => sum(values) / values.length;

/** The standard deviation of all processes, of their mean. Processes that got nothing count. */
export function coefficientOfVariation(counts: readonly number[]): number {
  const middle = mean(counts);
  return Math.sqrt(mean(counts.map((one) => (one - middle) ** 2))) / middle;
}

/** The mean difference between two processes, of twice their mean: 1 where one of very many got all. */
export function gini(counts: readonly number[]): number {
  const ordered = counts.toSorted((a, b) => a - b);
  const weighted = sum(ordered.map((one, index) => (2 * index + 1 - ordered.length) * one));
  return weighted / (ordered.length * sum(ordered));
}

/** The summary has only those that got some. */
function requestsOfEach({ summary }: RunRecord, processes: number): number[] {
  const counts = (summary.spread ?? []).map(({ requests }) => requests);
  return [...counts, ...Array<number>(Math.max(0, processes - counts.length)).fill(0)];
}

interface Row {
  way: string;
  connection: string;
  processes: number;
  rate: number;
  cpuMs: number;
  variations: number[];
  gini: number;
  others: number;
}

function rows(): Row[] {
  const cells = cellsOf(SWEEP).filter(({ outcome }) => outcome !== 'crashed');
  return Object.keys(CONNECTIONS).flatMap((connection) =>
    Object.keys(WAYS).map((way) => {
      const same = cells.filter(
        ({ cell }) =>
          /serve\.sh (.+)$/.exec(String(cell['command']))?.[1] === way &&
          cell['param.connection'] === connection,
      );
      const processes = way === 'one' ? 1 : Number(same[0]?.cell['env.PROCESSES']);
      const counts = same.map(({ record }) => requestsOfEach(record, processes));
      return {
        ...{ way, connection, processes },
        rate: median(same.map((one) => rateOf(one) ?? NaN)),
        cpuMs: median(same.map(({ figures }) => figures.cpuMillisecondsPerRequest ?? NaN)),
        variations: counts.map(coefficientOfVariation),
        gini: median(counts.map(gini)),
        others: Math.max(...same.map(({ record }) => otherCores(record))),
      };
    }),
  );
}

const rowAt = (all: readonly Row[], way: string, connection = 'keep-alive'): Row => {
  const row = all.find((one) => one.way === way && one.connection === connection);
  if (row === undefined) throw new Error(`${NAME} has no run of ${way}`);
  return row;
};
/** A ratio as how much more, or fewer. */
const more = (ratio: number): string => `${ratio < 1 ? '' : '+'}${share(ratio - 1)}`;
/** Over another way with the same connections; null where other work used much of the machine. */
function over(all: readonly Row[], way: string, row: Row): number | null {
  const other = rowAt(all, way, row.connection);
  return isQuiet(row) && isQuiet(other) ? row.rate / other.rate : null;
}
const overText =
  (all: readonly Row[], way: string) =>
  (row: Row): string => {
    const ratio = over(all, way, row);
    return ratio === null ? '-' : more(ratio);
  };
/** How unevenly requests are spread: the coefficient of variation and the Gini coefficient, each the median of the runs. */
const unevenness = ({ variations, gini: coefficient }: Pick<Row, 'variations' | 'gini'>): string =>
  `${share(median(variations))}; ${share(coefficient)}`;

function answer(): Answer {
  const all = rows();
  const [kept, fresh] = [rowAt(all, IPTABLES), rowAt(all, IPTABLES, 'close')];
  const uneven = `Over connections that are kept, requests per process differ by ${share(median(rowAt(all, 'iptables random').variations))} of their mean (coefficient of variation) with iptables at random, and by ${share(median(rowAt(all, CLUSTER).variations))} with the cluster module`;
  const words = (toCluster: string, toNginx: string): string =>
    `iptables: ${toCluster} requests over the cluster module, ${toNginx} over nginx`;
  const [theirs, ours] = [publishedAt(NAME, 'over-cluster'), over(all, CLUSTER, kept)];
  const published = words(more(theirs), more(publishedAt(NAME, 'over-nginx')));
  const of = (row: Row): [string, string] => [
    overText(all, CLUSTER)(row),
    overText(all, NGINX)(row),
  ];
  if (ours === null) {
    return {
      sentence: `${uneven}; which takes most requests is not answered yet: other work was too loud.`,
      published,
    };
  }
  return {
    ...{ sentence: `${uneven}.`, published, ratio: number(ours / theirs) },
    ours: `${words(...of(kept))} where connections are kept; ${of(fresh).join(' and ')} where each request opens one`,
  };
}

function servers(): string {
  const all = rows();
  return `## Four servers behind one port

100 clients ask bare servers of Node.js for a small JSON, which costs next to nothing, so that what stands before the servers shows most. Clients keep their connections, or open a new one for each request. The
cluster module deals out connections by its master, or leaves that to the kernel; iptables deals out connections; nginx deals out requests, and keeps connections to the servers.
Unevenness is the coefficient of variation of the requests per process, and their Gini coefficient; both are 0 if each process gets as many. No ratio is given where other work used half a core or more.

By connections: expected responses, over the cluster module and over nginx, CPU per request; then unevenness.

${tableOf(Object.keys(WAYS), {
  'before the servers': (way) => WAYS[way] ?? '',
  ...Object.fromEntries(
    Object.entries(CONNECTIONS).flatMap(([connection, title]) => [
      [
        title,
        (way: string) => {
          const row = rowAt(all, way, connection);
          return [
            ...[perSecond(row.rate), overText(all, CLUSTER)(row), overText(all, NGINX)(row)],
            ms(row.cpuMs),
          ].join('; ');
        },
      ],
      [
        `${title}: unevenness`,
        (way: string) => (way === 'one' ? '-' : unevenness(rowAt(all, way, connection))),
      ],
    ]),
  ),
})}

**Why it differs from what was published.** Neither the work of a published request nor whether its connections were kept is
known; on two cores, a cheaper balancer also leaves more to the generator. The published evenness is a graph.

${sweepLink(SWEEP)}`;
}

const FURTHER: [string, string, string, number][] = [
  ['kube-proxy', 'kube-proxy', 'bare servers in pods', 4],
  ['n8n', 'nginx, in turns', 'webhook processors of n8n', 2],
  ['kube-proxy-n8n', 'kube-proxy', 'webhook processors of n8n in pods', 2],
];

/** What webhook processors count of their requests, warm-up included; null: the responses say who gave them. */
function toldBy(path: string): number[] | null {
  const samples = path.replace(/run\.json$/, 'memory.csv');
  const counts = new Map(
    (has(samples) ? samplesOf(samples, 'webhookRequests') : []).map(({ instance, value }) => [
      instance,
      value,
    ]),
  );
  return counts.size === 0 ? null : [...counts.values()];
}

/** By what happened. */
const connectionOf = ({ summary }: RunRecord): string =>
  (summary.generator.newConnections ?? 0) > summary.offered.requests / 2 ? 'close' : 'keep-alive';

/** Runs outside the sweep: n8n, and the cluster. */
const furtherRows = () =>
  FURTHER.flatMap(([name, way, what, processes]) => {
    const runs = recordsNamed('run.json', `studies/balancing/results/${name}/`).map((path) => ({
      ...{ path, record: readJson<RunRecord>(path) },
    }));
    const groups = grouped(runs, ({ record }) => connectionOf(record));
    return Object.keys(CONNECTIONS).flatMap((connection) => {
      const same = groups.get(connection) ?? [];
      const [first] = same;
      if (first === undefined) return [];
      const counts = same.map(
        ({ path, record }) => toldBy(path) ?? requestsOfEach(record, processes),
      );
      return [
        {
          ...{ way, what, connection, processes, path: first.path },
          rate: median(same.map(({ record }) => record.summary.achieved.ratePerSecond)),
          cpuMs: median(
            same.flatMap(({ record }) => record.summary.cpuMillisecondsPerRequest ?? []),
          ),
          variations: counts.map(coefficientOfVariation),
          gini: median(counts.map(gini)),
        },
      ];
    });
  });

const further = (): string => `## kube-proxy, and webhook processors of n8n

kube-proxy deals out connections at random, nginx deals out requests in turns. How many requests a webhook
processor had is what it says itself at /metrics, warm-up included. Bare servers are called by 100 clients, n8n by 16 (last-node).

${tableOf(furtherRows(), {
  'what serves': ({ what }) => what,
  'what stands before': ({ way }) => way,
  processes: ({ processes }) => processes,
  connections: ({ connection }) => CONNECTIONS[connection] ?? '',
  'expected responses': ({ rate }) => perSecond(rate),
  'CPU per request': ({ cpuMs }) => ms(cpuMs),
  unevenness,
})}

Records of the first runs: ${furtherRows()
  .map(({ path }) => link(path))
  .join(', ')}`;

export const balancing: StudyPage = {
  study: NAME,
  answer,
  parts: [servers, further],
};
