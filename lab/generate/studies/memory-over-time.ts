// Memory under many connections: of HTTP servers by framework and by who starts the processes, and of n8n's processes.
import type { RunRecord, SampledRole } from '../../../cli/src/record/run-record';
import {
  columns,
  link,
  lowerMedian,
  mib,
  ms,
  number,
  perSecond,
  readJson,
  recordsNamed,
  tableOf,
} from '../records';
import type { StudyPage } from '../study-page';
import { cellsOf, disturbance, roleOf, sum, sweepLink, sweepOf, worstOthers } from '../sweeps';

const NAME = 'memory-over-time';
const SWEEP = sweepOf(NAME, NAME);
const MANAGED = 'PM2 cluster, 2';
const WAYS: [string, RegExp][] = [
  ['alone', /^exec node/],
  ['PM2 fork', /pm2\.sh \S+$/],
  [MANAGED, /-i 2$/],
];
const FRAMEWORKS = ['basic', 'express', 'nest'];

const cellsWith = (framework: string, way: RegExp) =>
  cellsOf(SWEEP).filter(
    ({ cell }) => cell['env.FRAMEWORK'] === framework && way.test(String(cell['command'])),
  );

const rows = () =>
  FRAMEWORKS.flatMap((framework) =>
    WAYS.map(([way, pattern]) => {
      const same = cellsWith(framework, pattern);
      const of = (figure: (cell: (typeof same)[number]) => number | null | undefined): number =>
        lowerMedian(same.map((one) => figure(one) ?? NaN));
      return {
        ...{ framework, way },
        peakMiB: of(({ record }) => roleOf(record, 'server')?.rssPeakMiB),
        cpuMs: of(({ figures }) => figures.cpuMillisecondsPerRequest),
      };
    }),
  );

const peakOf = (framework: string, way: string): number =>
  rows().find((row) => row.framework === framework && row.way === way)?.peakMiB ?? NaN;

function answer() {
  const [basic, nest] = [peakOf('basic', 'alone'), peakOf('nest', 'alone')];
  return {
    sentence: `A full framework takes ${number(nest / basic)} times the memory of a basic server, and PM2 ${mib(peakOf('basic', 'PM2 fork') - basic)} for itself.`,
    published: 'memory as graphs, no figures',
    ours: `${mib(basic)} basic, ${mib(nest)} with NestJS`,
  };
}

const servers = (): string => `## Memory under 400 connections

400 clients that keep their connections ask a server for a small JSON. It is a basic server of Node.js, Express or NestJS. It
runs alone, under PM2 in fork mode, or as two processes under PM2 in cluster mode. Memory is the resident memory of all its processes and PM2's; what they share counts in each of them. Each cell has the most memory, and the CPU per request. ${disturbance(worstOthers(cellsOf(SWEEP)))}

${tableOf(FRAMEWORKS, {
  server: (framework) => framework,
  ...columns(
    WAYS,
    ([way]) => way,
    (framework: string, [way]) => {
      const row = rows().find((one) => one.framework === framework && one.way === way);
      return `${mib(row?.peakMiB)}; ${ms(row?.cpuMs)}`;
    },
  ),
})}

**Why it differs from what was published.** The published experiment shows graphs and no figures that can be
compared. Its order is found again. For memory over time of any process, there is \`n8n-tuned sample\`.

${sweepLink(SWEEP)}`;

const TUNINGS = [
  ['none', "n8n's own settings"],
  ['default', 'the settings of this kit'],
] as const;
const ROLES: Partial<Record<SampledRole, string>> = {
  main: 'main',
  worker: 'worker',
  runner: 'task runner',
  webhook: 'webhook processor',
};

/** The settings of this kit last. */
const n8nRuns = () =>
  TUNINGS.map(([tuning, words]) => {
    const path = recordsNamed('run.json', `studies/${NAME}/results/n8n-${tuning}/`).at(-1) ?? '';
    return { words, path, record: readJson<RunRecord>(path) };
  });

function n8nMemory(): string {
  const runs = n8nRuns();
  const peakAt = ({ record }: (typeof runs)[number], role: string): number =>
    record.summary.roles.find((one) => one.role === role)?.rssPeakMiB ?? 0;
  const [first] = runs;
  return `## Memory of n8n's processes under as many connections

${number(first?.record.profile.clients)} clients call the workload ${first?.record.workload.name ?? ''} of n8n ${first?.record.versions['n8n'] ?? ''} in queue mode, through a webhook processor; a worker and its task runner
execute it. Memory is the most resident memory of each process, without Redis and PostgreSQL.

${tableOf(runs, {
  settings: ({ words }) => words,
  ...columns(
    Object.entries(ROLES),
    ([, title]) => title,
    (run: (typeof runs)[number], [role]) => mib(peakAt(run, role)),
  ),
  'all of them': (run) => mib(sum(Object.keys(ROLES).map((role) => peakAt(run, role)))),
  'expected responses': ({ record }) => perSecond(record.summary.achieved.ratePerSecond),
  'CPU per request': ({ record }) => ms(record.summary.cpuMillisecondsPerRequest),
  '': ({ path }) => link(path),
})}`;
}

export const memoryOverTime: StudyPage = {
  study: NAME,
  answer,
  parts: [servers, n8nMemory],
};
