// Memory under many connections: of HTTP servers by framework and by who starts the processes, and of n8n's processes.
import type { RunRecord, SampledRole } from '../../../cli/src/record/run-record';
import {
  link,
  mib,
  ms,
  number,
  perSecond,
  readJson,
  recordsNamed,
  tableOf,
  times,
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
        same.map((one) => figure(one) ?? NaN).toSorted((a, b) => a - b)[
          Math.floor((same.length - 1) / 2)
        ] ?? NaN;
      return {
        ...{ framework, way },
        peakMiB: of(({ record }) => roleOf(record, 'server')?.rssPeakMiB),
        medianMiB: of(({ record }) => roleOf(record, 'server')?.rssMedianMiB),
        processes: of(({ record }) => roleOf(record, 'server')?.processesPeak),
        rate: of(({ figures }) => figures.achievedPerSecond),
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
runs alone, under PM2 in fork mode, or as two processes under PM2 in cluster mode. Memory is the resident memory of all its
processes together, PM2's own among them: what processes share counts in each of them. ${disturbance(worstOthers(cellsOf(SWEEP)))}

${tableOf(rows(), {
  server: ({ framework }) => framework,
  run: ({ way }) => way,
  'memory, most': ({ peakMiB }) => mib(peakMiB),
  'memory, median': ({ medianMiB }) => mib(medianMiB),
  processes: ({ processes }) => processes,
  'of the basic one alone': ({ peakMiB }) => times(peakMiB / peakOf('basic', 'alone')),
  'expected responses': ({ rate }) => perSecond(rate),
  'CPU per request': ({ cpuMs }) => ms(cpuMs),
})}

**Why it differs from what was published.** The published experiment shows graphs over time and no figures that can be
compared. Its order is found again: a framework costs memory in each process, and PM2 adds a process of its own. For memory
over time of any process, by its pid, there is \`n8n-tuned sample\`.

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
  const lines = runs.flatMap(({ words, path, record }) => {
    const roles = Object.entries(ROLES).flatMap(([role, title]) => {
      const found = record.summary.roles.find((one) => one.role === role);
      return found === undefined ? [] : [{ title, words, path, ...found }];
    });
    const whole = (figure: 'rssPeakMiB' | 'rssMedianMiB' | 'processesPeak'): number =>
      sum(roles.map((one) => one[figure] ?? 0));
    return [
      ...roles,
      {
        ...{ title: 'all of them', words, path, rssPeakMiB: whole('rssPeakMiB') },
        ...{ rssMedianMiB: whole('rssMedianMiB'), processesPeak: whole('processesPeak') },
      },
    ];
  });
  const [first] = runs;
  return `## Memory of n8n's processes under as many connections

${number(first?.record.profile.clients)} clients call the workload ${first?.record.workload.name ?? ''} of n8n ${first?.record.versions['n8n'] ?? ''} in queue mode, through a webhook processor; a worker and its task runner
execute it. Memory is the resident memory of each process; Redis and PostgreSQL are not in it.

${tableOf(lines, {
  settings: ({ words }) => words,
  process: ({ title }) => title,
  'memory, most': ({ rssPeakMiB }) => mib(rssPeakMiB),
  'memory, median': ({ rssMedianMiB }) => mib(rssMedianMiB),
  processes: ({ processesPeak }) => processesPeak,
})}

${runs.map(({ words, path, record }) => `With ${words} ${perSecond(record.summary.achieved.ratePerSecond)} expected responses: ${link(path)}.`).join(' ')}`;
}

export const memoryOverTime: StudyPage = {
  study: NAME,
  answer,
  parts: [servers, n8nMemory],
};
