// What spreads requests over processes: how many they get, how evenly, and in how much memory.
import { coefficientOfVariation, gini, requestsOfEach } from './evenness.mjs';
import { has, link, median, number, read, readJson, recordsNamed, table } from '../records.ts';
import {
  cellsOf,
  conditionsText,
  isQuiet,
  otherCores,
  publishedBy,
  recordOf,
  sweepIn,
} from './study.mjs';

const NAME = 'balancing';
const CLUSTER = 'cluster rr';
const NGINX = 'nginx round_robin';
const IPTABLES = 'iptables nth';
const WAYS = new Map([
  ['one', 'nothing, one process'],
  [CLUSTER, 'cluster module, by its master'],
  ['cluster none', 'cluster module, by the kernel'],
  [NGINX, 'nginx, in turns'],
  ['nginx least_conn', 'nginx, fewest connections'],
  [IPTABLES, 'iptables, in turns'],
  ['iptables random', 'iptables, at random'],
]);
const CONNECTIONS = new Map([
  ['keep-alive', 'kept'],
  ['close', 'new for each request'],
]);

const wayOf = ({ cell }) => /serve\.sh (.+)$/.exec(cell.command)?.[1];
/** By what happened. */
const connectionOf = ({ summary }) =>
  summary.generator.newConnections > summary.offered.requests / 2 ? 'close' : 'keep-alive';
const evennessOf = (counts) => ({
  variation: coefficientOfVariation(counts),
  gini: gini(counts),
});
/** Rows of the samples that were kept beside a record: [instance, metric, value] each. */
const samplesIn = (path) =>
  read(path)
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))
    .map(([, , instance, metric, value]) => [instance, metric, Number(value)]);
/** Of a ratio: how much more, or fewer. */
const more = (ratio) => `${ratio < 1 ? '' : '+'}${number(100 * (ratio - 1))}%`;
const share = (value) => `${number(100 * value)}%`;
const rangeOf = (values) =>
  values.length === 1
    ? share(values[0])
    : `${share(median(values))} (${share(Math.min(...values))} to ${share(Math.max(...values))})`;

/** Memory of what serves and of what stands before it: each process by the median of its samples. */
function memoryOf({ memory, record }, processes) {
  if (memory === null || record.summary.spread.length < processes) return null;
  const serving = new Set(record.summary.spread.map(({ pid }) => String(pid)));
  const samples = new Map();
  for (const [instance, metric, value] of samplesIn(memory))
    if (metric === 'rssMiB') samples.set(instance, [...(samples.get(instance) ?? []), value]);
  const pidOf = (instance) => instance.split('/')[1];
  const listed = [...samples.keys()].filter((instance) => serving.has(pidOf(instance)));
  // The first process, whose samples have no pid, is a server where one of them is missing.
  const isServing = (instance) =>
    serving.has(pidOf(instance)) || (!instance.includes('/') && listed.length < serving.size);
  const total = (instances) =>
    instances.reduce((sum, instance) => sum + median(samples.get(instance)), 0);
  const all = [...samples.keys()];
  return {
    before: total(all.filter((instance) => !isServing(instance))),
    serving: total(all.filter(isServing)),
  };
}

/** Of each way and kind of connections, medians over repeats. */
function bareRows() {
  const folder = recordOf(NAME);
  if (folder === null) return [];
  const cells = cellsOf(sweepIn(folder)).filter(
    ({ record, outcome }) => record !== null && outcome !== 'crashed',
  );
  return [...CONNECTIONS.keys()].flatMap((connection) =>
    [...WAYS.keys()].flatMap((way) => {
      const same = cells.filter(
        (one) => wayOf(one) === way && one.cell['param.connection'] === connection,
      );
      if (same.length === 0) return [];
      const processes = way === 'one' ? 1 : Number(same[0].cell['env.PROCESSES']);
      const of = (figure) => median(same.map(figure));
      const even = same.map(({ record }) => evennessOf(requestsOfEach(record, processes)));
      const memory = same.map((one) => memoryOf(one, processes)).filter((one) => one !== null);
      return [
        {
          ...{ way, connection, processes },
          rate: of(({ figures }) => figures.achievedPerSecond),
          cpuMs: of(({ figures }) => figures.cpuMillisecondsPerRequest),
          variations: even.map(({ variation }) => variation),
          gini: median(even.map((one) => one.gini)),
          before: memory.length === 0 ? null : median(memory.map((one) => one.before)),
          serving: memory.length === 0 ? null : median(memory.map((one) => one.serving)),
          others: Math.max(...same.map(({ record }) => otherCores(record))),
        },
      ];
    }),
  );
}

