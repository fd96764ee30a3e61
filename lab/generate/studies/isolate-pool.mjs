// How many sandboxes for expressions to keep ready, by cores and bursts.
import { has, hrefOf, namesIn, number, readJson, spread, table } from '../records.ts';

const FOLDER = 'studies/isolate-pool/results';
const CPUS = { 'one-core': 'one core', 'all-cores': 'all cores' };

export function isolatePool() {
  const files = has(FOLDER) ? namesIn(FOLDER).filter((name) => name.endsWith('.json')) : [];
  if (files.length === 0) return '';
  const records = files.map((file) => ({
    path: `${FOLDER}/${file}`,
    ...readJson(`${FOLDER}/${file}`),
  }));
  const [{ seconds, versions, machine }] = records;
  return `## How many sandboxes to keep ready

The workload expressions in regular mode with the chart's defaults, n8n ${versions.n8n}, ${seconds} s at a usual rate, ${seconds / 5} s of it at five
times that rate, random arrivals; ${machine.cores} cores (${machine.cpu}), which the load generator shares. The pool is
\`N8N_EXPRESSION_ENGINE_POOL_SIZE\`; an execution that finds it empty has to build a sandbox, and n8n does nothing else meanwhile.
Of the runs of each row the median, and from the least to the most. The chart's own value is
\`tuning.readySandboxes\`.

${table(
  [
    ...['CPU of n8n', 'rate, in the burst', 'pool', 'built while an execution waited'],
    ...['p95', 'CPU per request', "n8n's memory, at most", 'records'],
  ],
  groupsOf(records).map(rowOf),
)}`;
}

function groupsOf(records) {
  const groups = new Map();
  for (const record of records.toSorted(inOrder)) {
    const key = [record.cpu, record.ratePerSecond, record.size].join(' ');
    groups.set(key, [...(groups.get(key) ?? []), record]);
  }
  return [...groups.values()];
}

function inOrder(a, b) {
  const cpus = Object.keys(CPUS);
  return (
    cpus.indexOf(a.cpu) - cpus.indexOf(b.cpu) ||
    a.ratePerSecond - b.ratePerSecond ||
    a.size - b.size ||
    a.round - b.round
  );
}

function rowOf(runs) {
  const [{ cpu, ratePerSecond, size }] = runs;
  const of = (figure) => spread(runs.map(figure));
  return [
    CPUS[cpu],
    `${number(ratePerSecond)}/s, ${number(5 * ratePerSecond)}/s`,
    size,
    `${of(({ coldSandboxes, expected }) => (100 * coldSandboxes) / expected)}% of the executions`,
    `${of(({ p95Ms }) => p95Ms)} ms`,
    `${of(({ cpuMillisecondsPerRequest }) => cpuMillisecondsPerRequest)} ms`,
    `${of(({ memoryMiB }) => memoryMiB)} MiB`,
    runs.map(({ path }, index) => `[${index + 1}](${hrefOf(path)})`).join(' '),
  ];
}
