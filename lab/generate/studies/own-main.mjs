// A process for each execution, or one for all, in n8n below 1.0: with the published limits, on this machine and in pods.
import * as answers from './answers.mjs';
import { has, link, median, number, read, readJson, recordsNamed, table } from '../records.ts';
import {
  cellsOf,
  conditionsText,
  otherCores,
  publishedBy,
  publishedOf,
  recordOf,
  seriesOf,
  sweepOf,
} from './study.mjs';

const NAME = 'own-main';
const SWEEP = 'own-against-main';
const PODS = 'own-main-pods';
const PROCESSES = ['own', 'main'];
const WORKLOADS = [
  ['async', 'responds at once'],
  ['wait-5s', 'responds after the function'],
];
const PROCESS_WORDS = { own: 'a process for each execution', main: 'one process for all' };

const mainRole = ({ summary }) => summary.roles.find(({ role }) => role === 'main');

/** What a run showed of n8n. */
const figuresOf = (record) => ({
  rate: record.summary.achieved.ratePerSecond,
  sent: record.summary.offered.requests,
  failed: record.summary.errors.requests,
  restarts: mainRole(record)?.restarts ?? 0,
  oomKills: mainRole(record)?.oomKills ?? 0,
  memoryMiB: mainRole(record)?.rssPeakMiB ?? null,
  processes: mainRole(record)?.processesPeak ?? null,
  others: otherCores(record),
});

/** {process, workload, cells, figures} for each that was measured; `figures` are medians over repeats. */
function rows() {
  const sweep = sweepOf(NAME, SWEEP);
  if (sweep === null) return [];
  const cells = cellsOf(sweep).filter(({ record }) => record !== null);
  return WORKLOADS.flatMap(([workload]) =>
    PROCESSES.map((process) => ({
      ...{ process, workload },
      cells: cells.filter(({ cell }) => cell.process === process && cell.workload === workload),
    })),
  )
    .filter(({ cells: some }) => some.length > 0)
    .map((row) => {
      const all = row.cells.map(({ record }) => figuresOf(record));
      const figures = Object.fromEntries(
        Object.keys(all[0]).map((name) => [name, median(all.map((one) => one[name] ?? NaN))]),
      );
      return { ...row, figures };
    });
}

const ratio = (all, workload) => {
  const of = (process) =>
    all.find((row) => row.process === process && row.workload === workload)?.figures.rate;
  return of('main') / of('own');
};

/** Main over own of responses at once in pods, in words; empty: not measured. */
function inPods() {
  const of = (process) =>
    podRuns().find((run) => run.process === process && run.workload === 'async');
  const [main, own] = ['main', 'own'].map((process) => of(process)?.record);
  if (main === undefined || own === undefined) return '';
  return `, and ${number(figuresOf(main).rate / figuresOf(own).rate)} times as much in a pod with the published probes`;
}

/** By the run with the published limits; without one by that without limits. */
function answer() {
  const all = rows();
  const ours = ratio(all, 'async');
  if (!Number.isFinite(ours)) return answers.ownMain();
  const published = publishedBy(NAME);
  const theirs = published['main-rate'] / published['own-rate'];
  const own = all.find((row) => row.process === 'own' && row.workload === 'async').figures;
  return {
    sentence: `With responses at once and the published limits, one process for all does ${number(ours)} times as much${inPods()}; a process per execution fails in ${number((100 * own.failed) / own.sent)}% of the requests.`,
    published: `${number(theirs)}x requests per second`,
    ours: `${number(ours)}x`,
    ratio: number(ours / theirs),
  };
}

const HEAD = [
  ...['expected responses', 'failed, of all', 'restarts', 'killed for memory'],
  ...['memory, most', 'processes, most', 'cores used by other work'],
];
const shown = (figures) => [
  `${number(figures.rate)}/s`,
  `${number(Math.round(figures.failed))} of ${number(Math.round(figures.sent))}`,
  number(figures.restarts),
  number(figures.oomKills),
  `${number(figures.memoryMiB)} MiB`,
  number(figures.processes),
  number(figures.others),
];
const titleOf = (workload) => WORKLOADS.find(([one]) => one === workload)[1];

function limited() {
  const all = rows();
  if (all.length === 0) return '';
  const measured = all[0].cells[0];
  const lines = all.map(({ process, workload, figures }) => [
    PROCESS_WORDS[process],
    titleOf(workload),
    ...shown(figures),
    process === 'main' && Number.isFinite(ratio(all, workload))
      ? `${number(ratio(all, workload))}x`
      : '',
  ]);
  const { clients, durationSeconds } = measured.record.profile;
  return `## With the published limits

${clients} clients for ${durationSeconds} s on n8n ${measured.record.versions.n8n} with ${measured.cell.cpuMillicores}m of CPU and ${measured.cell.memoryMiB} MiB, as processes of this machine; medians of the repeats. ${conditionsText(recordOf(NAME))}

${table(['executions', 'the workflow', ...HEAD, 'main over own'], lines)}

${besidePublished(all)}

${hasSeries() ? SERIES : ''}${link(`${sweepOf(NAME, SWEEP)}/sweep.json`)}, \`n8n-tuned study ${NAME}\``;
}

