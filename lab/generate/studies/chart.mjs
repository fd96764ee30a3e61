// The chart on a real cluster: beside other charts, and through what happens to pods.
import { MODES } from '../../../studies/charts/parts.mjs';
import { goals } from './goals.mjs';
import { conditions, peers, sameVariables } from './peers.mjs';
import { has, link, linkWithCommand, number, readJson, spread, table } from '../records.ts';

/** This chart and others, side by side on one cluster. */
export function charts() {
  const compared = peers();
  if (compared === '') return '';
  const parts = [ABOUT, conditions(), LATER_RELEASES, compared, sameVariables(), goals(), starts()];
  return `## This chart and others on one cluster

${parts.filter((part) => part !== '').join('\n\n')}${waiting()}${answers()}${rollouts()}${workerEnds()}`;
}

const recordOf = (mode) => `studies/charts/results/${mode}.json`;

/** Read, not measured: docs/chart/peers.md says in which files. */
const LATER_RELEASES = `The official chart was measured in release 1.11.0, the newest one that could be had as a whole. Releases 1.12.0 to 1.15.0 came
out since, and perhaps more. Their list of changes and single files were read; none of them was measured. Nothing that
was read of these releases changes what decides these figures: the limits of a pod, the number of workers and their
concurrency, the probes, the grace periods and n8n's variables have the same defaults. They bring another n8n (2.39.6 to
2.42.4), where 2.41.1 was set for every chart here. Later changes, in no release that was read, start workers differently and probe
them by HTTP; what that does to the figures is not known. [What was read](docs/chart/peers.md#the-official-chart-after-1110).`;

const ABOUT = `Each row is one comparison by \`n8n-tuned compare\` with the official chart as it comes: both up at the same time, loaded
in turns, with the same CPU and memory for each pod, the same stores and the same n8n. Figures are the median of the
turns, for the rates also from the least to the most: first those of the chart of the row, then those of the official
one in the same turns. The first limit is what a run used up first. All of it ran on one small node, the load generator too: take ratios from it, not absolutes.
[What was deployed](studies/charts) and [how it is measured](studies/charts/peers.mjs).`;

/** What the comparisons do not measure. */
function starts() {
  const rows = MODES.filter((mode) => has(recordOf(mode))).flatMap((mode) => {
    const { when, charts } = readJson(recordOf(mode));
    return Object.entries(charts).map(([name, one]) => [
      `${name} ${one.version}`,
      mode,
      `${spread(one.secondsToFirstReply)} s`,
      when.slice(0, 10),
      link(recordOf(mode)),
    ]);
  });
  if (rows.length === 0) return '';
  return `### Starts

Of this chart as it was on that day: \`tuned\` as it comes, and with the profile \`throughput\`.

${table(['chart', 'mode', 'first expected response after its pods were deleted', 'day', ''], rows)}`;
}

/** Why a row of the comparison has no expected response. */
function waiting() {
  const path = 'studies/charts/results/waiting.json';
  if (!has(path)) return '';
  const { clients, runs } = readJson(path);
  const rows = runs.map((run) => [
    run.tuning === 'none' ? 'n8n as it comes' : `the profile ${run.tuning}`,
    ...[run.requests, number(run.ratePerSecond), run.errors.requests],
    Object.entries(run.errors.byKind)
      .map(([kind, times]) => `${kind} ${times}`)
      .join(', ') || 'none',
    ...[run.main.oomKills, `${number(run.main.rssPeakMiB)} MiB`],
  ]);
  return `

### ${clients} callers of work that takes 5 s

The likely reason why a chart has no expected response there in regular mode: one process of n8n ${runs[0].n8n} with the CPU and the memory of a
pod of the comparison, on this machine, not in a pod. As it comes, n8n builds a sandbox for expressions for every execution
and keeps it until the execution ends.

${table(
  [
    ...['settings', 'requests', 'expected responses per second', 'errors', 'how'],
    ...['killed for memory', 'most memory'],
  ],
  rows,
)}

${link(path)}`;
}

function answers() {
  const path = 'studies/charts/results/answers.json';
  if (!has(path)) return '';
  const { requests, lost, clients, workload, runs } = readJson(path);
  return `

### Every caller gets a response

Queue mode, the profile \`throughput\` with every patch, ${clients} clients on ${workload}, ${spread(runs.map((run) => run.ratePerSecond))}/s: ${lost === 0 ? 'all' : `${requests - lost} of`} ${requests} requests
got the expected response; the longest wait was ${number(Math.max(...runs.map((run) => run.maxMs)))} ms.

${linkWithCommand(path, 'node studies/charts/answers.mjs')}${ON_CLUSTER}`;
}

