// What `find` answers on a real n8n against a staircase of 60 s runs by oha, an open-loop generator that is not
// ours (cargo install oha), corrected for coordinated omission. In turns, since the speed of a machine changes over
// minutes: find, staircase, find, staircase, each on an n8n of its own, with the CPU that a request took beside each step.
//   make build && node studies/find-against-staircase/measure.mjs last-node regular 1
// does the next part that the record does not have yet: 6 to 9 minutes; four times, or once without the 1 (about half
// an hour), and the record is whole. It wants the machine for itself, and has what was measured after any interruption.
import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { answerOf, atEqualSpeed, betweenSteps, nextRate, ohaFigures } from './staircase.mjs';

const PARTS = ['find', 'staircase', 'find', 'staircase'];
const BUDGET = '5m';
/** oha sends evenly and knows no other way. With random arrivals, the default, find answers lower: studies/arrivals. */
const ARRIVALS = 'even';
const P95_MS = 300;
const STEP_SECONDS = 60;
/** Before the first step: n8n is as cold as it is when find begins, which warms up too. */
const WARMUP_SECONDS = 20;
const MOST_STEPS = 8;
const PATHS = {
  'last-node': 'load-last-node',
  items: 'load-items',
  expressions: 'load-expressions',
};
const MODES = { regular: [], queue: ['--mode', 'queue', '--workers', '1'] };
/**
 * Each has a core to itself, so that neither generator, of which one needs more CPU than the other, takes any from n8n. A
 * quota instead would stop n8n for what is left of each 100 ms that it has used up, after each garbage collection.
 */
const CORES = { n8n: '0', generator: '1' };
/** To try the script, not to measure: `SMOKE=1` makes everything short and records elsewhere. */
const smoke = process.env.SMOKE === '1';
const budget = smoke ? '40s' : BUDGET;
const stepSeconds = smoke ? 5 : STEP_SECONDS;
const warmupSeconds = smoke ? 3 : WARMUP_SECONDS;
const mostSteps = smoke ? 3 : MOST_STEPS;

const [workload, mode, count = String(PARTS.length)] = process.argv.slice(2);
if (!(workload in PATHS) || !(mode in MODES) || !/^[1-9]$/.test(count)) {
  console.error(
    `say a workload (${Object.keys(PATHS).join(', ')}), a mode (${Object.keys(MODES).join(', ')}) and how many parts to do (left out: all that are missing)`,
  );
  process.exit(2);
}

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const name = `staircase-${workload}-${mode}`;
const scratch = mkdtempSync(join(tmpdir(), `${name}-`));
const folder = smoke ? scratch : path('results');
const file = join(folder, `${workload}-${mode}.json`);

let interrupted = null;
let child = null;
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    interrupted = signal;
    child?.kill(signal);
  });
}

