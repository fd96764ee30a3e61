// How much CPU and memory, and how many instances, documents take that are created, read and written.
import { has, link, median, number, readJson, table } from '../records.ts';
import { n8nPlots, podsPart, podsPlots, regularPart, workersPart } from './right-sizing-n8n.mjs';
import { cellsOf, conditionsText, otherCores, publishedBy, recordOf, sweepOf } from './study.mjs';

const NAME = 'right-sizing';
const SWEEP = 'right-size-servers';
const APPLICATIONS = [
  ['GET /json', 'json', 'makes a document'],
  ['GET /read', 'read', 'reads a document'],
  ['GET /write', 'write', 'writes a document'],
];
/** Of the best: what is as good, as far as single runs tell. */
const AS_GOOD = 0.9;

/** {request, cpu, memory, points: [{instances, rate, p99Ms}]} of each combination; a crash has rate 0. */
function combinations() {
  const sweep = sweepOf(NAME, SWEEP);
  if (sweep === null) return [];
  const groups = new Map();
  for (const { cell, figures, record } of cellsOf(sweep)) {
    const { request, cpuMillicores: cpu, memoryMiB: memory } = cell;
    const key = `${request} ${cpu} ${memory}`;
    const group = groups.get(key) ?? { request, cpu, memory, points: [] };
    group.points.push({
      instances: Number(cell['env.INSTANCES']),
      rate: figures.achievedPerSecond ?? 0,
      p99Ms: figures.p99Ms,
      others: record === null ? 0 : otherCores(record),
    });
    groups.set(key, group);
  }
  const place = ({ request }) => APPLICATIONS.findIndex(([one]) => one === request);
  return [...groups.values()]
    .map((group) => ({
      ...group,
      points: group.points.toSorted((a, b) => a.instances - b.instances),
    }))
    .toSorted((a, b) => place(a) - place(b) || a.cpu - b.cpu || a.memory - b.memory);
}

const bestOf = ({ points }) => points.toSorted((a, b) => b.rate - a.rate)[0];
const pointAt = ({ points }, instances) => points.find((one) => one.instances === instances);
const always = () => publishedBy(NAME).instances;
const shareOfBest = (group) => {
  const point = pointAt(group, always());
  return point === undefined ? null : point.rate / bestOf(group).rate;
};

function answer() {
  const all = combinations();
  const shares = all.map(shareOfBest).filter((share) => share !== null);
  const published = `always ${always()} instances`;
  if (shares.length === 0) {
    return {
      sentence: `Not answered yet: the only record has up to ${Math.max(...all.flatMap(({ points }) => points.map(({ instances }) => instances)))} instances.`,
      published,
    };
  }
  const good = shares.filter((share) => share >= AS_GOOD).length;
  const usual = median(all.map((group) => bestOf(group).instances));
  return {
    sentence: `${always()} instances are as good as the best number, or nearly, in ${good} of ${shares.length} combinations of application, CPU and memory; at worst they do ${number(100 * Math.min(...shares))}% of it.`,
    published,
    ours: `${usual} ${usual === 1 ? 'instance' : 'instances'} in the median`,
  };
}

function servers() {
  const all = combinations();
  if (all.length === 0) return '';
  const counts = [
    ...new Set(all.flatMap(({ points }) => points.map((one) => one.instances))),
  ].toSorted((a, b) => a - b);
  const titleOf = (request) => APPLICATIONS.find(([one]) => one === request)[2];
  const rows = all.map((group) => [
    titleOf(group.request),
    `${group.cpu}m`,
    `${group.memory} MiB`,
    ...counts.map((count) => {
      const point = pointAt(group, count);
      if (point === undefined) return '-';
      return point.rate === 0 ? 'none' : `${number(point.rate)}/s, ${number(point.p99Ms)} ms`;
    }),
    bestOf(group).instances,
    shareOfBest(group) === null ? '-' : `${number(shareOfBest(group))}x`,
    number(Math.max(...group.points.map(({ others }) => others))),
  ]);
  const charts = APPLICATIONS.map(
    ([, id, title]) => `![p99 over instances: ${title}](studies/${NAME}/${NAME}-${id}.svg)`,
  );
  return `## Instances of a bare server under PM2

64 clients ask a server that makes a JSON document, reads one of twenty from disk, or makes and writes one, 100 KiB each. PM2 runs
it in cluster mode. Limits are those of all instances together, PM2 with them. Rate of expected responses and 99th
percentile of the latency, by the number of instances. ${conditionsText(recordOf(NAME))}

${table(
  [
    ...['a request', 'CPU', 'memory'],
    ...counts.map((count) => `with ${count}`),
    ...['best', `${always()} of the best`, 'cores used by other work'],
  ],
  rows,
)}

${charts.join('\n\n')}

**Why it differs from what was published.** The machine has two cores, which the load generator shares: more instances than
cores get no more CPU, cost memory each, and make a request wait for its turn among them. The published advice comes
from an experiment on two CPUs, with more memory; its machine and its load are not known.

${link(`${sweepOf(NAME, SWEEP)}/sweep.json`)}, \`n8n-tuned study ${NAME}\``;
}

function storedPart() {
  const path = `${recordOf(NAME)}/s3.json`;
  if (!has(path)) return '';
  const { server, objects, bytes, missing, different, seconds } = readJson(path);
  const wrong = missing.length + different.length;
  return `## In a folder and in S3

${table(
  ['S3', 'objects', 'size', 'missing in S3', 'not as in the folder', 'took'],
  [
    [
      server,
      objects,
      `${number(bytes / 1024 ** 2)} MiB`,
      missing.length,
      different.length,
      `${number(seconds)} s`,
    ],
  ],
)}

\`n8n-tuned report FOLDER --s3 s3://BUCKET/PREFIX\` copied what this study recorded, and every object was read again: ${wrong === 0 ? 'all are as in the folder' : 'some are not as in the folder'}.

${link(path)}`;
}

const plots = () => {
  const all = combinations();
  const ofServers = APPLICATIONS.map(([request, id, title]) => ({
    kind: 'line',
    id: `${NAME}-${id}`,
    title: `p99 over instances: each request ${title}`,
    x: { label: 'instances', scale: 'log' },
    y: { label: 'p99', unit: 'ms', min: 0 },
    series: all
      .filter((group) => group.request === request)
      .map(({ cpu, memory, points }) => ({
        label: `${cpu}m, ${memory} MiB`,
        points: points.map(({ instances, p99Ms }) => [instances, p99Ms]),
      })),
  }));
  return [...(all.length === 0 ? [] : ofServers), ...n8nPlots(), ...podsPlots()];
};

export const rightSizing = {
  ...{ answer, plots },
  parts: [servers, regularPart, workersPart, podsPart, storedPart],
};
