// Memory of n8n's processes over time, beside that of HTTP servers: main, a worker and a webhook processor.
import { has, link, number, read, readJson, recordsNamed, table } from '../records.ts';
import { otherCores, recordOf, runConditionsText } from './study.mjs';

const NAME = 'memory-over-time';
const TUNINGS = [
  ['none', "n8n's own settings"],
  ['default', 'the settings of this kit'],
];
const ROLES = [
  ['main', 'main'],
  ['worker', 'worker'],
  ['runner', 'task runner'],
  ['webhook', 'webhook processor'],
];

/** {tuning, words, path, record} of each run, the settings of this kit last. */
function runs() {
  const folder = recordOf(NAME);
  return TUNINGS.flatMap(([tuning, words]) => {
    const place = `${folder}/n8n-${tuning}/`;
    const path = folder !== null && has(place) ? recordsNamed('run.json', place).at(-1) : undefined;
    return path === undefined ? [] : [{ tuning, words, path, record: readJson(path) }];
  });
}

export function n8nMemory() {
  const all = runs();
  if (all.length === 0) return '';
  const rows = all.flatMap(({ words, path, record }) => {
    const { summary } = record;
    const roles = ROLES.flatMap(([role, title]) => {
      const found = summary.roles.find((one) => one.role === role);
      return found === undefined ? [] : [{ title, ...found }];
    });
    const sum = (figure) => roles.reduce((total, one) => total + (one[figure] ?? 0), 0);
    const whole = ['all of them', sum('rssPeakMiB'), sum('rssMedianMiB'), sum('processesPeak')];
    return [
      ...roles.map((one) => [one.title, one.rssPeakMiB, one.rssMedianMiB, one.processesPeak]),
      whole,
    ].map(([title, peak, usual, processes], index) => [
      words,
      title,
      `${number(peak)} MiB`,
      `${number(usual)} MiB`,
      processes,
      index === roles.length ? `${number(summary.achieved.ratePerSecond)}/s` : '',
      index === roles.length ? number(otherCores(record)) : '',
      index === roles.length ? link(path) : '',
    ]);
  });
  const { profile, workload, versions } = all[0].record;
  return `## Memory of n8n's processes under as many connections

${profile.clients} clients call the workload ${workload.name} of n8n ${versions.n8n} in queue mode, through a webhook processor; a worker and its task runner
execute it. Memory is the resident memory of each process; Redis and PostgreSQL are not in it. ${runConditionsText(all[0].record)}

${table(
  [
    ...['settings', 'process', 'memory, most', 'memory, median', 'processes'],
    ...['expected responses', 'cores used by other work', ''],
  ],
  rows,
)}

![Memory of n8n's processes over time](studies/${NAME}/${NAME}-n8n.svg)

How many of them there are decides how much memory a deployment takes.`;
}

/** Of the last run: a line for each process. */
export function n8nMemoryPlots() {
  const last = runs().at(-1);
  const file = last?.path.replace(/run\.json$/, 'memory.csv');
  if (file === undefined || !has(file)) return [];
  const rows = read(file)
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))
    .filter(([, , , metric]) => metric === 'rssMiB');
  const titleOf = (role) => ROLES.find(([one]) => one === role)?.[1] ?? role;
  const names = [...new Set(rows.map(([, role, instance]) => `${role} ${instance}`))];
  return [
    {
      ...{ kind: 'line', id: `${NAME}-n8n`, title: "Memory of n8n's processes over time" },
      x: { label: 'time', unit: 's' },
      y: { label: 'resident memory', unit: 'MiB', min: 0 },
      series: names.map((name) => {
        const [role, instance] = name.split(' ');
        return {
          label: `${titleOf(role)} (${instance})`,
          points: rows
            .filter(([, one, other]) => one === role && other === instance)
            .map(([tMs, , , , value]) => [Number(tMs) / 1000, Number(value)]),
        };
      }),
    },
  ];
}
