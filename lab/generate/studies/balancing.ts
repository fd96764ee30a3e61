// What spreads requests over processes: how many they get, how evenly, and in how much memory.
import type { RunRecord } from '../../../cli/src/record/run-record';
import {
  columns,
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
  disturbance,
  grouped,
  publishedAt,
  rateOf,
  samplesOf,
  sum,
  sweepLink,
  sweepOf,
  worstOthers,
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
  variation: number;
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
        variation: median(counts.map(coefficientOfVariation)),
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
/** Over another way with the same connections. */
const over = (all: readonly Row[], way: string, row: Row): number =>
  row.rate / rowAt(all, way, row.connection).rate;

function answer(): Answer {
  const all = rows();
  const [kept, fresh] = [rowAt(all, IPTABLES), rowAt(all, IPTABLES, 'close')];
  const variation = (way: string): string => share(rowAt(all, way).variation);
  const words = (toCluster: number, toNginx: number): string =>
    `iptables: ${more(toCluster)} requests over the cluster module, ${more(toNginx)} over nginx`;
  const [theirs, ours] = [publishedAt(NAME, 'over-cluster'), over(all, CLUSTER, kept)];
  return {
    sentence: `Over connections that are kept, requests per process differ by ${variation('iptables random')} of their mean (coefficient of variation) with iptables at random, and by ${variation(CLUSTER)} with the cluster module.`,
    published: words(theirs, publishedAt(NAME, 'over-nginx')),
    ours: `${words(ours, over(all, NGINX, kept))} where connections are kept; ${more(over(all, CLUSTER, fresh))} and ${more(over(all, NGINX, fresh))} where each request opens one`,
    ratio: number(ours / theirs),
  };
}

function servers(): string {
  const all = rows();
  return `## Four servers behind one port

100 clients ask bare servers of Node.js for a small JSON, which costs next to nothing, so that what stands before the servers shows most. Clients keep their connections, or open a new one for each request. The
cluster module deals out connections by its master, or leaves that to the kernel; iptables deals out connections; nginx deals out requests, and keeps connections to the servers.
Unevenness is the coefficient of variation of the requests per process: 0 if each gets as many. ${disturbance(worstOthers(cellsOf(SWEEP)))}

By connections: expected responses, CPU per request and unevenness.

${tableOf(Object.keys(WAYS), {
  'before the servers': (way) => WAYS[way] ?? '',
  ...columns(
    Object.entries(CONNECTIONS),
    ([, title]) => title,
    (way: string, [connection]) => {
      const { rate, cpuMs, variation } = rowAt(all, way, connection);
      return `${perSecond(rate)}; ${ms(cpuMs)}; ${way === 'one' ? '-' : share(variation)}`;
    },
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
          variation: median(counts.map(coefficientOfVariation)),
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
  unevenness: ({ variation }) => share(variation),
})}

Records: \`SERVED/.../run\`, such as ${link(furtherRows()[0]?.path ?? '')}`;

export const balancing: StudyPage = {
  study: NAME,
  answer,
  records: furtherRows,
  parts: [servers, further],
};
