// What takes time out of a request in queue mode: its cost by process, what a setting, a patch or a layout changes of it,
// and what is left, with the reason.
import { parse } from 'yaml';
import { peerRecord, ratioOf } from './peers.mjs';
import { has, link, median, number, read, readJson, recordsNamed, table } from '../records.ts';

const MODE = 'queue';
const WORKLOADS = ['last-node', 'expressions', 'items'];
const ROLES = { webhook: 'webhook processor', worker: 'worker', main: 'main' };
const FOLDERS = ['studies/patches/results/', 'studies/comparisons/results/'];
const STATEMENTS = 'studies/statements/results';
const IDLE = 'idle';
/** Of all CPU of a response; a function below it in every profile is not named. */
const MIN_SHARE = 0.025;
/** Of the charts compared on the cluster, those that show what a choice is worth. */
const PEERS = {
  'official-same': 'the environment variables of the chart alone',
  tuned: 'the chart',
};
/** Core-hours of a million requests, in milliseconds of CPU for one. */
const MS_PER_CORE_HOUR = (3600 * 1000) / 1e6;

/** What is left, with the reason why; the first that a function fits has it. */
const LEFT = [
  {
    what: 'Compiling and evaluating expressions (`evalClosureSync`)',
    is: /^evalClosureSync .*isolated-vm-bridge\.js/,
    why: () =>
      "V8 gets the text of an expression, compiles it and runs it. Each execution has [an isolate of its own](chart/patches.md#lazy-character-map), n8n's isolation between executions, so nothing that was compiled in one is there in the next.",
  },
  {
    what: 'Making and disposing of isolates',
    is: /native code, for (?!execute )\w+ of .*isolated-vm-bridge\.js/,
    why: () =>
      "Patches made it [cheaper](#what-a-sandbox-for-expressions-costs), and `tuning.readySandboxes` keeps some isolates ready, so that an execution need not wait for one; each is made all the same. One isolate for several executions would weaken n8n's isolation.",
  },
  {
    what: 'Sending statements to PostgreSQL (`writev` and `writeBuffer` of pg)',
    is: /^write\w* \(native code, for .* of pg\/lib\/(query|connection)\.js/,
    why: () =>
      `pg makes one system call for each statement. ${statementsText()} The others are n8n's own: [all of them, and what n8n could spare](#which-statements-an-execution-sends-to-postgresql).`,
  },
  {
    what: "Reading `/proc` for n8n's metrics (`readFileUtf8`)",
    is: /readFileUtf8 .*pss-metrics/,
    why: () =>
      `n8n's own metric of its memory reads it whenever its metrics are read: every second while this kit measures, every ${scrapeInterval()} by the chart's monitors, so that it costs less there. It comes with the metrics of Node.js, on which [alerts](alerts.md) rest.`,
  },
];

export function requestCosts() {
  const profiles = WORKLOADS.flatMap((workload) => {
    const path = `studies/cpu-profile/results/${MODE}-${workload}.json`;
    return has(path) ? [{ path, ...readJson(path) }] : [];
  });
  return profiles.length === 0
    ? ''
    : requestCostsText({ profiles, changes: [...changes(), ...ofPeers()] });
}

export function requestCostsText({ profiles, changes }) {
  const [{ versions, clients }] = profiles;
  const parts = [byProcess(profiles), byChange(changes), left(profiles)];
  return `## What takes time out of a request in queue mode

n8n ${versions.n8n} with the chart's defaults, one worker and one webhook processor, ${clients} clients that each wait for their response.

${parts.filter((part) => part !== '').join('\n\n')}`;
}

const busyOf = ({ threadMs, groups }) =>
  threadMs - (groups.find(({ name }) => name === IDLE)?.ms ?? 0);
const sumOf = (values) => values.reduce((sum, value) => sum + value, 0);
const wholeOf = ({ processes }) => sumOf(processes.map(busyOf));

function byProcess(profiles) {
  const rows = profiles.map((profile) => {
    const { processes, responses, seconds, workload, path } = profile;
    const of = (role) => sumOf(processes.filter((one) => one.role === role).map(busyOf));
    return [
      workload,
      ...Object.keys(ROLES).map((role) => `${number(of(role) / responses)} ms`),
      `${number(wholeOf(profile) / responses)} ms`,
      `${number(responses / seconds)}/s`,
      link(path),
    ];
  });
  return `### What a response costs each process

The thread of each process, by [its profile](#where-the-cpu-of-a-request-goes), which itself takes a part of it; without the stores.

${table(['workload', ...Object.values(ROLES), 'in sum', 'responses', 'record'], rows)}`;
}

/** Comparisons of topologies in queue mode by their throughput. */
function changes() {
  return FOLDERS.flatMap((folder) => recordsNamed('compare.json', folder)).flatMap((path) => {
    const comparison = readJson(path);
    const { a, b, metric, workload } = comparison;
    if (a.topology?.mode !== MODE || metric !== 'throughput') return [];
    return [
      {
        ...{ path, comparison, workload: workload.name },
        change: changeOf(a.topology, b.topology),
        where: `processes, ${layoutOf(a.topology)}${distanceOf(a.topology)}`,
        cpu: reportedCpu(path),
      },
    ];
  });
}

const counted = (count, word) => `${count} ${word}${count === 1 ? '' : 's'}`;
const layoutOf = ({ workers, webhooks }) =>
  [
    `${counted(workers.count, 'worker')} with ${counted(workers.concurrency, 'slot')}${workers.count === 1 ? '' : ' each'}`,
    ...(webhooks.count === 0 ? [] : [counted(webhooks.count, 'webhook processor')]),
  ].join(', ');
const distanceOf = ({ env }) =>
  env.DATABASE_ROUND_TRIP_MS === undefined
    ? ''
    : `, database behind a proxy, ${env.DATABASE_ROUND_TRIP_MS} ms later`;

/** What the second topology has and the first has not. */
export function changeOf(a, b) {
  const without = ({ env }) =>
    (env.N8N_TUNED_WITHOUT ?? '').split(',').filter((patch) => patch !== '');
  const patches = without(a).filter((patch) => !without(b).includes(patch));
  const variables = Object.keys(b.env).filter(
    (name) => name !== 'N8N_TUNED_WITHOUT' && a.env[name] !== b.env[name],
  );
  const changes = [
    ...(patches.length === 0
      ? []
      : [
          `${patches.length === 1 ? 'the patch' : 'the patches'} ${patches.map((patch) => `\`${patch}\``).join(', ')}`,
        ]),
    ...(a.tuning === b.tuning
      ? []
      : [`profile ${b.tuning} instead of ${a.tuning === 'none' ? 'n8n as it comes' : a.tuning}`]),
    ...(layoutOf(a) === layoutOf(b) ? [] : [layoutOf(b)]),
    ...variables.map((name) => `\`${name}=${b.env[name]}\``),
  ];
  return changes.join(', ') || 'nothing';
}

