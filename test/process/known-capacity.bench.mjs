// find against real servers whose capacity is known. Keeps the record of studies/known-capacity.
//   make build && node test/process/known-capacity.bench.mjs [waiting|computing]        about 12 minutes
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { headOf } from '../../studies/head.mjs';
import { exponentialServer, fixedSlots, limiter } from './known-capacity/truth.mjs';
import { recordsOf } from '../../studies/archive.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const records = recordsOf('known-capacity');
/** For which the capacity of these servers is known in closed form. */
const ARRIVALS = 'even';
const SATURATE_MS = 15_000;
const SATURATING_CLIENTS = 8;

/** They wait and hardly compute, so that their searches can be made side by side. */
const WAITING = [
  {
    name: '1 slot of 20 ms',
    server: { slots: 1, serviceMs: 20 },
    slo: 'p95<200ms',
    truth: ({ meanServiceMs }) => fixedSlots(1, meanServiceMs),
  },
  {
    name: '4 slots of 50 ms',
    server: { slots: 4, serviceMs: 50 },
    slo: 'p95<150ms',
    truth: ({ meanServiceMs }) => fixedSlots(4, meanServiceMs),
  },
  {
    name: '16 slots of 500 ms',
    server: { slots: 16, serviceMs: 500 },
    slo: 'p95<1s',
    truth: ({ meanServiceMs }) => fixedSlots(16, meanServiceMs),
  },
  {
    name: 'exponential, 20 ms',
    server: { slots: 1, serviceMs: 20, spread: 'exponential' },
    slo: 'p95<200ms',
    truth: ({ meanServiceMs }) => exponentialServer(meanServiceMs, 200),
  },
  {
    name: 'limiter, 60/s',
    server: { maxPerSecond: 60 },
    slo: 'errors<1%',
    truth: () => limiter(60, 0.01),
  },
];
/** It computes, alone: its capacity is what it answers when saturated, before and after the search. */
const COMPUTING = { name: '5 ms of CPU', server: { cpuMs: 5 }, slo: 'p95<100ms' };

async function startServer(behaviour) {
  const child = spawn(
    process.execPath,
    [path('known-capacity/server.mjs'), JSON.stringify(behaviour)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const { value: url } = await lines.next();
  const stop = async () => {
    child.kill('SIGTERM');
    const { value } = await lines.next();
    return JSON.parse(value);
  };
  return { url, stop };
}

async function find({ name, slo }, url, out) {
  console.log(`searching: ${name}`);
  const child = spawn(
    process.execPath,
    [
      path('../../cli/dist/cli.js'),
      ...['find', '--target', 'url', '--url', url, '--request', 'GET /x', '--slo', slo],
      ...['--arrivals', ARRIVALS],
      ...['--expect', 'status=200', '--probe', '8s', '--full', '30s', '--out', out, '--json'],
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const ended = once(child, 'exit');
  let text = '';
  for await (const chunk of child.stdout) text += chunk;
  await ended;
  return JSON.parse(text);
}

/** Expected responses a second to clients that never pause. */
async function saturated(url) {
  const until = Date.now() + SATURATE_MS;
  let answers = 0;
  const client = async () => {
    while (Date.now() < until) {
      await (await fetch(url)).arrayBuffer();
      answers += 1;
    }
  };
  await Promise.all(Array.from({ length: SATURATING_CLIENTS }, client));
  return (1000 * answers) / SATURATE_MS;
}

function rowOf({ name, slo }, truth, found) {
  const { ratePerSecond, low, high, confirmed } = found.capacity;
  return {
    name,
    slo,
    truth,
    found: ratePerSecond,
    error: ratePerSecond / truth - 1,
    low,
    high,
    holdsTruth: low <= truth && truth <= (high ?? Infinity),
    ...{ confirmed, verdict: found.verdict },
    probes: found.probes.length,
    probeSeconds: found.probes.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0),
  };
}

async function waiting(system, out) {
  const server = await startServer(system.server);
  const found = await find(system, `${server.url}`, out);
  return rowOf(system, system.truth(await server.stop()), found);
}

async function computing(system, out) {
  const server = await startServer(system.server);
  const before = await saturated(server.url);
  const found = await find(system, server.url, out);
  const after = await saturated(server.url);
  await server.stop();
  return { ...rowOf(system, (before + after) / 2, found), saturated: [before, after] };
}

const groups = {
  waiting: (out) => Promise.all(WAITING.map((system) => waiting(system, out))),
  computing: async (out) => [await computing(COMPUTING, out)],
};
const [asked] = process.argv.slice(2);
const out = mkdtempSync(join(tmpdir(), 'known-capacity-'));
const record = records.read('record') ?? {};
try {
  for (const [name, measure] of Object.entries(groups)) {
    if (asked !== undefined && asked !== name) continue;
    const head = headOf();
    const rows = await measure(out);
    record[name] = { ...head, arrivals: ARRIVALS, rows };
    console.table(rows.map(({ name, truth, found, error }) => ({ name, truth, found, error })));
  }
  records.write('record', record);
} finally {
  rmSync(out, { recursive: true, force: true });
}