/** How the commands of these records are called. */
const ON_CLUSTER = ' It runs on a cluster, by `lab/cluster/cluster exec`.';

const sum = (runs, key) => runs.reduce((total, run) => total + run[key], 0);
const ofSide = ([side, set]) => `${side}: ${set.map((one) => `\`${one}\``).join(', ')}`;

/** Of some rollouts with callers: how many, requests, lost ones, and how they were lost. */
function lossesOf(runs) {
  const wrong = runs.flatMap((run) => Object.entries(run.wrong));
  const kinds = [...new Set(wrong.map(([kind]) => kind))].toSorted();
  const count = (kind) =>
    wrong.reduce((total, [one, times]) => total + (one === kind ? times : 0), 0);
  return [
    runs.length,
    sum(runs, 'requests'),
    sum(runs, 'requests') - sum(runs, 'right'),
    kinds.map((kind) => `${kind} ${count(kind)}`).join(', ') || 'none',
  ];
}

/** Callers that keep their connections, while the pods that they are connected to are replaced. */
function rollouts() {
  const path = 'studies/charts/results/rollouts.json';
  if (!has(path)) return '';
  const { runs, callers, workload, settings, conditions } = readJson(path);
  const rows = [...new Set(runs.map(({ cores }) => cores))].flatMap((cores) =>
    Object.keys(settings).map((side) => [
      cores === null ? 'all that the node has' : String(cores),
      side,
      ...lossesOf(runs.filter((run) => run.side === side && run.cores === cores)),
    ]),
  );
  return `

### Rollouts

Two webhook processors are replaced while ${callers} callers call ${workload}. Each keeps its connection, never repeats a request,
and waits a second between a response and its next request. With little CPU n8n's event loops stall for seconds, as they
do on a node that starts many pods at once. In turns, with these settings: ${Object.entries(settings).map(ofSide).join('; ')}.

${conditions}

${table(['cores of all pods', 'settings', 'rollouts', 'requests', 'lost', 'how'], rows)}

${linkWithCommand(path, `node studies/charts/rollouts.mjs --rounds ${runs.length / rows.length}`)}${ON_CLUSTER}`;
}

/** On each side, by studies/charts/worker-ends.mjs. */
const ROLLOUTS_PER_ROUND = 2;

/** What becomes of the jobs of workers that are replaced under load. */
function workerEnds() {
  const path = 'studies/charts/results/worker-ends.json';
  if (!has(path)) return '';
  const { runs, callers, pauseMs, workload, settings, conditions } = readJson(path);
  const rows = Object.keys(settings).map((side) => [
    side,
    ...lossesOf(runs.filter((run) => run.side === side)),
  ]);
  return `

### Workers that end

Two workers are replaced while ${callers} callers call ${workload}, each again ${pauseMs} ms after its last response, so that a worker
has jobs when it has to end. "200 without data" is n8n's response for an execution that its worker could not store: nothing was
executed. In turns, with these settings: ${Object.entries(settings).map(ofSide).join('; ')}
([what it changes](docs/chart/patches.md#finish-jobs)).

${conditions}

${table(['settings', 'rollouts', 'requests', 'lost', 'how'], rows)}

${linkWithCommand(path, `node studies/charts/worker-ends.mjs --rounds ${runs.length / rows.length / ROLLOUTS_PER_ROUND}`)}${ON_CLUSTER}`;
}

/** What the long tests recorded of the chart in real pods. */
export function chartOnCluster() {
  const path = 'docs/records/chart-on-cluster.json';
  if (!has(path)) return '';
  const words = (key) =>
    key.replace(
      /([a-z])([A-Z])(?=[a-z])/g,
      (_, before, after) => `${before} ${after.toLowerCase()}`,
    );
  const said = (value) =>
    Array.isArray(value)
      ? value.map(said).join(' ')
      : typeof value === 'object'
        ? Object.entries(value)
            .map(([key, inner]) => `${words(key)} ${said(inner)}`)
            .join(', ') || 'none'
        : String(value);
  const rows = Object.entries(readJson(path)).map(([what, { at: _at, kubernetes: _, ...seen }]) => {
    const { n8n, ...figures } = seen;
    return [what, n8n, said(figures)];
  });
  return `## The chart in real pods

What the long tests on the cluster recorded (\`LONG=1 make test-cluster\`); memory hogs by the MiB that a Code node returns, 0 for no response.

${table(['what', 'n8n', 'seen'], rows)}

${link(path)}`;
}
