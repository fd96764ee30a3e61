// A large text under the default heap, a fitted one and one that is too high, on this machine and in pods.
import { link, number, table } from '../records.ts';
import { cellsOf, conditionsText, recordOf, seriesOf, sweepOf } from './study.mjs';

const SWEEP = 'heap';
const IN_PODS = 'heap-pods';

const rowsOf = (study) => {
  const sweep = sweepOf(study, SWEEP);
  return sweep === null ? [] : cellsOf(sweep).filter(({ record }) => record !== null);
};

/** Which of the three published heaps a cell has; a size by hand stands in Node.js's own options. */
function kindOf({ heapMiB, 'env.NODE_OPTIONS': options }) {
  if (options !== undefined) return 'too high';
  return heapMiB === 'auto' ? 'fitted' : 'default';
}

const heapOf = (cell, { versions }) =>
  ({
    default: `the default of Node.js ${versions.node ?? ''}`.trim(),
    fitted: "fitted: the chart's share",
    'too high': `too high: ${/=(\d+)/.exec(cell['env.NODE_OPTIONS'])?.[1]} MiB`,
  })[kindOf(cell)];

/** Ends of n8n for want of memory, by what ran out. */
const endsBy = ({ events }, resource) =>
  events.filter(({ exhausted }) => exhausted?.role === 'main' && exhausted.resource === resource);

const respondedTo = ({ summary }) => summary.offered.requests - summary.errors.requests;

const mainRole = ({ summary }) => summary.roles.find(({ role }) => role === 'main');

/** Which process or pod it was says nothing here, and Kubernetes starts each again. */
const shortened = (text) =>
  text
    .replace(/^(main ended:( it)?|the container \S+ of \S+) /, '')
    .replace(/,? and (was )?started again$/, '');

function lineOf({ cell, record }) {
  const { summary } = record;
  const ended = [...endsBy(record, 'heap'), ...endsBy(record, 'memory')];
  return [
    cell.n8n,
    `${cell.memoryMiB} MiB`,
    heapOf(cell, record),
    `${respondedTo(record)} of ${summary.offered.requests}`,
    number(endsBy(record, 'heap').length),
    number(endsBy(record, 'memory').length),
    `${number(mainRole(record)?.rssPeakMiB ?? null)} MiB`,
    ended.length === 0 ? '-' : shortened(ended[0].text),
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

![Memory of n8n over time](studies/heap/heap-memory.svg)

${whyNotAsPublished(rows)}
${link(`${sweepOf('heap', SWEEP)}/sweep.json`)}, \`n8n-tuned sweep -f studies/heap/heap.yaml\``;
}

/** Where the default heap was not full before its container: by whose limit Node.js sized it. */
function whyNotAsPublished(rows) {
  const own = rows.filter((row) => kindOf(row.cell) === 'default' && !isAsPublished([row]));
  const inPods = rowsOf(IN_PODS);
  const differs = own.filter(({ cell }) =>
    inPods.some(
      (row) => row.cell.n8n === cell.n8n && kindOf(row.cell) === 'default' && isAsPublished([row]),
    ),
  );
  if (differs.length === 0) return '';
  const names = differs.map(
    ({ cell, record }) => `n8n ${cell.n8n} on Node.js ${record.versions.node}`,
  );
  return `**Why it differs from what was published.** With the default heap ${names.join(' and ')} is ended by the kernel as a process
of this machine, and by V8 in a pod: in its pod Node.js finds the memory limit and sizes its heap by it, here it sizes the heap
by the memory of the machine.

`;
}

function pods() {
  const rows = rowsOf(IN_PODS);
  if (rows.length === 0) return '';
  return `### In pods

The same on Kubernetes ${rows[0].record.target.deployed?.kubernetes ?? '-'}. ${conditionsText(recordOf(IN_PODS))}

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

/** Whether all came out as published. */
const isAsPublished = (rows) =>
  rows.every(({ cell, record }) => {
    const ended = (resource) => endsBy(record, resource).length > 0;
    if (kindOf(cell) === 'fitted') return !ended('heap') && !ended('memory');
    return kindOf(cell) === 'default' ? ended('heap') : ended('memory');
  });

/** Null: nothing is recorded. */
function answer() {
  const rows = [...rowsOf('heap'), ...rowsOf(IN_PODS)];
  if (rows.length === 0) return null;
  const of = (kind) => {
    const own = rows.filter(({ cell }) => kindOf(cell) === kind).map(({ record }) => record);
    const sum = (figure) => own.reduce((all, record) => all + figure(record), 0);
    return `${sum(respondedTo)} of ${sum(({ summary }) => summary.offered.requests)}`;
  };
  const [{ record }] = rows;
  return {
    sentence: `Of requests whose execution keeps ${record.workload.parameters.mib} MiB of text, n8n responds to ${of('default')} under the default heap, to ${of('fitted')} under the chart's, and to ${of('too high')} under one that is too high for its container.`,
    published:
      'ends under the default heap, passes with a fitted one, is killed with too high a one',
    ours: isAsPublished(rows) ? 'the same' : 'not all the same',
  };
}

export const heapHog = { answer, parts: [onThisMachine, pods], plots };
