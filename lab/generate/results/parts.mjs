// Parts of the kit and of n8n for themselves: the node, the samplers, the heap.
import { has, link, number, readJson, table } from './records.mjs';

export function heapFloors() {
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
