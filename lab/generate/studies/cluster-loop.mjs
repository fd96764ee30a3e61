// How much work per request makes several processes worthwhile: the loop of n counts, by who starts the processes.
import { n8nLoop } from './cluster-n8n.mjs';
import { reloads, reloadSentence } from './cluster-reload.mjs';
import { link, number, table } from '../records.ts';
import {
  cellsOf,
  conditionsText,
  isQuiet,
  otherCores,
  publishedOf,
  recordOf,
  sweepIn,
} from './study.mjs';

const NAME = 'cluster-loop';
const WAYS = [
  ['one process', /^exec node/],
  ['cluster module, 2', /^WORKERS=2/],
  ['PM2 fork', /pm2\.sh \S+$/],
  ['PM2 cluster, 2', /-i 2$/],
];
const wayOf = ({ cell }) => WAYS.find(([, pattern]) => pattern.test(cell.command))?.[0];
const countOf = ({ cell }) => Number(/\d+$/.exec(cell.request)[0]);

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
/** {n, way, rate, cpuMs, others} of each cell; medians over repeats. */
function rows() {
  const folder = recordOf(NAME);
  if (folder === null) return [];
  const cells = cellsOf(sweepIn(folder)).filter(({ record }) => record !== null);
  const names = [...new Set(cells.map((cell) => `${countOf(cell)} ${wayOf(cell)}`))];
  return names
    .map((name) => {
      const same = cells.filter((cell) => `${countOf(cell)} ${wayOf(cell)}` === name);
      const of = (figure) => median(same.map(figure));
      return {
        n: countOf(same[0]),
        way: wayOf(same[0]),
        rate: of(({ figures }) => figures.achievedPerSecond),
        cpuMs: of(({ figures }) => figures.cpuMillisecondsPerRequest),
        others: Math.max(...same.map(({ record }) => otherCores(record))),
      };
    })
    .toSorted(
      (a, b) =>
        a.n - b.n || WAYS.findIndex(([w]) => w === a.way) - WAYS.findIndex(([w]) => w === b.way),
    );
}

const at = (all, n, way) => all.find((row) => row.n === n && row.way === way);
const gainOf = (all, { n, rate }) => rate / at(all, n, WAYS[0][0]).rate;
const publishedAt = (n) => publishedOf(NAME).find(({ id }) => id === `n-${n}`)?.value;

function answer() {
  const all = rows();
  const cluster = all.filter(({ way }) => way === WAYS[1][0]);
  const most = cluster.at(-1);
  const single = at(all, most.n, WAYS[0][0]);
  const costs = `a loop of n = ${number(most.n)} takes ${number(most.cpuMs)} ms of CPU`;
  const published = publishedAt(most.n);
  if (!isQuiet(most) || !isQuiet(single)) {
    return {
      sentence: `Not answered yet: other work used ${number(Math.max(most.others, single.others))} cores during the only record. As far as it tells, ${costs}.${reloadSentence()}`,
      published: `${number(published)}x`,
    };
  }
  const ours = gainOf(all, most);
  return {
    sentence: `At n = ${number(most.n)} two processes of the cluster module do ${number(ours)} times as much as one; ${costs}.${reloadSentence()}`,
    published: `${number(published)}x`,
    ours: `${number(ours)}x`,
    ratio: number(ours / published),
  };
}

function part() {
  const all = rows();
  if (all.length === 0) return '';
  const folder = recordOf(NAME);
  const lines = all.map((row) => [
    number(row.n),
    row.way,
    `${number(row.rate)}/s`,
    isQuiet(row) && isQuiet(at(all, row.n, WAYS[0][0])) ? `${number(gainOf(all, row))}x` : '-',
    row.way === WAYS[1][0] && publishedAt(row.n) !== undefined
      ? `${number(publishedAt(row.n))}x`
      : '',
    `${number(row.cpuMs)} ms`,
    number(row.others),
  ]);
  return `## A loop of n counts in each request

100 clients ask a bare server for a loop of n counts. It is one process, two of Node.js's cluster module, one under PM2 in
fork mode, or two under PM2 in cluster mode. ${conditionsText(folder)}

${table(['n', 'who starts the processes', 'expected responses', 'of one process', 'published', 'CPU per request', 'cores used by other work'], lines)}

![CPU per request by n and by who starts the processes](studies/${NAME}/${NAME}.svg)

**Why it differs from what was published.** Two cores carry the server and the load generator here: at small n the generator
takes more CPU than the server, and two processes have at most the cores that it leaves. The published machine is not
known. Where other work used much of the machine, as the last column shows, the rates of two cells cannot be compared, and
the ratio is left out: CPU per request is what remains.

${link(`${sweepIn(folder)}/sweep.json`)}, \`n8n-tuned study ${NAME}\``;
}

function plots() {
  const all = rows();
  return all.length === 0
    ? []
    : [
        {
          kind: 'line',
          id: NAME,
          title: 'CPU per request over the counts of a loop',
          x: { label: 'n', scale: 'log' },
          y: { label: 'CPU per request', unit: 'ms', min: 0 },
          series: WAYS.map(([way]) => ({
            label: way,
            points: all.filter((row) => row.way === way).map(({ n, cpuMs }) => [n, cpuMs]),
          })),
        },
      ];
}

export const clusterLoop = { answer, parts: [part, n8nLoop, reloads], plots };