/** Ends with what the program wrote; throws where it ended otherwise than it may. */
function run(cores, program, args, allowed = [0]) {
  return new Promise((resolve, reject) => {
    // A group of its own: Ctrl-C reaches it from here, once, and `down` not at all.
    child = spawn('taskset', ['-c', cores, program, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    const parts = [];
    child.stdout.on('data', (part) => parts.push(part));
    child.once('error', reject);
    child.once('close', (status, signal) => {
      child = null;
      if (allowed.includes(status)) resolve(Buffer.concat(parts).toString('utf8'));
      else reject(new Error(`${program} ${args[0]} ended with ${String(status ?? signal)}`));
    });
  });
}
const command = (cores, args, allowed) =>
  run(cores, process.execPath, [path('../../capacity/dist/cli.js'), ...args], allowed);

const readRecord = () => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null);

function write(record) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`);
}

/** CPU seconds of all n8n processes since they began, as they say themselves: the same source as find has. */
async function cpuSeconds(endpoints) {
  const texts = await Promise.all(endpoints.map(async ({ url }) => (await fetch(url)).text()));
  return texts.reduce((sum, text) => {
    const [, seconds] =
      /^n8n_process_cpu_seconds_total(?:\{[^}]*\})? ([\d.e+-]+)/m.exec(text) ?? [];
    if (seconds === undefined) throw new Error('n8n does not tell its CPU at /metrics');
    return sum + Number(seconds);
  }, 0);
}

/** Until single requests are answered as fast as they have been: what one step left must not be the next one's. */
async function rest(url, baseline) {
  const until = performance.now() + 60_000;
  for (let inARow = 0; inARow < 3 && performance.now() < until && interrupted === null;) {
    const sentAt = performance.now();
    await (await fetch(url)).text();
    const ms = performance.now() - sentAt;
    baseline.ms = Math.min(baseline.ms, ms);
    inARow = ms <= Math.max(1.5 * baseline.ms, baseline.ms + 10) ? inARow + 1 : 0;
    await sleep(300);
  }
}

const ohaArguments = (ratePerSecond, seconds, url) => [
  ...['-q', String(ratePerSecond), '-z', `${String(seconds)}s`, '-c', '400'],
  ...['--latency-correction', '-w', '--no-tui', '--output-format', 'json', url],
];

async function find(up, part) {
  const metrics = up.metrics.flatMap(({ role, url }) => ['--metrics-url', `${role}=${url}`]);
  const found = JSON.parse(
    await command(
      CORES.generator,
      [
        ...['find', '--target', 'url', '--url', up.baseUrl, ...metrics, '--workload', workload],
        ...['--slo', `p95<${String(P95_MS)}ms`, '--slo', 'errors<1%', '--out', scratch],
        ...['--budget', budget, '--arrivals', ARRIVALS, '--json'],
      ],
      // 3: inconclusive, which is an answer too. 130: interrupted, with what it has.
      [0, 3, 130],
    ),
  );
  const { verdict, sentence, capacity, doubts, probes, totalSeconds } = found;
  Object.assign(part, { verdict, sentence, capacity, doubts, totalSeconds, probes });
  // Without a rate there is nothing to build a staircase around: find is then made again.
  part.done = interrupted === null && capacity.ratePerSecond > 0;
  console.log(sentence);
}

async function staircase(up, part, record) {
  const url = `${up.baseUrl}/webhook/${PATHS[workload]}`;
  const around = record.parts.find((one) => one.kind === 'find' && one.done).capacity.ratePerSecond;
  part.generator = (await run(CORES.generator, 'oha', ['--version'])).trim();
  await run(CORES.generator, 'oha', ohaArguments(Math.ceil(around / 2), warmupSeconds, url));
  const baseline = { ms: Infinity };
  for (;;) {
    const ratePerSecond = nextRate(part.steps, around, mostSteps);
    if (ratePerSecond === null || interrupted !== null) break;
    await rest(url, baseline);
    const before = await cpuSeconds(up.metrics);
    const text = await run(CORES.generator, 'oha', ohaArguments(ratePerSecond, stepSeconds, url));
    const used = (await cpuSeconds(up.metrics)) - before;
    if (interrupted !== null) break;
    const figures = ohaFigures(JSON.parse(text), P95_MS);
    const step = { ratePerSecond, ...figures, cpuMs: (1_000 * used) / figures.expected };
    part.steps.push(step);
    write(record);
    console.log(
      `${ratePerSecond}/s: p95 ${step.p95Ms.toFixed(0)} ms, CPU per request ${step.cpuMs.toFixed(1)} ms, sustained: ${step.sustained}`,
    );
  }
  part.answer = betweenSteps(part.steps);
  part.done = interrupted === null;
}

async function measure(kind, record) {
  const args = ['--name', name, '--json', '--workload', workload, ...MODES[mode]];
  const part = { kind, startedAt: new Date().toISOString(), done: false };
  if (kind === 'staircase') part.steps = [];
  const up = JSON.parse(await command(CORES.n8n, ['up', ...args]));
  try {
    record.versions ??= up.versions;
    // A part that was interrupted stays beside the one that is made again.
    record.parts.push(part);
    if (kind === 'find') await find(up, part);
    else await staircase(up, part, record);
  } finally {
    record.compared = compare(record);
    write(record);
    await command(CORES.generator, ['down', name]);
  }
}

/** Each staircase with the find before it: as they came, and as if the machine had been equally fast for both. */
function compare({ parts }) {
  const done = parts.filter((part) => part.done);
  const finds = done.filter(({ kind }) => kind === 'find').map(answerOf);
  const stairs = done.filter(({ kind }) => kind === 'staircase').map(answerOf);
  return stairs.flatMap((stair, i) =>
    finds[i] === undefined || stair === null ? [] : [atEqualSpeed(finds[i], stair)],
  );
}

const record = readRecord() ?? {
  about: 'Written by studies/find-against-staircase/measure.mjs',
  workload,
  mode,
  slo: `p95<${String(P95_MS)}ms, errors<1%`,
  budget,
  arrivals: ARRIVALS,
  stepSeconds,
  cores: CORES,
  machine: { cores: cpus().length, cpu: cpus()[0]?.model ?? 'unknown' },
  parts: [],
  compared: [],
};
try {
  for (let made = 0; made < Number(count) && interrupted === null; made += 1) {
    const kind = PARTS[record.parts.filter((part) => part.done).length];
    if (kind === undefined) break;
    console.log(`== ${kind} of ${workload}, ${mode}`);
    await measure(kind, record);
  }
} catch (error) {
  console.error(String(error));
  process.exitCode = 1;
} finally {
  if (interrupted !== null) process.exitCode = 130;
  if (smoke) console.log(readFileSync(file, 'utf8'));
  rmSync(scratch, { recursive: true, force: true });
}
for (const one of record.compared) {
  console.log(
    `find ${one.find.toFixed(1)}/s, staircase ${one.staircase.toFixed(1)}/s: ${(100 * one.error).toFixed(1)} %, at equal speed ${one.errorAtEqualSpeed === null ? 'not known' : `${(100 * one.errorAtEqualSpeed).toFixed(1)} %`}`,
  );
}