/** What the published experiment says, of responses at once, beside what was measured here, and why they differ. */
function besidePublished(all) {
  const published = publishedBy(NAME);
  const [own, main] = PROCESSES.map((process) =>
    all.find((row) => row.process === process && row.workload === 'async'),
  );
  if (own === undefined || main === undefined) return '';
  const rates = [
    ['requests per second with own', published['own-rate'], own.figures.rate],
    ['requests per second with main', published['main-rate'], main.figures.rate],
    ['main over own', published['main-rate'] / published['own-rate'], ratio(all, 'async')],
  ];
  const failed = publishedOf(NAME).find(({ id }) => id === 'own-failed');
  return `${table(
    ['what', 'published', 'ours', 'ours, of the published'],
    [
      ...rates.map(([what, theirs, ours]) => [what, ...[theirs, ours, ours / theirs].map(number)]),
      [
        failed.what,
        `${failed.value} ${failed.unit}`,
        `${number(Math.round(own.figures.failed))} of ${number(Math.round(own.figures.sent))}`,
        '',
      ],
    ],
  )}

**Why it differs from what was published.** ${limitOf(main)} in the runs with one process for all, so their rate is that of a
core of this machine, which the published experiment does not describe. ${limitOf(own)} in those with a process for each
execution. After that n8n starts again: meanwhile most requests get an error at once (${kindsOf(own)} in the first of these
runs), and a client that waits for its response sends the next one at once, so that more of them fail than were published.`;
}

/** As the verdict says of the first run. */
const limitOf = ({ cells: [{ record }] }) =>
  record.verdict.limitedBy.evidence.replace(/^./, (first) => first.toUpperCase());
const kindsOf = ({ cells: [{ record }] }) =>
  Object.entries(record.summary.errors.byKind)
    .map(([kind, count]) => `${kind} ${count}`)
    .join(', ');

const SERIES = `![Memory over time](studies/${NAME}/${NAME}-memory.svg)

![Processes over time](studies/${NAME}/${NAME}-processes.svg)

`;

/** In pods: of each kind the last run. */
function podRuns() {
  const folder = recordOf(PODS);
  return WORKLOADS.flatMap(([workload]) =>
    PROCESSES.flatMap((process) => {
      const place = `${folder}/${process}-${workload}/`;
      if (folder === null || !has(place)) return [];
      const path = recordsNamed('run.json', place).at(-1);
      if (path === undefined) return [];
      const memory = path.replace('run.json', 'memory.csv');
      return [{ process, workload, path, memory, record: readJson(path) }];
    }),
  );
}

const most = (points) => Math.max(...points.map(([, value]) => value));

function pods() {
  const runs = podRuns();
  if (runs.length === 0) return '';
  const lines = runs.map(({ process, workload, path, memory, record }) => [
    PROCESS_WORDS[process],
    titleOf(workload),
    ...shown({ ...figuresOf(record), processes: most(processesIn(memory)) }),
    Object.entries(record.summary.errors.byKind)
      .map(([kind, count]) => `${kind} ${count}`)
      .join(', ') || '-',
    link(path),
  ]);
  const [{ record }] = runs;
  return `## In a pod, with the published probes

The same clients and limits in one pod with PostgreSQL, whose liveness probe asks /healthz as published: with the defaults
of Kubernetes (every 10 s, a second to respond, three failures). Kubernetes ${record.target.deployed?.kubernetes ?? '-'}, n8n ${record.versions.n8n}.
${conditionsText(recordOf(PODS))}

${table(['executions', 'the workflow', ...HEAD, 'how they failed', ''], lines)}

\`lab/cluster/cluster exec npx n8n-tuned study ${PODS}\``;
}

/** [[second, processes of n8n in its container]]: each has its memory, as has the container's own first process. */
function processesIn(file) {
  const counts = new Map();
  for (const line of read(file).trim().split('\n').slice(1)) {
    const [tMs, role, instance, name] = line.split(',');
    if (role !== 'main' || name !== 'rssMiB' || instance.endsWith('/1')) continue;
    const second = Math.round(Number(tMs) / 1000);
    counts.set(second, (counts.get(second) ?? 0) + 1);
  }
  return [...counts];
}

const seriesCells = () =>
  rows()
    .filter(({ workload }) => workload === 'async')
    .flatMap(({ process, cells }) => {
      const cell = cells.find(({ memory }) => memory !== null);
      return cell === undefined ? [] : [{ process, cell }];
    });
const hasSeries = () => seriesCells().length > 0;

/** Of a metric, on this machine and in pods. */
const seriesOver = (metric) => [
  ...seriesCells().map(({ process, cell }) => ({
    label: PROCESS_WORDS[process],
    points: seriesOf(cell.memory, 'main', metric),
  })),
  ...podRuns()
    .filter(({ workload }) => workload === 'async')
    .map(({ process, memory }) => ({
      label: `${PROCESS_WORDS[process]}, in a pod`,
      points: metric === 'processes' ? processesIn(memory) : seriesOf(memory, 'main', metric),
    })),
];

const plots = () =>
  !hasSeries()
    ? []
    : [
        ['rssMiB', 'memory', 'Memory of n8n over time, by who runs executions', 'MiB'],
        ['processes', 'processes', 'Processes of n8n over time, by who runs executions', ''],
      ].map(([metric, name, title, unit]) => ({
        ...{ kind: 'line', id: `${NAME}-${name}`, title },
        x: { label: 'time', unit: 's' },
        y: { label: name, ...(unit === '' ? {} : { unit }), min: 0 },
        series: seriesOver(metric),
      }));

export const ownMain = { answer, parts: [limited, pods], plots };
