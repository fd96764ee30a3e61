#!/usr/bin/env node
// Writes docs/results.md from the records in studies/ and docs/records/; with --check it only says
// whether that is needed.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { format } from 'prettier';

const root = new URL('../../', import.meta.url);
const pageFile = new URL('docs/results.md', root);

const read = (path) => readFileSync(new URL(path, root), 'utf8');
const readJson = (path) => JSON.parse(read(path));
const has = (path) => existsSync(new URL(path, root));

/** Every record named `name` at or beneath a folder, in the order of the paths. */
function recordsNamed(name, folder) {
  return readdirSync(new URL(folder, root), { withFileTypes: true })
    .flatMap((entry) => {
      const path = `${folder}${entry.name}`;
      if (entry.isDirectory()) return recordsNamed(name, `${path}/`);
      return entry.name === name ? [path] : [];
    })
    .sort();
}

const number = (value) =>
  value === null || !Number.isFinite(value) ? '-' : String(Number(value.toPrecision(3)));
const range = ({ low, high }) =>
  high === null ? `at least ${number(low)}` : `${number(low)} to ${number(high)}`;
const link = (path) => `[record](../${path})`;
const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

function comparisons() {
  const records = recordsNamed('compare.json', 'studies/').map((path) => [path, readJson(path)]);
  if (records.length === 0) return '';
  const rows = records.map(([path, r]) => [
    r.workload.name,
    `${r.a.name} → ${r.b.name}`,
    r.metric,
    r.answer === 'no difference'
      ? `no difference (${number(r.ratio.low)} to ${number(r.ratio.high)})`
      : `${number(r.ratio.value)}x (${number(r.ratio.low)} to ${number(r.ratio.high)})`,
    Math.min(r.a.values.length, r.b.values.length),
    `${r.versions.n8n}, ${r.a.topology.mode}`,
    link(path),
  ]);
  return `## What a setting changes

Two topologies up side by side on one machine, measured in turns (ABBA) until the interval of the ratio excluded 1.
More than 1: the second one is better.

${table(['workload', 'from → to', 'by', 'ratio, 95 % interval', 'pairs', 'n8n', ''], rows)}`;
}

function capacities() {
  const records = recordsNamed('find.json', 'studies/').map((path) => [path, readJson(path)]);
  if (records.length === 0) return '';
  const rows = records.map(([path, r]) => [
    r.workload.name,
    r.topology?.mode ?? '-',
    r.slo.map((s) => s.text).join(', '),
    `${number(r.capacity.ratePerSecond)}/s (${range(r.capacity)})${r.capacity.confirmed ? '' : ', not confirmed'}`,
    r.limit,
    link(path),
  ]);
  return `## Capacities

${table(['workload', 'mode', 'SLO', 'capacity', 'limited by', ''], rows)}`;
}

/** The published experiment: eight clients, one minute, a webhook whose function takes five seconds. */
function closedLoops() {
  const runs = recordsNamed('run.json', 'studies/closed-loop/').map((path) => [
    path,
    readJson(path),
  ]);
  if (runs.length === 0) return '';
  const n8n = new Set(['main', 'worker', 'webhook', 'runner']);
  const rows = runs.map(([path, r]) => {
    const ours = r.summary.roles.filter(({ role }) => n8n.has(role));
    const sum = (key) => ours.reduce((total, role) => total + (role[key] ?? 0), 0);
    return [
      path.split('/').at(-2),
      r.versions.n8n,
      `${number(r.summary.achieved.ratePerSecond)}/s`,
      `${number(r.summary.latencyMs?.p50 ?? null)} ms`,
      `${number(r.summary.latencyMs?.p95 ?? null)} ms`,
      `${number(100 * r.summary.errors.share)} %`,
      sum('processesPeak'),
      `${number(sum('rssPeakMiB'))} MiB`,
      r.verdict.limitedBy.name,
      `[report](../${path.replace('run.json', 'report.md')})`,
    ];
  });
  const { workload, profile } = runs[0][1];
  return `## One process for each execution, or one for all

${profile.clients} clients that each wait for their reply, ${profile.durationSeconds} s, ${workload.title.toLowerCase()}.

${table(['topology', 'n8n', 'right replies', 'p50', 'p95', 'errors', 'n8n processes, most', 'their memory, most', 'limited by', ''], rows)}`;
}

function sweeps() {
  const records = recordsNamed('sweep.json', 'studies/').map((path) => [path, readJson(path)]);
  if (records.length === 0) return '';
  const rows = records.map(([path, r]) => [
    r.title,
    Object.keys(r.plan.dimensions ?? {}).join(', '),
    r.steps.length,
    `[report](../${path.replace('sweep.json', 'report.md')})`,
  ]);
  return `## Sweeps

${table(['question', 'over', 'measurements', ''], rows)}`;
}