/** Before and after: of n8n with its stores, in the middle run of each side, as the report says. */
function reportedCpu(path) {
  const report = path.replace('compare.json', 'report.md');
  if (!has(report)) return null;
  const text = read(report);
  const of = (side) =>
    Number(
      new RegExp(`^\\| A million requests, ${side} \\| ([\\d.]+) core-hours`, 'm').exec(text)?.[1],
    ) * MS_PER_CORE_HOUR;
  const both = ['A', 'B'].map(of);
  return both.every(Number.isFinite) ? both : null;
}

/** On the cluster, each compared with the official chart as it comes. */
function ofPeers() {
  return WORKLOADS.flatMap((workload) =>
    Object.entries(PEERS).flatMap(([contender, change]) => {
      const record = peerRecord(workload, MODE, contender);
      if (record === null) return [];
      const cpu = [record.a, record.b].map(({ runs }) => cpuOf(runs));
      return [
        {
          ...{ path: record.file, comparison: record.comparison, workload, change },
          where: 'pods of a cluster, without: the official chart',
          cpu: cpu.includes(null) ? null : cpu,
        },
      ];
    }),
  );
}

function cpuOf(runs) {
  const known = runs.flatMap((run) => run?.cpuMillisecondsPerRequest ?? []);
  return known.length === 0 ? null : median(known);
}