const FURTHER = [
  ['kube-proxy', 'kube-proxy', 'bare servers in pods', 4],
  ['n8n', 'nginx, in turns', 'webhook processors of n8n', 2],
  ['kube-proxy-n8n', 'kube-proxy', 'webhook processors of n8n in pods', 2],
];

/** What webhook processors count of their requests, warm-up included; null: the responses say who gave them. */
function toldBy(path) {
  const samples = path.replace(/run\.json$/, 'memory.csv');
  const counts = new Map(
    (has(samples) ? samplesIn(samples) : [])
      .filter(([, metric]) => metric === 'webhookRequests')
      .map(([instance, , value]) => [instance, value]),
  );
  return counts.size === 0 ? null : [...counts.values()];
}

/** Of runs outside the sweep: n8n, and the cluster. */
function furtherRows() {
  const folder = recordOf(NAME);
  if (folder === null) return [];
  return FURTHER.flatMap(([name, way, what, processes]) => {
    if (!has(`${folder}/${name}/`)) return [];
    const runs = recordsNamed('run.json', `${folder}/${name}/`).map((path) => {
      const record = readJson(path);
      const counts = toldBy(path) ?? requestsOfEach(record, processes);
      return { path, record, ...evennessOf(counts) };
    });
    return [...CONNECTIONS.keys()].flatMap((connection) => {
      const same = runs.filter(({ record }) => connectionOf(record) === connection);
      if (same.length === 0) return [];
      const memory = same.flatMap(
        ({ record }) =>
          record.summary.roles.find(({ role }) => role === 'webhook')?.rssMedianMiB ?? [],
      );
      return [
        {
          ...{ way, what, connection, processes, path: same[0].path },
          rate: median(same.map(({ record }) => record.summary.achieved.ratePerSecond)),
          variations: same.map(({ variation }) => variation),
          gini: median(same.map((one) => one.gini)),
          memory: memory.length === 0 ? null : median(memory),
        },
      ];
    });
  });
}

const at = (all, way, connection) =>
  all.find((row) => row.way === way && row.connection === connection);
const ratioTo = (all, way, { rate, connection }) => rate / (at(all, way, connection)?.rate ?? NaN);

function answer() {
  const all = bareRows();
  const iptables = at(all, IPTABLES, 'keep-alive');
  const random = at(all, 'iptables random', 'keep-alive');
  const cluster = at(all, CLUSTER, 'keep-alive');
  const uneven = `Over connections that are kept, requests per process differ by ${share(median(random.variations))} of their mean (coefficient of variation) with iptables at random, and by ${share(median(cluster.variations))} with the cluster module`;
  const { 'over-cluster': published, 'over-nginx': overNginx } = publishedBy(NAME);
  const words = (toCluster, toNginx) =>
    `iptables: ${more(toCluster)} requests over the cluster module, ${more(toNginx)} over nginx`;
  const loud = Math.max(...[CLUSTER, NGINX, IPTABLES].map((w) => at(all, w, 'keep-alive').others));
  if (!isQuiet({ others: loud })) {
    return {
      sentence: `${uneven}; which takes most requests is not answered yet: other work used ${number(loud)} cores during the only record.`,
      published: words(published, overNginx),
    };
  }
  const [ours, toNginx] = [CLUSTER, NGINX].map((way) => ratioTo(all, way, iptables));
  const fresh = at(all, IPTABLES, 'close');
  const both = `${words(ours, toNginx)} where connections are kept; ${[CLUSTER, NGINX]
    .map((way) => more(ratioTo(all, way, fresh)))
    .join(' and ')} where each request opens one`;
  return {
    sentence: `${uneven}.`,
    published: words(published, overNginx),
    ours: both,
    ratio: number(ours / published),
  };
}

const mebibytes = (value) => (value === null ? '-' : `${number(value)} MiB`);

