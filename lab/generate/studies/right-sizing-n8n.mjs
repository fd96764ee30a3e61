// Right-sizing of n8n itself: one process by CPU and memory, workers, and workers in pods.
import { limitName } from './limit-name.mjs';
import { link, number, readJson, table } from '../records.ts';
import {
  cellsOf,
  conditionsText,
  otherCores,
  recordOf,
  runConditionsText,
  sweepOf,
} from './study.mjs';

const NAME = 'right-sizing';
const PODS = 'right-sizing-pods';

/** [study that it is kept by, name of the sweep] */
const REGULAR = [NAME, 'right-size'];
const WORKERS = [NAME, 'right-size-workers'];
const IN_PODS = [PODS, 'right-size-pods'];

const WORKLOADS = ['json', 'disk-read', 'disk-write'];

/** The measured cells of a sweep, the workload first; none without a record. */
function cellsIn(sweep) {
  const folder = sweepOf(...sweep);
  if (folder === null) return [];
  const place = ({ cell }) => [
    WORKLOADS.indexOf(cell.workload),
    cell.workers ?? 0,
    cell.cpuMillicores,
    cell.memoryMiB ?? 0,
  ];
  return cellsOf(folder).toSorted((a, b) => {
    const [one, other] = [place(a), place(b)];
    const at = one.findIndex((value, index) => value !== other[index]);
    return at === -1 ? 0 : one[at] - other[at];
  });
}

const ms = (value) => (value === null ? '-' : `${number(value)} ms`);
const others = ({ record }) => (record === null ? '-' : number(otherCores(record)));
const memoryOf = ({ figures }) => `${number(figures.memoryMiB)} MiB`;
const restartsOf = ({ figures }) => figures.restarts ?? '-';
const rateOf = ({ figures }) =>
  figures.achievedPerSecond === null ? 'none' : `${number(figures.achievedPerSecond)}/s`;
const errorsOf = ({ figures }) =>
  figures.errorShare === null ? '-' : `${number(100 * figures.errorShare)}%`;

export function regularPart() {
  const cells = cellsIn(REGULAR);
  if (cells.length === 0) return '';
  const rows = cells.map((one) => [
    one.cell.workload,
    `${one.cell.cpuMillicores}m`,
    `${one.cell.memoryMiB} MiB`,
    ms(one.figures.p50Ms),
    ms(one.figures.p95Ms),
    ms(one.figures.p99Ms),
    errorsOf(one),
    one.outcome,
    limitName(one.limitedBy?.limit ?? null),
    memoryOf(one),
    others(one),
  ]);
  const { slo, measure } = readJson(`${sweepOf(...REGULAR)}/sweep.json`).plan;
  return `## One n8n, by CPU and memory

n8n in regular mode makes, reads or writes a document for each of ${number(measure.ratePerSecond)} requests per second; what is asked for is
${slo.map(({ text }) => text).join(' and ')}. ${runConditionsText(cells[0].record)}

${table(
  [
    ...['workload', 'CPU', 'memory limit', 'p50', 'p95', 'p99', 'errors', 'verdict', 'limited by'],
    ...['memory, most', 'cores used by other work'],
  ],
  rows,
)}

![p99 over CPU](studies/${NAME}/${NAME}-n8n.svg)

${link(`${sweepOf(...REGULAR)}/sweep.json`)}, \`n8n-tuned sweep -f studies/right-sizing/${REGULAR[1]}.yaml\``;
}

const HEAD = ['expected responses', 'p99', 'errors', 'limited by', 'memory, most', 'restarts'];
const figuresOf = (one) => [
  rateOf(one),
  ms(one.figures.p99Ms),
  errorsOf(one),
  limitName(one.limitedBy?.limit ?? null),
  memoryOf(one),
  restartsOf(one),
  others(one),
];

export function workersPart() {
  const cells = cellsIn(WORKERS);
  if (cells.length === 0) return '';
  return `## Workers of n8n

Queue mode with workers, n8n's own way to several instances: main and each worker have ${cells[0].cell.cpuMillicores}m of CPU.
${conditionsText(recordOf(NAME))}

${table(
  ['workload', 'workers', ...HEAD, 'cores used by other work'],
  cells.map((one) => [one.cell.workload, one.cell.workers, ...figuresOf(one)]),
)}

![p99 over workers](studies/${NAME}/${NAME}-workers.svg)

${link(`${sweepOf(...WORKERS)}/sweep.json`)}, \`n8n-tuned sweep -f studies/right-sizing/${WORKERS[1]}.yaml\``;
}

export function podsPart() {
  const cells = cellsIn(IN_PODS);
  if (cells.length === 0) return '';
  return `## The same in pods

The chart in queue mode on a cluster of one node: each pod of n8n has the CPU and memory of the row. Requests come through
main, so that more workers change little where its CPU is the limit.
${conditionsText(recordOf(PODS))}

${table(
  ['workload', 'workers', 'CPU', 'memory limit', ...HEAD, 'cores used by other work'],
  cells.map((one) => [
    one.cell.workload,
    one.cell.workers,
    `${one.cell.cpuMillicores}m`,
    `${one.cell.memoryMiB} MiB`,
    ...figuresOf(one),
  ]),
)}

![p99 over workers, in pods](studies/${NAME}/${PODS}.svg)

${link(`${sweepOf(...IN_PODS)}/sweep.json`)}, \`lab/cluster/cluster exec npx n8n-tuned study ${PODS}\``;
}

/** p99 over a dimension, a line for each `label`. */
function p99Over(cells, { id, title, dimension, label, unit }) {
  const names = [...new Set(cells.map(({ cell }) => label(cell)))];
  const chart = {
    ...{ kind: 'line', id, title },
    x: { label: unit },
    y: { label: 'p99', unit: 'ms', min: 0 },
    series: names.map((name) => ({
      label: name,
      points: cells
        .filter(({ cell }) => label(cell) === name)
        .map(({ cell, figures }) => [cell[dimension], figures.p99Ms])
        .toSorted(([a], [b]) => a - b),
    })),
  };
  return cells.length === 0 ? [] : [chart];
}

export const n8nPlots = () => [
  ...p99Over(cellsIn(REGULAR), {
    ...{ id: `${NAME}-n8n`, title: 'p99 of one n8n over its CPU' },
    ...{ dimension: 'cpuMillicores', unit: 'CPU in millicores' },
    label: ({ workload, memoryMiB }) => `${workload}, ${memoryMiB} MiB`,
  }),
  ...p99Over(cellsIn(WORKERS), {
    ...{ id: `${NAME}-workers`, title: 'p99 of n8n over its workers' },
    ...{ dimension: 'workers', unit: 'workers' },
    label: ({ workload }) => workload,
  }),
];

export const podsPlots = () =>
  p99Over(
    // More lines than colours could be told apart.
    cellsIn(IN_PODS).filter(({ cell }) => cell.memoryMiB === largestMemory()),
    {
      ...{ id: PODS, title: 'p99 of n8n in pods over its workers' },
      ...{ dimension: 'workers', unit: 'workers' },
      label: ({ workload, cpuMillicores }) => `${workload}, ${cpuMillicores}m`,
    },
  );

const largestMemory = () => Math.max(...cellsIn(IN_PODS).map(({ cell }) => cell.memoryMiB));