function byChange(changes) {
  if (changes.length === 0) return '';
  const rows = changes
    .toSorted(
      (a, b) =>
        a.workload.localeCompare(b.workload) || b.comparison.ratio.value - a.comparison.ratio.value,
    )
    .map(({ workload, change, where, comparison, cpu, path }) => [
      ...[workload, change, where, ratioOf({ comparison })],
      cpu === null ? '-' : cpu.map((ms) => `${number(ms)} ms`).join(' → '),
      link(path),
    ]);
  return `### What a setting, a patch or a layout changes

Each row compares without and with it, in turns. The CPU for a request is that of n8n with its stores, of pods that of n8n alone.
${statementsText()} Layouts by the number of workers have [a page of their own](results/queue.md).

${table(
  [
    ...['workload', 'with', 'where', 'expected responses, 95% interval'],
    ...['CPU for a request, without → with', 'record'],
  ],
  rows,
)}`;
}

/** How many an execution sends, without and with the chart's defaults, and which are gone. */
function statementsText() {
  const paths = ['none', 'default'].map((tuning) => `${STATEMENTS}/${MODE}-${tuning}.json`);
  if (!paths.every(has)) return '';
  const both = paths.map((path) => readJson(path).statements);
  const of = (isMeant) =>
    both
      .map((some) => number(sumOf(some.filter(isMeant).map(({ perResponse }) => perResponse))))
      .join(' to ');
  const startsWith =
    (words) =>
    ({ statement }) =>
      statement.startsWith(words);
  return `With the chart's defaults an execution of last-node sends fewer statements to PostgreSQL: from ${of(() => true)} (\`SET\` from ${of(startsWith('SET '))} by \`session-once\`, \`SELECT DISTINCT\` from ${of(startsWith('SELECT DISTINCT '))} by \`read-once\`).`;
}

const scrapeInterval = () =>
  parse(read('charts/n8n-tuned/values.yaml')).monitoring.podMonitor.interval;

function left(profiles) {
  const rows = leftOf(profiles).map(({ what, why, shares }) => [
    what,
    ...shares.map(({ share, ms }) =>
      share === 0 ? '-' : `${number(100 * share)}%, ${number(ms)} ms`,
    ),
    why,
  ]);
  return `### What is left, and why

The largest functions of these profiles, of all processes together: share of their CPU, and CPU for a response. A record names
only the largest functions of a process, so that a share may be a little more. Those below ${number(100 * MIN_SHARE)}% in every profile are left out.

${table(['what', ...profiles.map(({ workload }) => workload), 'why it is left'], rows)}`;
}

/** By what is known of them, the others each by its name, the largest first. */
export function leftOf(profiles) {
  const names = new Set(
    profiles.flatMap(({ processes }) =>
      processes.flatMap(({ functions }) => functions.map(({ name }) => name)),
    ),
  );
  const reasonOf = (name) => LEFT.findIndex(({ is }) => is.test(name));
  const known = LEFT.map(({ what, why }, index) => ({
    ...{ what, why },
    names: [...names].filter((name) => reasonOf(name) === index),
  }));
  const others = [...names]
    .filter((name) => reasonOf(name) === -1)
    .map((name) => ({ what: name, why: () => 'not looked into', names: [name] }));
  return [...known, ...others]
    .map((one) => ({ ...one, shares: profiles.map((profile) => shareOf(profile, one.names)) }))
    .map((one) => ({ ...one, most: Math.max(...one.shares.map(({ share }) => share)) }))
    .filter(({ most }) => most >= MIN_SHARE)
    .toSorted((a, b) => b.most - a.most)
    .map(({ what, why, shares }) => ({ what, why: why(), shares }));
}

function shareOf(profile, names) {
  const ms = sumOf(
    profile.processes.flatMap(({ functions }) =>
      functions.filter(({ name }) => names.includes(name)).map((one) => one.ms),
    ),
  );
  return { share: ms / wholeOf(profile), ms: ms / profile.responses };
}
