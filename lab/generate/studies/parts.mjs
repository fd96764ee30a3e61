// Parts of the kit and of n8n for themselves: the node, the samplers, the heap.
import { has, link, linkWithCommand, number, readJson, spread, table } from '../records.ts';

export function heapFloors() {
  const path = 'studies/heap-floors/results/record.json';
  if (!has(path)) return '';
  const rows = readJson(path).rows.map((r) => [
    `${r.heap} of ${r.n8n}`,
    `${r.oldSpaceMiB} MiB`,
    r.lives ? `ready after ${number(r.readyAfterSeconds)} s` : 'crashes',
    r.outOfHeap ? 'yes' : 'no',
  ]);
  return `## The least heaps

A fresh n8n with SQLite, started with less and less old space.

${table(['heap', 'old space', 'what it did', 'V8 ran out of heap'], rows)}

${link(path)}`;
}

export function isolates() {
  const path = 'studies/isolates/results/record.json';
  if (!has(path)) return '';
  const { n8n, isolates: count, loadAverageAtStart, variants } = readJson(path);
  const of = ({ rounds }, step) => spread(rounds.map((round) => round[step]));
  const [none] = variants;
  const ratios = ({ rounds }) =>
    spread(rounds.map(({ cpuMs }, round) => none.rounds[round].cpuMs / cpuMs));
  const rows = variants.map((v) => [
    v.patches,
    ...['madeMs', 'firstMs', 'othersMs', 'functionMs'].map((step) => `${of(v, step)} ms`),
    `${of(v, 'cpuMs')} ms`,
    v === none ? 1 : `${ratios(v)}x less`,
  ]);
  return `## What a sandbox for expressions costs

n8n ${n8n} with its compile cache, without and with the [patches](docs/chart/patches.md): a sandbox is made, evaluates \`$json.a + 1\`,
20 more like it and \`toTitleCase()\`, in the time zone that n8n has by default, and is thrown away. Median of ${count} sandboxes; over ${none.rounds.length} rounds in turns the median of these, and from the
least to the most. Load average at the start: ${number(loadAverageAtStart)}; above 2, other work on the two cores makes times longer, and
CPU little.

${table(['patches', 'made', 'first expression', '20 more', 'a function', 'CPU for all', 'compared with none'], rows)}

${linkWithCommand(path, 'node studies/isolates/measure.mjs')}`;
}

export function sessions() {
  const path = 'studies/sessions/results/record.json';
  if (!has(path)) return '';
  const { n8n, loadAverageAtStart, rows: delays } = readJson(path);
  const rows = delays.map((row) => {
    const of = (turn, figure) => spread(row[turn].map((round) => round[figure]));
    const ratios = row.with.map(({ perSecond }, n) => perSecond / row.without[n].perSecond);
    return [
      `${row.delayMs} ms`,
      ...['without', 'with'].map((turn) => `${of(turn, 'queryMs')} ms`),
      ...['without', 'with'].map((turn) => `${of(turn, 'perSecond')}/s`),
      `${spread(ratios)}x`,
    ];
  });
  return `## What sessions with PostgreSQL cost

The TypeORM of n8n ${n8n}, without and with the [patch](docs/chart/patches.md) \`session-once\`, behind a proxy that delays the
responses of the database: \`SELECT 1\` one after the other, and from 16 callers over a pool of 4 connections. This is n8n's way to the
database alone, not n8n. Median of ${delays[0].with.length} rounds in turns, and from the least to the most; load average at the start ${number(loadAverageAtStart)}. The
proxy looks every 50 us for what is due.

${table(['later by', 'a query', 'with the patch', '16 callers', 'with the patch', 'ratio'], rows)}

${linkWithCommand(path, 'node studies/sessions/measure.mjs')}`;
}

export function nodeAccuracy() {
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

export function samplerCost() {
  const path = 'docs/records/sampler-cost.json';
  if (!has(path)) return '';
  const record = readJson(path);
  const { mode, workers, webhooks } = record.topology;
  return `## What sampling costs

Beside ${mode} mode with ${workers.count} workers and ${webhooks.count} webhook processors, ${record.processes} processes with
their stores, all samplers together took ${number(100 * record.coreShare)}% of one core at a sample every
${number(record.everyMs / 1000)} s, measured over ${record.measuredSeconds} s
(load average at its start: ${number(record.loadAverageAtStart)}). A sampler that waits for a response is also charged with
what the others did meanwhile, so the parts add up to more.

${table(
  ['sampler', 'CPU ms per tick, at most'],
  record.rows.map(({ sampler, msPerTick }) => [sampler, number(msPerTick)]),
)}

${link(path)}`;
}

export function manyRequests() {
  const path = 'docs/records/many-requests.json';
  if (!has(path)) return '';
  const rows = readJson(path).rows.map(({ requests, recorded, reported }) => [
    number(requests),
    `${number(recorded.seconds)} s`,
    `${number(recorded.rssPeakMiB)} MiB`,
    `${number(recorded.p95.measured)} ms of ${number(recorded.p95.exact)} ms`,
    `${number(reported.seconds)} s`,
    `${number(reported.rssPeakMiB)} MiB`,
  ]);
  return `## How much memory a long run takes

A soak of a week through the whole command, with generated output of k6, read as fast as it can be and without a network
(\`node test/cli/run/many-requests.bench.mjs\`). Up to a million requests a percentile is exact; beyond, it comes
from a histogram that is off by 0.1% at the most.

${table(
  [
    ...['requests', 'time', 'highest memory', 'p95, of the true one'],
    ...['report made again', 'highest memory of that'],
  ],
  rows,
)}

${link(path)}`;
}
