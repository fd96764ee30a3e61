// What the records of this repository show, one line per finding, with its conditions.
import { pairsOf } from '../../../studies/charts/parts.mjs';
import { clientsOf, peerRecord, ratioOf } from '../results/peers.mjs';
import { has, hrefOf, number, readJson, spread, table, undecided } from '../records.ts';

const link = (path) => `[record](${hrefOf(path, '')})`;
const interval = ({ value, low, high }) =>
  `**${number(value)}x** (${number(low)} to ${number(high)})`;
/** The median, and from the least to the most. */
const spreadOf = (ratios) => `**${spread(ratios).replace(' ', 'x** ')}`;

/** [what was compared, the figure, workload and conditions, record]; null without a record. */
const ROWS = [
  () => comparedOn('last-node', 'regular'),
  () => comparedOn('last-node', 'queue'),
  () => comparedOn('expressions', 'regular'),
  () => comparedOn('expressions', 'queue'),
  () =>
    settings(
      'last-node-regular',
      'requests per second with the settings of this kit, compared with those of n8n',
    ),
  () => settings('wait-regular', 'the same, with a function that waits 5 s'),
  () => settings('expressions-regular', 'the same, with ten expressions'),
  isolates,
  oneProcessPerExecution,
  answers,
  rollouts,
  search,
];

export function findings() {
  const rows = ROWS.map((row) => row()).filter((row) => row !== null);
  return table(['what', 'figure', 'workload and conditions', 'evidence'], rows);
}

/** Beside it what the official chart does with our environment variables, or the figure says more than the chart is worth. */
function comparedOn(workload, mode) {
  const record = peerRecord(workload, mode, 'tuned');
  if (record === null) return null;
  const same = peerRecord(workload, mode, 'official-same');
  const withSame =
    same === null ? '' : `; the official one with the same environment variables: ${ratioOf(same)}`;
  return [
    `requests per second with this chart, compared with the official one, ${mode} mode`,
    interval(record.comparison.ratio),
    `${workload}, ${clientsOf(record)} clients, ${pairsOf(record)} pairs measured in turns on one cluster, the same limits per pod${withSame}`,
    link(record.file),
  ];
}

function settings(name, what) {
  const path = `studies/comparisons/results/${name}/compare.json`;
  if (!has(path)) return null;
  const { answer, ratio, workload, a, versions, command } = readJson(path);
  const clients = command[command.indexOf('--vus') + 1];
  const pairs = a.values.length;
  return [
    what,
    ['no difference', 'unknown'].includes(answer)
      ? `${undecided(ratio)} (${number(ratio.low)}x to ${number(ratio.high)}x)`
      : interval(ratio),
    `${workload.name}, ${clients} clients, n8n ${versions.n8n}, ${a.topology.mode} mode, ${pairs} pairs measured in turns, 95% interval`,
    link(path),
  ];
}

function isolates() {
  const path = 'studies/isolates/results/record.json';
  if (!has(path)) return null;
  const { n8n, variants } = readJson(path);
  const [none] = variants;
  const all = variants.at(-1);
  const ratios = all.rounds.map(({ cpuMs }, round) => none.rounds[round].cpuMs / cpuMs);
  return [
    'CPU of a sandbox and the expressions in it, n8n compared with n8n and the patches of this kit',
    spreadOf(ratios),
    `n8n ${n8n}, one process, ${ratios.length} rounds in turns`,
    link(path),
  ];
}

/** The experiment that is often quoted, repeated on the n8n that still has the setting. */
function oneProcessPerExecution() {
  const folder = 'studies/closed-loop/results';
  const [main, own] = ['legacy-main', 'legacy-own'].map((name) => `${folder}/${name}/run.json`);
  if (!has(main) || !has(own)) return null;
  const memory = ({ summary }) =>
    summary.roles
      .filter(({ role }) => ['main', 'worker', 'webhook', 'runner'].includes(role))
      .reduce((sum, { rssPeakMiB }) => sum + rssPeakMiB, 0);
  const [one, many] = [readJson(main), readJson(own)];
  const ratio = one.summary.achieved.ratePerSecond / many.summary.achieved.ratePerSecond;
  return [
    'one process for all executions, compared with one process per execution',
    `**${number(ratio)}x** requests per second, ${number(memory(many) / memory(one))}x less memory`,
    `${one.workload.name}, ${one.profile.clients} clients, n8n ${one.versions.n8n}, one run of ${one.profile.durationSeconds} s each`,
    `${link(main)}, ${link(own)}`,
  ];
}

function answers() {
  const path = 'studies/charts/results/answers.json';
  if (!has(path)) return null;
  const { requests, lost, clients, workload } = readJson(path);
  return [
    'callers without an expected response in queue mode, with this chart',
    `**${lost}** of ${number(requests)}`,
    `${workload}, ${clients} clients, on one cluster`,
    link(path),
  ];
}

function rollouts() {
  const path = 'studies/charts/results/rollouts.json';
  if (!has(path)) return null;
  const { runs, callers, workload } = readJson(path);
  const count = (side, of) =>
    runs.filter((run) => run.side === side).reduce((sum, run) => sum + of(run), 0);
  const lost = (side) => {
    const asked = count(side, ({ requests }) => requests);
    return `${number(asked - count(side, ({ right }) => right))} of ${number(asked)}`;
  };
  return [
    "requests lost while webhook processors are replaced: n8n's own settings, those of this chart",
    `${lost("n8n's own")}, **${lost('the chart')}**`,
    `${workload}, ${callers} callers that keep their connections, ${runs.length} rollouts, half of them with 0.4 cores for all pods`,
    link(path),
  ];
}

function search() {
  const path = 'studies/known-capacity/results/record.json';
  if (!has(path)) return null;
  const rows = Object.values(readJson(path)).flatMap((group) => group.rows);
  const most = Math.max(...rows.map(({ error }) => Math.abs(error)));
  return [
    'largest error of `find`',
    `**${number(100 * most)}%**`,
    `${rows.length} servers whose capacity is known, one search each`,
    link(path),
  ];
}
