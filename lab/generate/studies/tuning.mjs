// What the tuning profiles are worth by workload and mode, and what more CPU is worth to one process (studies/tuning.yaml,
// studies/cores.yaml).
import { has, link, number, readJson, spread, table } from '../records.ts';
import { cellsOf, controlsOf, otherCores, runConditionsText } from './study.mjs';

const folderOf = (name) => `studies/${name}/results`;
const cellsIn = (name) => (has(folderOf(name)) ? cellsOf(folderOf(name)) : []);
const rateOf = (one) => one?.figures.achievedPerSecond ?? null;
const rateText = (rate) => (rate === null ? 'none' : `${number(rate)}/s`);
const sourceOf = (name) =>
  `${link(`${folderOf(name)}/sweep.json`)}, \`n8n-tuned sweep -f studies/${name}/${name}.yaml\``;
const conditionsOf = (cells) => {
  const { record } = cells.find((one) => one.record !== null);
  return `${number(record.profile.clients)} clients. ${runConditionsText(record)}`;
};
const distinct = (values) => [...new Set(values)];
/** Of other work on the machine, while the worst of some runs was measured. */
const worstOthers = (cells) =>
  Math.max(...cells.map(({ record }) => (record === null ? 0 : otherCores(record))));

export function tuningProfiles() {
  const cells = cellsIn('tuning');
  if (cells.length === 0) return '';
  const valuesOf = (dimension) => distinct(cells.map(({ cell }) => cell[dimension]));
  const [workloads, modes] = [valuesOf('workload').toSorted(), valuesOf('mode').toSorted()];
  const tunings = [
    'none',
    ...valuesOf('tuning')
      .filter((tuning) => tuning !== 'none')
      .toSorted(),
  ];
  const rows = workloads.flatMap((workload) =>
    modes.map((mode) => {
      const same = cells.filter(({ cell }) => cell.workload === workload && cell.mode === mode);
      const rates = tunings.map((tuning) =>
        rateOf(same.find(({ cell }) => cell.tuning === tuning)),
      );
      const [none] = rates;
      const ratio = (rate) => (none && rate !== null ? `, ${number(rate / none)}x` : '');
      return [
        workload,
        mode,
        ...rates.map((rate, index) => `${rateText(rate)}${index === 0 ? '' : ratio(rate)}`),
        number(worstOthers(same)),
      ];
    }),
  );
  const controls = controlsOf(folderOf('tuning'));
  const { control } = readJson(`${folderOf('tuning')}/sweep.json`).plan;
  return `## The tuning profiles, by workload and mode

One run of each, one after the other in a random order: expected responses per second, and the ratio to n8n's own settings. How
far single runs differ by themselves: ${controls.length} of ${control.workload} in ${control.mode} mode with the ${control.tuning} profile, in between, gave
${spread(controls.map(rateOf))}/s. The comparisons above are more exact. ${conditionsOf(cells)} With so few
clients, executions that only wait do not tell the profiles apart.

${table(['workload', 'mode', ...tunings, 'cores used by other work'], rows)}

${sourceOf('tuning')}`;
}

/** [{millicores, rates, cpuMs, others}], the least CPU first. */
function coresRows() {
  const cells = cellsIn('cores').filter(({ record }) => record !== null);
  const counts = distinct(cells.map(({ cell }) => cell.cpuMillicores)).toSorted((a, b) => a - b);
  return counts.map((millicores) => {
    const same = cells.filter(({ cell }) => cell.cpuMillicores === millicores);
    return {
      ...{ millicores, rates: same.map(rateOf), others: worstOthers(same) },
      cpuMs: same.map(({ figures }) => figures.cpuMillisecondsPerRequest),
    };
  });
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

export function coresOfOneProcess() {
  const rows = coresRows();
  if (rows.length === 0) return '';
  const perCore = ({ rates, millicores }) => (1000 * mean(rates)) / millicores;
  return `## What more CPU is worth to one process

n8n in regular mode with the default tuning and the workload last-node. ${conditionsOf(cellsIn('cores'))}

${table(
  [
    'CPU',
    'expected responses, each run',
    'of a whole core',
    'CPU per request',
    'cores used by other work',
  ],
  rows.map((row) => [
    `${row.millicores}m`,
    row.rates.map(rateText).join(', '),
    `${number(perCore(row))}/s`,
    row.cpuMs.map((ms) => `${number(ms)} ms`).join(', '),
    number(row.others),
  ]),
)}

![responses over CPU](studies/cores/cores.svg)

${sourceOf('cores')}`;
}

export const coresPlots = () => {
  const rows = coresRows();
  if (rows.length === 0) return [];
  return [
    {
      ...{ kind: 'line', id: 'cores', title: 'Expected responses of one process over its CPU' },
      x: { label: 'CPU in millicores' },
      y: { label: 'responses per second', min: 0 },
      series: [
        {
          label: 'mean of its runs',
          points: rows.map(({ millicores, rates }) => [millicores, mean(rates)]),
        },
      ],
    },
  ];
};
