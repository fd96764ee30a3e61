// The target kubernetes: each command on a cluster, and the capacity there beside that of processes with the same limits
// (studies/kubernetes/measure.mjs).
import { limitName } from './limit-name.mjs';
import { COMPARED, MODES, PARTS, peerPart, TARGETS } from '../../../studies/kubernetes/parts.mjs';
import { atCapacity, capacityRatio, isDifferent } from './kubernetes-ratio.mjs';
import { bounds, why } from './kubernetes-why.mjs';
import { peerRecord, ratioOf } from './peers.mjs';
import { has, link, median, number, range, readJson, table } from '../records.ts';

const FOLDER = 'studies/kubernetes/results/parts/';
const WORDS = { process: 'processes', kubernetes: 'Kubernetes' };

/** Those that there are, by the name of their part. */
export const recorded = () =>
  Object.fromEntries(
    PARTS.flatMap(({ name }) => {
      const path = `${FOLDER}${name}.json`;
      return has(path) ? [[name, { path, ...readJson(path) }]] : [];
    }),
  );

/** Comparisons with the official chart, of another plan. */
const compared = () =>
  COMPARED.flatMap((part) => {
    const record = peerRecord(part.workload, part.mode, part.contender);
    return record === null ? [] : [record];
  });

const searchesOf = (records) => PARTS.filter(({ kind, name }) => kind === 'find' && records[name]);
const bothOf = (records, mode) =>
  TARGETS.map((target) => records[`find-${mode}-${target}`]).filter((one) => one !== undefined);

export function answer(records = recorded()) {
  const ratios = MODES.flatMap((mode) => {
    const both = bothOf(records, mode);
    if (both.length < TARGETS.length) return [];
    const [processes, pods] = both;
    return [{ mode, ...capacityRatio(pods, processes) }];
  });
  if (ratios.length === 0) {
    return {
      sentence: `Of the searches on both targets ${searchesOf(records).length} have a record so far.`,
    };
  }
  return {
    sentence: `In ${ratios.map((ratio) => `${ratio.mode} mode ${wordOf(ratio)}`).join(', in ')}.`,
    ours: ratios
      .map((ratio) => `${number(ratio.value)}x (${bounds(ratio)}) in ${ratio.mode} mode`)
      .join(', '),
  };
}

function wordOf(ratio) {
  if (ratio.isInconclusive) return 'it is not known, as a search was inconclusive';
  if (!isDifferent(ratio)) return 'no difference is shown';
  return ratio.value < 1 ? 'it sustains less' : 'it sustains more';
}

/** The searches on both targets, and why they differ. */
export function sideBySide(records = recorded()) {
  const parts = searchesOf(records);
  if (parts.length === 0) return '';
  const { search } = records[parts[0].name];
  return `## The same limits, on processes and on Kubernetes

Each process of n8n may use ${limitsOf(parts, records)}, on both targets, so that n8n runs out of CPU before the
machine does (${search.machine.cores} cores, ${search.machine.cpu}). The calls of a mode differ in \`--target\`, and where the table says so in
\`--budget\`: ${search.workload.title.toLowerCase()}, ${search.slo.map(({ text }) => text).join(', ')}.

${table(
  [
    ...['mode', 'target', 'capacity, 95% interval', 'verdict', 'limited by', 'p50; p95 there'],
    ...["n8n's CPU per response there", 'budget', 'versions', ''],
  ],
  parts.map(({ name, mode, target }) => searchRow(records[name], mode, target)),
)}

${MODES.map((mode) => whyIn(mode, bothOf(records, mode)))
  .filter((text) => text !== '')
  .join('\n\n')}`;
}

/** By mode, where they are not the same in all of them. */
function limitsOf(parts, records) {
  const byText = new Map();
  for (const { name, mode } of parts) {
    const { cpuMillicores, memoryMiB } = records[name].search.topology.main;
    const cores = cpuMillicores / 1000;
    const text = `${number(cores)} ${cores === 1 ? 'core' : 'cores'} and ${memoryMiB} MiB`;
    byText.set(text, [...new Set([...(byText.get(text) ?? []), mode])]);
  }
  return [...byText]
    .map(([text, modes]) => (byText.size === 1 ? text : `${text} in ${modes.join(' and ')} mode`))
    .join(', ');
}