function bareTable(all) {
  const compared = (row, way) => {
    const other = at(all, way, row.connection);
    return other !== undefined && isQuiet(row) && isQuiet(other)
      ? more(ratioTo(all, way, row))
      : '-';
  };
  return table(
    [
      ...['connections', 'what stands before the servers', 'servers', 'expected responses'],
      ...['over the cluster module', 'over nginx', 'CPU per request'],
      ...['coefficient of variation', 'Gini'],
      ...['memory of what stands before', 'memory of the servers', 'cores used by other work'],
    ],
    all.map((row) => [
      ...[CONNECTIONS.get(row.connection), WAYS.get(row.way), row.processes],
      ...[`${number(row.rate)}/s`, compared(row, CLUSTER), compared(row, NGINX)],
      `${number(row.cpuMs)} ms`,
      ...(row.processes === 1 ? ['-', '-'] : [rangeOf(row.variations), share(row.gini)]),
      ...[mebibytes(row.before), mebibytes(row.serving), number(row.others)],
    ]),
  );
}

function publishedAndOurs(all) {
  const { 'over-cluster': overCluster, 'over-nginx': overNginx } = publishedBy(NAME);
  const rows = [
    ["iptables over Node.js's cluster module", CLUSTER, overCluster],
    ['iptables over nginx', NGINX, overNginx],
  ].flatMap(([what, way, published]) =>
    [...CONNECTIONS].flatMap(([connection, words]) => {
      const [iptables, other] = [IPTABLES, way].map((one) => at(all, one, connection));
      if (iptables === undefined || other === undefined) return [];
      const ours = ratioTo(all, way, iptables);
      const isComparable = isQuiet(iptables) && isQuiet(other);
      return [
        [
          ...[what, more(published), isComparable ? more(ours) : '-'],
          isComparable ? number(ours / published) : '-',
          `connections ${words}; 100 clients, ${iptables.processes} servers`,
        ],
      ];
    }),
  );
  return table(['requests', 'published', 'ours', 'ours, of the published', 'conditions'], rows);
}

function furtherPart(rows) {
  if (rows.length === 0) return '';
  return `## kube-proxy, and webhook processors of n8n

kube-proxy deals out connections by rules of iptables, at random; nginx deals out requests in turns. How many requests a webhook
processor had is what it says itself at /metrics, warm-up included. Bare servers are called by 100 clients, n8n by 16; each client
waits for its response, the workload of n8n is last-node.

${table(
  [
    ...['what serves', 'what stands before', 'processes', 'connections', 'expected responses'],
    ...['coefficient of variation', 'Gini', 'memory of all webhook processors', ''],
  ],
  rows.map((row) => [
    ...[row.what, row.way, row.processes, CONNECTIONS.get(row.connection)],
    ...[`${number(row.rate)}/s`, rangeOf(row.variations), share(row.gini)],
    ...[mebibytes(row.memory), link(row.path)],
  ]),
)}`;
}

function part() {
  const all = bareRows();
  if (all.length === 0) return '';
  const folder = recordOf(NAME);
  return `## Four servers behind one port

100 clients ask bare servers of Node.js for a small JSON, which says which process gave it; it costs next to nothing, so that
what stands before the servers shows most. Clients keep their connections, or open a new one for each request. Node.js's
cluster module deals out connections by its master, or leaves that to the kernel; iptables deals out connections, in turns or
at random; nginx deals out requests, and keeps connections to the servers. The coefficient of variation is the standard
deviation of the requests per process, of their mean; both it and Gini's coefficient are 0 where each process gets as many.
Memory is resident; what stands before is the master of the cluster module, or nginx. ${conditionsText(folder)}

${publishedAndOurs(all)}

${bareTable(all)}

![Coefficient of variation of the requests per process](studies/${NAME}/${NAME}.svg)

**Why it differs from what was published.** Neither the work of a published request nor whether its connections were kept is
known; on two cores, which the load generator shares, a cheaper balancer also leaves more to the generator. The published
evenness is a graph. Where other work used much of the machine, as the last column shows, rates cannot be compared and the
ratio is left out; evenness is hardly touched by it.

${link(`${sweepIn(folder)}/sweep.json`)}, \`n8n-tuned study ${NAME}\``;
}

function plots() {
  const all = bareRows().filter(({ processes }) => processes > 1);
  return all.length === 0
    ? []
    : [
        {
          kind: 'bar',
          id: NAME,
          title: 'How unevenly requests are spread over four processes',
          unit: '% coefficient of variation',
          bars: all.map(({ way, connection, variations }) => ({
            label: `${WAYS.get(way)}; connections ${CONNECTIONS.get(connection)}`,
            value: 100 * median(variations),
          })),
        },
      ];
}

export const balancing = { answer, parts: [part, () => furtherPart(furtherRows())], plots };
