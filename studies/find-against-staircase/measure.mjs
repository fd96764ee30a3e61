// What `find` answers on a real n8n against a staircase of 60 s runs by oha, an open-loop generator that is not ours
// (cargo install oha), corrected for coordinated omission: three workloads, in regular and in queue mode.
//
//   make build && lab/install.sh node24 n8n k6 redis postgresql
//   node studies/find-against-staircase/measure.mjs --list          what there is, what has a record, and how long it takes
//   node studies/find-against-staircase/measure.mjs                 the next part without a record, 6 to 10 minutes
//   node studies/find-against-staircase/measure.mjs --within 60m    one after the other, as long as the next one still fits
//   node studies/find-against-staircase/measure.mjs items-queue-1-find
//
// A part is a search, or the staircase around its answer right after it, since the speed of a machine changes over
// minutes; each has an n8n of its own, and has the CPU that a request took beside each step. It wants the machine for
// itself. Nothing is kept of a part that was interrupted. With SHORT=1 a part is tried: its record is printed.
import { Buffer } from 'node:buffer';
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { thisMachine } from '../head.mjs';
import { recordsOf } from '../archive.mjs';
import { measureParts, NotMeasured, root } from '../in-parts.mjs';
import {
  ARRIVALS,
  BUDGET,
  findOf,
  MODES,
  MAX_STEPS,
  P95_MS,
  PARTS,
  STEP_SECONDS,
  WARMUP_SECONDS,
  WORKLOADS,
} from './parts.mjs';
import { betweenSteps, nextRate, ohaFigures, pairsOf } from './staircase.mjs';

/**
 * Each has a core to itself, so that neither generator, of which one needs more CPU than the other, takes any from n8n. A
 * quota instead would stop n8n for what is left of each 100 ms that it has used up, after each garbage collection.
 */
const CORES = { n8n: '0', generator: '1' };
const SLO = [`p95<${P95_MS}ms`, 'errors<1%'];
/** Requests a second, around which a staircase is tried that has no search. */
const TRIED_RATE = 20;
const kept = recordsOf('find-against-staircase');
const cli = join(root, 'cli/dist/cli.js');
const isTried = process.env.SHORT === '1';

/** Ends with what the program wrote. `signal`: interrupts it, once; without it nothing does, as its group is its own. */
function run(cores, words, { signal, allowed = [0] } = {}) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(new NotMeasured('it was interrupted'));
      return;
    }
    const child = spawn('taskset', ['-c', cores, ...words], {
      ...{ cwd: root, detached: true },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const interrupt = () => child.kill('SIGINT');
    signal?.addEventListener('abort', interrupt);
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.once('error', reject);
    child.once('close', (status, endedBy) => {
      signal?.removeEventListener('abort', interrupt);
      if (signal?.aborted) reject(new NotMeasured('it was interrupted'));
      else if (allowed.includes(status)) resolve(Buffer.concat(chunks).toString('utf8'));
      else
        reject(new NotMeasured(`${words.slice(0, 3).join(' ')} ended with ${status ?? endedBy}`));
    });
  });
}
const command = (cores, args, how) => run(cores, [process.execPath, cli, ...args], how);

/** CPU seconds of all n8n processes since they began, as they say themselves: the same source as find has. */
async function cpuSeconds(endpoints) {
  const texts = await Promise.all(endpoints.map(async ({ url }) => (await fetch(url)).text()));
  return texts.reduce((sum, text) => {
    const [, seconds] =
      /^n8n_process_cpu_seconds_total(?:\{[^}]*\})? ([\d.e+-]+)/m.exec(text) ?? [];
    if (seconds === undefined) throw new NotMeasured('n8n does not tell its CPU at /metrics');
    return sum + Number(seconds);
  }, 0);
}

/** Until single requests are answered as fast as they have been: what one step left must not be the next one's. */
async function rest(url, baseline, signal) {
  const until = performance.now() + 60_000;
  for (let inARow = 0; inARow < 3 && performance.now() < until && !signal.aborted;) {
    const sentAt = performance.now();
    await (await fetch(url)).text();
    const ms = performance.now() - sentAt;
    baseline.ms = Math.min(baseline.ms, ms);
    inARow = ms <= Math.max(1.5 * baseline.ms, baseline.ms + 10) ? inARow + 1 : 0;
    await sleep(300);
  }
}

const ohaArguments = (ratePerSecond, seconds, url) => [
  ...['oha', '-q', String(ratePerSecond), '-z', `${String(seconds)}s`, '-c', '400'],
  ...['--latency-correction', '-w', '--no-tui', '--output-format', 'json', url],
];