function proofs() {
  const records = recordsNamed('proof.json', 'studies/').map((path) => [path, readJson(path)]);
  if (records.length === 0) return '';
  const rows = records.map(([path, { verdict, sentence }]) => [
    path.split('/').at(-2),
    verdict,
    sentence,
    `[report](../${path.replace('proof.json', 'report.md')}), [values](../${path.replace('proof.json', 'values.yaml')})`,
  ]);
  return `## Values that were proved

${table(['values', 'verdict', 'why', ''], rows)}`;
}

function searchQuality() {
  const path = 'studies/search-quality/results/table.md';
  if (!has(path)) return '';
  const [summary] = read(path).split('\n## ');
  const text = summary.replace(/^# .*\n+/, '').replace(/<!--.*?-->\n+/s, '');
  return `## How good the search is\n\n${text.trim()}\n\n[Each system](../${path})`;
}

function knownCapacities() {
  const path = 'studies/known-capacity/results/record.json';
  if (!has(path)) return '';
  const groups = Object.values(readJson(path));
  const rows = groups.flatMap((group) => group.rows);
  return `## The search against real servers

Small servers on this machine whose capacity follows from their own figures: from the service time that they measured
themselves for slots (even arrivals: D/D/c and D/M/1 in closed form), from the rate of a limiter, and for the one that
computes from what it answers when saturated, before and after.

${table(
  ['server', 'SLO', 'true capacity', 'found', 'off by', 'interval', 'probes', 'probe-seconds'],
  rows.map((r) => [
    r.name,
    r.slo,
    `${number(r.truth)}/s`,
    `${number(r.found)}/s${r.confirmed ? '' : ', not confirmed'}`,
    `${(100 * r.error).toFixed(1)} %`,
    `${range(r)}${r.holdsTruth ? '' : ', misses it'}`,
    r.probes,
    number(r.probeSeconds),
  ]),
)}

${link(path)}`;
}

function nodeAccuracy() {
  const path = 'docs/records/node-accuracy.json';
  if (!has(path)) return '';
  const { figures, repeats, machine } = readJson(path);
  const rows = figures.map((f) => [
    f.what,
    `${f.asked} ${f.unit}`,
    `${number(f.worst - f.asked)} ${f.unit}`,
    `${number(f.allowed)} ${f.unit}`,
  ]);
  return `## How exact the node Load Target is

${repeats} repeats of each; load average at the start ${machine.loadAverageAtStart}.

${table(['what', 'asked', 'worst deviation', 'allowed'], rows)}

${link(path)}`;
}

function heapFloors() {
  const path = 'studies/heap-floors/results/record.json';
  if (!has(path)) return '';
  const rows = readJson(path).rows.map((r) => [
    `${r.heap} of ${r.n8n}`,
    `${r.oldSpaceMiB} MiB`,
    r.lives ? `ready after ${number(r.readyAfterSeconds)} s` : 'dies',
    r.outOfHeap ? 'yes' : 'no',
  ]);
  return `## The least heaps

A fresh n8n with SQLite, started with less and less old space.

${table(['heap', 'old space', 'what it did', 'V8 ran out of heap'], rows)}

${link(path)}`;
}

function samplerCost() {
  const path = 'docs/records/sampler-cost.json';
  if (!has(path)) return '';
  const record = readJson(path);
  const { mode, workers, webhooks } = record.topology;
  return `## What sampling costs

Beside ${mode} mode with ${workers.count} workers and ${webhooks.count} webhook processors, ${record.processes} processes with
their stores, all samplers together took ${number(100 * record.coreShare)} % of one core at a sample every
${number(record.everyMs / 1000)} s, measured over ${record.measuredSeconds} s
(load average at its start: ${number(record.loadAverageAtStart)}). A sampler that waits for an answer is also charged with
what the others did meanwhile, so the parts add up to more.

${table(
  ['sampler', 'CPU ms a tick, at most'],
  record.rows.map(({ sampler, msPerTick }) => [sampler, number(msPerTick)]),
)}

${link(path)}`;
}

const spread = (values) =>
  `${number(median(values))} (${number(Math.min(...values))} to ${number(Math.max(...values))})`;

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** This chart and others, side by side on one cluster; each turn of one against the turn of the official chart. */
function charts() {
  const modes = ['regular', 'queue'].filter((mode) => has(`studies/charts/results/${mode}.json`));
  if (modes.length === 0) return '';
  const parts = modes.map((mode) => {
    const path = `studies/charts/results/${mode}.json`;
    const { workload, clients, seconds, charts, loadAverageAtStart } = readJson(path);
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
    return `### In ${mode} mode

${clients} clients on ${workload}, ${official.length} turns of ${seconds} s each, load average ${number(loadAverageAtStart)} at the start.

${table(['chart', 'right replies', 'of the official one', 'p95', "n8n's CPU a request", "n8n's memory", 'first right reply after its pods were deleted', 'wrong or no answer'], rows)}

${link(path)}`;
  });
  return `## This chart and others on one cluster

The official chart, the community chart and this one, as it comes (\`tuned\`) and with the profile \`throughput\`, with
the same CPU and memory for each pod, the same stores and the same n8n: median of the turns, and from the least to the most.
[Their values](../studies/charts/values) and [how it is measured](../studies/charts/measure.mjs).

${parts.join('\n\n')}${answers()}${rollouts()}`;
}

function answers() {
  const path = 'studies/charts/results/answers.json';
  if (!has(path)) return '';
  const { requests, lost, clients, workload, runs } = readJson(path);
  return `

### Every caller gets his answer

Queue mode, ${clients} clients on ${workload}, ${spread(runs.map((run) => run.ratePerSecond))}/s: of ${requests} requests
${lost === 0 ? 'none' : lost} stayed without a right answer; the longest wait was ${number(Math.max(...runs.map((run) => run.maxMs)))} ms.

${link(path)}`;
}

/** Callers that keep their connections, while the pods that they are connected to are replaced. */
function rollouts() {
  const path = 'studies/charts/results/rollouts.json';
  if (!has(path)) return '';
  const { runs, ratePerSecond, workload } = readJson(path);
  const sum = (of, key) => of.reduce((total, run) => total + run[key], 0);
  const rows = [false, true].flatMap((closeConnections) =>
    [...new Set(runs.map(({ busy }) => busy))].map((busy) => {
      const of = runs.filter(
        (run) => run.closeConnections === closeConnections && run.busy === busy,
      );
      const wrong = of.flatMap((run) => Object.entries(run.wrong));
      const kinds = [...new Set(wrong.map(([kind]) => kind))].toSorted();
      const count = (kind) =>
        wrong.reduce((total, [one, times]) => total + (one === kind ? times : 0), 0);
      return [
        String(closeConnections),
        busy,
        of.length,
        sum(of, 'requests'),
        sum(of, 'requests') - sum(of, 'right'),
        kinds.map((kind) => `${kind} ${count(kind)}`).join(', ') || 'none',
      ];
    }),
  );
  return `

### Rollouts

Two webhook processors replaced while callers that keep their connections, and never ask twice, ask ${ratePerSecond} times a second
for ${workload}, with and without \`shutdown.closeConnections\` in turns, on a node that is idle otherwise or computes beside it.

${table(['closeConnections', 'busy loops beside', 'rollouts', 'requests', 'lost', 'how'], rows)}

${link(path)}`;
}

/** What the long tests saw of the chart in real pods. */
function chartOnCluster() {
  const path = 'docs/records/chart-on-cluster.json';
  if (!has(path)) return '';
  const words = (key) =>
    key.replace(
      /([a-z])([A-Z])(?=[a-z])/g,
      (_, before, after) => `${before} ${after.toLowerCase()}`,
    );
  const said = (value) =>
    typeof value === 'object'
      ? Object.entries(value)
          .map(([key, inner]) => `${words(key)} ${said(inner)}`)
          .join(', ') || 'none'
      : String(value);
  const rows = Object.entries(readJson(path)).map(([what, { at: _at, kubernetes: _, ...seen }]) => {
    const { n8n, ...figures } = seen;
    return [what, n8n, said(figures)];
  });
  return `## The chart in real pods

What the long tests on the cluster saw (\`LONG=1 make test-cluster\`); memory hogs by the MiB that a Code node returns, 0 for no answer.

${table(['what', 'n8n', 'seen'], rows)}

${link(path)}`;
}

const page = await format(
  [
    `# What was measured

<!-- Written by lab/generate/results.mjs from the records in studies/ and docs/records/. -->

Every figure here comes from a record in this repository. All of it ran on one small machine, with the load generator
beside n8n: take ratios from it, not absolutes.`,
    closedLoops(),
    comparisons(),
    charts(),
    chartOnCluster(),
    sweeps(),
    proofs(),
    capacities(),
    searchQuality(),
    knownCapacities(),
    heapFloors(),
    nodeAccuracy(),
    samplerCost(),
  ]
    .filter((part) => part !== '')
    .join('\n\n'),
  { parser: 'markdown', printWidth: 100 },
);

if (!process.argv.includes('--check')) {
  writeFileSync(pageFile, page);
} else if (!existsSync(pageFile) || readFileSync(pageFile, 'utf8') !== page) {
  console.error('docs/results.md is out of date: run npm run generate');
  process.exit(1);
}
