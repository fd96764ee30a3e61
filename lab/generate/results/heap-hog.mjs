// A large text under the default heap, a fitted one and one that is too high, on this machine and in pods.
import { link, number, table } from './records.mjs';
import { cellsOf, conditionsText, recordOf, seriesOf, sweepOf } from './study.mjs';

const SWEEP = 'heap';
const IN_PODS = 'heap-pods';

const rowsOf = (study) => {
  const sweep = sweepOf(study, SWEEP);
  return sweep === null ? [] : cellsOf(sweep).filter(({ record }) => record !== null);
};

/** What the cell says of the heap; a size by hand stands in Node.js's own options. */
function heapOf({ heapMiB, 'env.NODE_OPTIONS': options }, { versions }) {
  const given = /--max-old-space-size=(\d+)/.exec(options ?? '')?.[1];
  if (given !== undefined) return `too high: ${given} MiB`;
  return heapMiB === 'auto'
    ? "fitted: the chart's share"
    : `the default of Node.js ${versions.node ?? ''}`.trim();
}

/** Ends of n8n for want of memory, by what ran out. */
const endsBy = ({ events }, resource) =>
  events.filter(({ exhausted }) => exhausted?.role === 'main' && exhausted.resource === resource);

const mainRole = ({ summary }) => summary.roles.find(({ role }) => role === 'main');

function lineOf({ cell, record }) {
  const { summary } = record;
  const ended = [...endsBy(record, 'heap'), ...endsBy(record, 'memory')];
  return [
    cell.n8n,
    `${cell.memoryMiB} MiB`,
    heapOf(cell, record),
    `${summary.offered.requests - summary.errors.requests} of ${summary.offered.requests}`,
    number(endsBy(record, 'heap').length),
    number(endsBy(record, 'memory').length),
    `${number(mainRole(record)?.rssPeakMiB ?? null)} MiB`,
    ended.length === 0 ? '-' : ended[0].text,
  ];
}

const HEAD = [
  ...['n8n', 'memory limit', 'heap', 'expected responses', 'ended by V8', 'ended by the kernel'],
  ...['memory, most', 'the first end, as recorded'],
];
const inOrder = (rows) =>
  rows.toSorted(
    (a, b) => b.cell.n8n.localeCompare(a.cell.n8n) || lineOf(a)[2].localeCompare(lineOf(b)[2]),
  );

const tableOf = (rows) => table(HEAD, inOrder(rows).map(lineOf));

function onThisMachine() {
  const rows = rowsOf('heap');
  if (rows.length === 0) return '';
  const { profile, workload } = rows[0].record;
  return `## A text of ${workload.parameters.mib} MiB

The published experiment: one execution keeps ${workload.parameters.mib} MiB of text in n8n itself, every ${number(1 / profile.ratePerSecond)} s for ${profile.durationSeconds} s. Under the
default heap n8n died with "JavaScript heap out of memory"; with a fitted heap and memory limit the text passed; with too high
a heap the kernel killed n8n. ${conditionsText(recordOf('heap'))}

${tableOf(rows)}

![Memory of n8n over time](results/heap-memory.svg)

${link(`${sweepOf('heap', SWEEP)}/sweep.json`)}, \`n8n-tuned sweep -f studies/heap.yaml\``;
}

function pods() {
  const rows = rowsOf(IN_PODS);
  if (rows.length === 0) return '';
  return `### In pods

The same on Kubernetes ${rows[0].record.target.deployed?.kubernetes ?? '-'}, where n8n has PostgreSQL. ${conditionsText(recordOf(IN_PODS))}

${tableOf(rows)}

${link(`${sweepOf(IN_PODS, SWEEP)}/sweep.json`)}, \`lab/cluster/cluster exec npx n8n-tuned study ${IN_PODS}\``;
}

function plots() {
  const rows = inOrder(rowsOf('heap')).filter(({ memory }) => memory !== null);
  return rows.length === 0
    ? []
    : [
        {
          ...{ kind: 'line', id: 'heap-memory' },
          title: 'Memory of n8n beneath a large text',
          x: { label: 'time', unit: 's' },
          y: { label: 'memory', unit: 'MiB', min: 0 },
          series: rows.map(({ cell, record, memory }) => ({
            label: `${cell.n8n}, ${heapOf(cell, record)}`,
            points: seriesOf(memory, 'main', 'rssMiB'),
          })),
        },
      ];
}

export const heapHog = { parts: [onThisMachine, pods], plots };