async function find({ workload }, up, { out, isShort, signal }) {
  const metrics = up.metrics.flatMap(({ role, url }) => ['--metrics-url', `${role}=${url}`]);
  const budget = isShort ? '40s' : BUDGET;
  const text = await command(
    CORES.generator,
    [
      ...['find', '--target', 'url', '--url', up.baseUrl, ...metrics, '--workload', workload],
      ...[...SLO.flatMap((slo) => ['--slo', slo]), '--budget', budget],
      ...['--arrivals', ARRIVALS, '--out', out, '--json'],
    ],
    // 1: no rate was sustained, 3: inconclusive or invalid.
    { signal, allowed: [0, 1, 3] },
  );
  if (text === '') throw new NotMeasured('find has printed no answer');
  const found = JSON.parse(text);
  // A wrong answer is one too, and so is none; what the environment or the generator spoilt is made again.
  if (found.verdict === 'invalid') throw new NotMeasured(found.sentence);
  const { verdict, sentence, capacity, limit, doubts, totalSeconds, probes } = found;
  return {
    record: {
      ...{ command: found.command, budget, verdict, sentence, capacity, limit },
      ...{ doubts, totalSeconds, probes },
    },
    sentence,
  };
}

async function staircase(part, up, { isShort, signal }) {
  const url = `${up.baseUrl}/webhook/${WORKLOADS[part.workload]}`;
  const search = kept.read(findOf(part));
  const around = search?.capacity.ratePerSecond || TRIED_RATE;
  const stepSeconds = isShort ? 5 : STEP_SECONDS;
  const load = (rate, seconds) =>
    run(CORES.generator, ohaArguments(rate, seconds, url), { signal });
  const generator = (await run(CORES.generator, ['oha', '--version'])).trim();
  await load(Math.ceil(around / 2), isShort ? 3 : WARMUP_SECONDS);
  const baseline = { ms: Infinity };
  const steps = [];
  for (;;) {
    const ratePerSecond = nextRate(steps, around, isShort ? 3 : MAX_STEPS);
    if (ratePerSecond === null) break;
    await rest(url, baseline, signal);
    const before = await cpuSeconds(up.metrics);
    const figures = ohaFigures(JSON.parse(await load(ratePerSecond, stepSeconds)), P95_MS);
    const used = (await cpuSeconds(up.metrics)) - before;
    const step = { ratePerSecond, ...figures, cpuMs: (1_000 * used) / figures.expected };
    steps.push(step);
    console.log(
      `${ratePerSecond}/s: p95 ${step.p95Ms.toFixed(0)} ms, CPU per request ${step.cpuMs.toFixed(1)} ms, sustained: ${step.sustained}`,
    );
  }
  const record = { generator, around, stepSeconds, steps, answer: betweenSteps(steps) };
  return { record, sentence: comparison(search, { ...part, ...record }) };
}

const percent = (share) => (share === null ? 'not known' : `${(100 * share).toFixed(1)}%`);

/** `search` is null where a staircase is tried without one. */
function comparison(search, stair) {
  if (stair.answer === null) return 'the steps have no boundary: no answer';
  const [pair] = pairsOf(search === null ? [] : [search, stair]);
  const compared = pair?.compared ?? null;
  if (compared === null) return `staircase ${stair.answer.toFixed(1)}/s`;
  const { find: ours, staircase: theirs, error, errorAtEqualSpeed } = compared;
  return `find ${ours.toFixed(1)}/s, staircase ${theirs.toFixed(1)}/s: ${percent(error)}, at equal speed ${percent(errorAtEqualSpeed)}`;
}

const MEASURED = { find, staircase };

async function measured(part, { out, isShort, signal }) {
  const { name } = part;
  const startedAt = new Date().toISOString();
  const laidOut = ['--workload', part.workload, ...MODES[part.mode]];
  const up = JSON.parse(
    await command(CORES.n8n, ['up', '--name', name, '--json', ...laidOut], { signal }),
  );
  try {
    const { record, sentence } = await MEASURED[part.kind](part, up, { out, isShort, signal });
    return {
      record: {
        ...{ startedAt, versions: up.versions, machine: thisMachine(), cores: CORES },
        ...{ slo: SLO.join(', '), arrivals: ARRIVALS, ...record },
      },
      sentence,
    };
  } finally {
    await command(CORES.generator, ['down', name]);
  }
}

/** What has to be there for any of the parts. */
const TOOLS = { oha: 'cargo install oha', taskset: 'install util-linux' };
const missing = Object.keys(TOOLS).find(
  (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status !== 0,
);

const hindrances = [
  ...(missing === undefined ? [] : [`${missing} is missing: ${TOOLS[missing]}`]),
  ...(thisMachine().cores < 2 ? ['n8n and the generator need a core each'] : []),
];
if (hindrances.length > 0 && !process.argv.includes('--list')) {
  console.error(hindrances.join('; '));
  process.exit(2);
}

function whyNot(part) {
  if (part.kind === 'find' || isTried) return null;
  const search = kept.read(findOf(part));
  if (search === null) return `it rests on ${findOf(part)}, which has no record`;
  return search.capacity.ratePerSecond > 0 ? null : `${findOf(part)} has no rate to begin with`;
}

await measureParts({
  ...{ parts: PARTS, kept, whyNot, measured },
  about: 'studies/find-against-staircase/measure.mjs',
  shownOut: 'results/find-against-staircase',
  notes: hindrances,
});
