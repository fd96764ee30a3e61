// Memory of HTTP servers under many connections, by framework and by who starts the processes.
import { n8nMemory, n8nMemoryPlots } from './memory-n8n.mjs';
import { link, number, read, table } from '../records.ts';
import { cellsOf, conditionsText, otherCores, recordOf, sweepIn } from './study.mjs';

const NAME = 'memory-over-time';
const WAYS = [
  ['alone', /^exec node/],
  ['PM2 fork', /pm2\.sh \S+$/],
  ['PM2 cluster, 2', /-i 2$/],
];
const FRAMEWORKS = ['basic', 'express', 'nest'];
const wayOf = ({ cell }) => WAYS.find(([, pattern]) => pattern.test(cell.command))?.[0];
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)];

function rows() {
  const folder = recordOf(NAME);
  if (folder === null) return [];
  const cells = cellsOf(sweepIn(folder)).filter(({ record }) => record !== null);
  return FRAMEWORKS.flatMap((framework) =>
    WAYS.flatMap(([way]) => {
      const same = cells.filter(
        (one) => one.cell['env.FRAMEWORK'] === framework && wayOf(one) === way,
      );
      if (same.length === 0) return [];
      const server = ({ record }) => record.summary.roles.find(({ role }) => role === 'server');
      const of = (figure) => median(same.map(figure));
      return [
        {
          ...{ framework, way },
          peakMiB: of((one) => server(one).rssPeakMiB),
          medianMiB: of((one) => server(one).rssMedianMiB),
          processes: of((one) => server(one).processesPeak),
          rate: of(({ figures }) => figures.achievedPerSecond),
          cpuMs: of(({ figures }) => figures.cpuMillisecondsPerRequest),
          others: Math.max(...same.map(({ record }) => otherCores(record))),
        },
      ];
    }),
  );
}

/** Memory by pid over time, of the cell with most processes in it. */
function overTime() {
  const folder = recordOf(NAME);
  const cell = cellsOf(sweepIn(folder)).find(
    (one) => one.cell['env.FRAMEWORK'] === 'nest' && wayOf(one) === WAYS.at(-1)[0] && one.memory,
  );
  if (cell === undefined) return [];
  const rows = read(cell.memory)
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))
    .filter(([, , , metric]) => metric === 'rssMiB');
  return [...new Set(rows.map(([, , instance]) => instance))].map((instance) => ({
    label: instance.includes('/') ? `pid ${instance.split('/')[1]}` : 'PM2 itself',
    points: rows
      .filter(([, , one]) => one === instance)
      .map(([tMs, , , , value]) => [Number(tMs) / 1000, Number(value)]),
  }));
}

const at = (all, framework, way) =>
  all.find((row) => row.framework === framework && row.way === way);

function answer() {
  const all = rows();
  const [basic, nest] = ['basic', 'nest'].map((framework) => at(all, framework, 'alone'));
  const managed = at(all, 'basic', 'PM2 fork');
  return {
    sentence: `A full framework takes ${number(nest.peakMiB / basic.peakMiB)} times the memory of a basic server, and PM2 ${number(managed.peakMiB - basic.peakMiB)} MiB for itself.`,
    published: 'memory as graphs, no figures',
    ours: `${number(basic.peakMiB)} MiB basic, ${number(nest.peakMiB)} MiB with NestJS`,
  };
}

function part() {
  const all = rows();
  if (all.length === 0) return '';
  const folder = recordOf(NAME);
  return `## Memory under 400 connections

400 clients that keep their connections ask a server for a small JSON; it is a basic one of Node.js, Express or NestJS, and
runs alone, under PM2 in fork mode, or as two processes under PM2 in cluster mode. Memory is the resident memory of all its
processes together, PM2's own among them: what processes share counts in each of them. ${conditionsText(folder)}

${table(
  [
    'server',
    'run',
    'memory, most',
    'memory, median',
    'processes',
    'of the basic one alone',
    'expected responses',
    'CPU per request',
    'cores used by other work',
  ],
  all.map((row) => [
    row.framework,
    row.way,
    `${number(row.peakMiB)} MiB`,
    `${number(row.medianMiB)} MiB`,
    row.processes,
    `${number(row.peakMiB / at(all, 'basic', 'alone').peakMiB)}x`,
    `${number(row.rate)}/s`,
    `${number(row.cpuMs)} ms`,
    number(row.others),
  ]),
)}

![Highest memory by framework and by who starts the processes](studies/${NAME}/${NAME}.svg)

![Memory of each process over time, NestJS under PM2 in cluster mode](studies/${NAME}/${NAME}-by-pid.svg)

**Why it differs from what was published.** The published experiment shows graphs over time and no figures that can be
compared. Its order is found again: a framework costs memory in each process, and PM2 adds a process of its own. For memory
over time of any process, by its pid, there is \`n8n-tuned sample\`. Where other work used much of the machine, rates say
nothing; memory is hardly touched by it.

${link(`${sweepIn(folder)}/sweep.json`)}, \`n8n-tuned study ${NAME}\``;
}

const plots = () => {
  const all = rows();
  return all.length === 0
    ? []
    : [
        {
          kind: 'bar',
          id: NAME,
          title: 'Highest memory under 400 connections',
          unit: 'MiB',
          bars: all.map(({ framework, way, peakMiB }) => ({
            label: `${framework}, ${way}`,
            value: peakMiB,
          })),
        },
        {
          kind: 'line',
          id: `${NAME}-by-pid`,
          title: 'Memory of each process: NestJS under PM2 in cluster mode',
          x: { label: 'time', unit: 's' },
          y: { label: 'resident memory', unit: 'MiB', min: 0 },
          series: overTime(),
        },
        ...n8nMemoryPlots(),
      ];
};

export const memoryOverTime = { answer, parts: [part, n8nMemory], plots };