function searchRow(record, mode, target) {
  const { search, path } = record;
  const run = atCapacity(record);
  const ms = (value) => (value === null || value === undefined ? '-' : `${number(value)} ms`);
  return [
    ...[mode, WORDS[target]],
    `${number(search.capacity.ratePerSecond)}/s (${range(search.capacity)})`,
    ...[search.verdict, limitName(search.limit)],
    `${ms(run?.latencyMs?.p50)}; ${ms(run?.latencyMs?.p95)}`,
    ms(run?.cpuMillisecondsPerRequest),
    `${number(search.budgetSeconds / 60)} min`,
    Object.entries(search.versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', '),
    link(path),
  ];
}

/** Empty where one of the two has no record. */
const whyIn = (mode, [processes, pods]) => (pods === undefined ? '' : why(mode, processes, pods));

/** Each command by one call on the cluster. */
export function commands(records = recorded(), peers = compared()) {
  const made = PARTS.filter(({ name }) => records[name]).map(({ name }) => records[name]);
  const rows = [
    ...PARTS.filter(({ target, name }) => target === 'kubernetes' && records[name]).map(
      ({ kind, name }) => [
        `\`${kind === 'prove' ? 'recommend --prove' : kind}\``,
        OUTCOMES[kind](records[name]),
        link(records[name].path),
      ],
    ),
    ...peers.map((record) => [
      '`compare`',
      `ours, of the official chart, in ${record.mode} mode: ${ratioOf(record)}`,
      link(record.file),
    ]),
  ];
  if (made.length === 0) return '';
  const missing = [
    ...PARTS.filter(({ name }) => records[name] === undefined).map(({ name }) => name),
    ...COMPARED.filter((part) => !peers.some((record) => record.part === peerPart(part))).map(
      peerPart,
    ),
  ];
  return `## Each command on a cluster

By one call each, of [the plan](studies/kubernetes/parts.mjs) or, where charts are compared, of [that of the charts](studies/charts/parts.mjs).${missing.length === 0 ? '' : `\nNot measured yet: ${missing.join(', ')}.`}

${table(['command', 'what came out', ''], rows)}

${sweepTable(records['sweep-tuning-cpu'])}The calls:

${[...made, ...peers].map(({ command }) => `- \`n8n-tuned ${command.map(quoted).join(' ')}\``).join('\n')}`;
}

const OUTCOMES = {
  find: ({ search, mode }) => `${mode} mode, ${search.verdict}: ${search.sentence}`,
  run: ({ run }) => run.verdict.sentence,
  prove: ({ proof }) =>
    `${proof.verdict} after ${proof.attempts.length} of its values files: ${proof.attempts.at(-1).sentence}`,
  sweep: ({ sweep }) =>
    `${sweep.title}: ${sweep.cells.filter(({ isControl }) => !isControl).length} cells, and ${sweep.cells.filter(({ isControl }) => isControl).length} measurements of the control cell`,
};

/** Cells alone; how much the control cell varied is said. */
function sweepTable(record) {
  if (record === undefined) return '';
  const { cells, plan } = record.sweep;
  const names = Object.keys(plan.dimensions);
  const value = ({ cell }, name) => cell[name] ?? '-';
  const rows = cells
    .filter(({ isControl }) => !isControl)
    .toSorted((a, b) => {
      const differs = names.find((name) => value(a, name) !== value(b, name));
      return differs === undefined || value(a, differs) < value(b, differs) ? -1 : 1;
    })
    .map((cell) => [
      ...names.map((name) => value(cell, name)),
      `${number(cell.figures.achievedPerSecond)}/s`,
      `${number(cell.figures.p95Ms)} ms`,
      `${number(cell.figures.cpuMillisecondsPerRequest)} ms`,
      limitName(cell.limitedBy.limit),
    ]);
  const controls = cells
    .filter(({ isControl, figures }) => isControl && figures.achievedPerSecond !== null)
    .map(({ figures }) => figures.achievedPerSecond);
  const drift =
    controls.length < 2
      ? ''
      : ` The control cell gave ${controls.map((rate) => `${number(rate)}/s`).join(', ')} (median ${number(median(controls))}/s).`;
  return `${plan.measure.clients} clients for ${plan.measure.duration} s in each cell of the sweep, a deployment each.${drift}

${table([...names, 'expected responses', 'p95', "n8n's CPU per response", 'limited by'], rows)}

`;
}

const quoted = (word) => (/^[\w.,:/=@%+-]+$/.test(word) ? word : `'${word}'`);
