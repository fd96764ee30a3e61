// The chart on a real cluster: beside other charts, and through what happens to pods.
import { MODES } from '../../../studies/charts/parts.mjs';
import { goals } from './goals.mjs';
import { hasPeers, peerRecord, peers } from './peers.mjs';
import { has, link, number, readJson, spread, table } from './records.mjs';

/** This chart and others, side by side on one cluster: by the records of `compare`, and of what has none by the older ones. */
export function charts() {
  const modes = MODES.filter((mode) => has(recordOf(mode)));
  if (modes.length === 0) return '';
  const compared = peers();
  const isOld = (mode) => peerRecord('last-node', mode, 'tuned') === null;
  const [old, replaced] = [modes.filter(isOld), modes.filter((mode) => !isOld(mode))];
  const parts = [
    ...(compared === '' ? [] : [CONDITIONS, compared, goals()]),
    ...(old.length === 0 ? [] : [ABOUT_OLD, ...old.map(inTurns)]),
    ...(replaced.length === 0 ? [] : [starts(replaced)]),
  ];
  return `## This chart and others on one cluster

${parts.filter((part) => part !== '').join('\n\n')}${waiting()}${answers()}${rollouts()}${workerEnds()}`;
}

const recordOf = (mode) => `studies/charts/results/${mode}.json`;

const CONDITIONS = `Each row is one comparison by \`n8n-tuned compare\` with the official chart as it comes: both up at the same time, loaded
in turns, with the same CPU and memory for each pod, the same stores and the same n8n. Figures are the median of the
turns, for the rates also from the least to the most: first those of the chart of the row, then those of the official
one in the same turns. All of it ran on one small node, the load generator too: take ratios from it, not absolutes.
[What was deployed](../studies/charts) and [how it is measured](../studies/charts/peers.mjs).`;

const ABOUT_OLD = `The official chart, the community chart and this one, as it comes (\`tuned\`) and with the profile \`throughput\`, with
the same CPU and memory for each pod, the same stores and the same n8n: median of the turns, and from the least to the most.
[Their values](../studies/charts/values) and [how it is measured](../studies/charts/measure.mjs).`;

function inTurns(mode) {
  const { workload, clients, seconds, charts, loadAverageAtStart } = readJson(recordOf(mode));
  const official = charts.official.runs;
  const of = (runs, key) => runs.map((run) => run[key]);
  const rows = Object.entries(charts).map(([name, { version, runs, secondsToFirstReply }]) => [
    `${name} ${version}`,
    `${spread(of(runs, 'ratePerSecond'))}/s`,
    spread(runs.map((run, i) => run.ratePerSecond / official[i].ratePerSecond)),
    `${spread(of(runs, 'p95Ms'))} ms`,
    `${spread(of(runs, 'cpuMillisecondsPerRequest'))} ms`,
    `${number(Math.max(...of(runs, 'memoryMiB')))} MiB`,
    `${spread(secondsToFirstReply)} s`,
    runs.reduce((sum, run) => sum + run.wrong + run.unanswered, 0),
  ]);
  return `### In ${mode} mode${hasPeers(mode) ? ', an older record' : ''}

${clients} clients on ${workload}, ${official.length} turns of ${seconds} s each, load average ${number(loadAverageAtStart)} at the start.

${table(['chart', 'expected responses', 'of the official one', 'p95', "n8n's CPU per request", "n8n's memory", FIRST_RESPONSE, 'wrong or no response'], rows)}

${link(recordOf(mode))}`;
}

const FIRST_RESPONSE = 'first expected response after its pods were deleted';

/** What the comparisons do not measure. */
function starts(modes) {
  const rows = modes.flatMap((mode) =>
    Object.entries(readJson(recordOf(mode)).charts).map(([name, one]) => [
      `${name} ${one.version}`,
      mode,
      `${spread(one.secondsToFirstReply)} s`,
      link(recordOf(mode)),
    ]),
  );
  return `### Starts

${table(['chart', 'mode', FIRST_RESPONSE, ''], rows)}`;
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

Queue mode, ${clients} clients on ${workload}, ${spread(runs.map((run) => run.ratePerSecond))}/s: ${lost === 0 ? 'all' : `${requests - lost} of`} ${requests} requests
got the expected response; the longest wait was ${number(Math.max(...runs.map((run) => run.maxMs)))} ms.

${link(path)}`;
}

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

${link(path)}`;
}

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
([what it changes](chart/patches.md#finish-jobs)).

${conditions}

${table(['settings', 'rollouts', 'requests', 'lost', 'how'], rows)}

${link(path)}`;
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
