// What `find` answers on a real n8n against a staircase of 60 s runs by oha, an open-loop generator that is not
// ours (cargo install oha), corrected for coordinated omission.
//   make build && node studies/find-against-staircase/measure.mjs find last-node regular       about 8 minutes
//   node studies/find-against-staircase/measure.mjs staircase last-node regular                about 9 minutes
// The first leaves n8n up for the second, which takes it down. Both want the machine for themselves.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';

const BUDGET = '5m';
/** oha sends evenly and knows no other way. With random arrivals, the default, find answers lower: studies/arrivals. */
const ARRIVALS = 'even';
const P95_MS = 300;
const STEP_SECONDS = 60;
/** Of what find answered; steps around it, and wide enough to see that it is wrong. */
const STEPS = [0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.2, 1.3];
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

const [part, workload, mode] = process.argv.slice(2);
if (!['find', 'staircase'].includes(part) || !(workload in PATHS) || !(mode in MODES)) {
  console.error(
    `say find or staircase, a workload (${Object.keys(PATHS).join(', ')}) and a mode (${Object.keys(MODES).join(', ')})`,
  );
  process.exit(2);
}

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const name = `staircase-${workload}-${mode}`;
const file = path(`results/${workload}-${mode}.json`);

function run(cores, program, args, allowed = [0]) {
  const { status, stdout, error } = spawnSync('taskset', ['-c', cores, program, ...args], {
    encoding: 'utf8',
    maxBuffer: 1e9,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (error !== undefined) throw error;
  if (!allowed.includes(status)) throw new Error(`${program} ended with ${String(status)}`);
  return stdout;
}
const command = (cores, args, allowed) =>
  run(cores, process.execPath, [path('../../capacity/dist/cli.js'), ...args], allowed);

const write = (record) => {
  mkdirSync(path('results'), { recursive: true });
  writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`);
};

function find() {
  const up = JSON.parse(
    command(CORES.n8n, ['up', '--name', name, '--json', '--workload', workload, ...MODES[mode]]),
  );
  const slos = ['--slo', `p95<${String(P95_MS)}ms`, '--slo', 'errors<1%'];
  const target = ['--target', 'url', '--url', up.baseUrl, '--workload', workload];
  // 3: inconclusive, which is an answer too.
  const found = JSON.parse(
    command(
      CORES.generator,
      ['find', ...target, ...slos, '--budget', BUDGET, '--arrivals', ARRIVALS, '--json'],
      [0, 3],
    ),
  );
  const { verdict, sentence, capacity, doubts, probes, totalSeconds } = found;
  write({
    about: 'Written by studies/find-against-staircase/measure.mjs',
    recordedAt: new Date().toISOString(),
    workload,
    mode,
    slo: `p95<${String(P95_MS)}ms, errors<1%`,
    url: up.baseUrl,
    topology: ['up', ...MODES[mode]].join(' '),
    cores: CORES,
    versions: up.versions,
    machine: { cores: cpus().length, cpu: cpus()[0]?.model ?? 'unknown' },
    find: {
      budget: BUDGET,
      arrivals: ARRIVALS,
      verdict,
      sentence,
      capacity,
      doubts,
      totalSeconds,
      probes,
    },
  });
  console.log(sentence);
}

function staircase() {
  if (!existsSync(file)) throw new Error(`there is no ${file}: measure find first`);
  const record = JSON.parse(readFileSync(file, 'utf8'));
  const url = `${record.url}/webhook/${PATHS[workload]}`;
  const steps = STEPS.map((share) => {
    const ratePerSecond = Number((share * record.find.capacity.ratePerSecond).toPrecision(3));
    const step = oha(url, ratePerSecond);
    console.log(
      `${ratePerSecond}/s: p95 ${step.p95Ms.toFixed(0)} ms, sustained: ${step.sustained}`,
    );
    return step;
  });
  const answer = betweenSteps(steps);
  const error = answer === null ? null : record.find.capacity.ratePerSecond / answer - 1;
  write({
    ...record,
    staircase: {
      generator: run(CORES.generator, 'oha', ['--version']).trim(),
      steps,
      answer,
      error,
    },
  });
  command(CORES.generator, ['down', name]);
}

function oha(url, ratePerSecond) {
  const text = run(CORES.generator, 'oha', [
    ...['-q', String(ratePerSecond), '-z', `${String(STEP_SECONDS)}s`, '-c', '400'],
    ...['--latency-correction', '-w', '--no-tui', '--output-format', 'json', url],
  ]);
  const { summary, latencyPercentiles } = JSON.parse(text);
  const p95Ms = 1_000 * latencyPercentiles.p95;
  const sustained = p95Ms < P95_MS && summary.successRate >= 0.99;
  return {
    ratePerSecond,
    p95Ms,
    successRate: summary.successRate,
    achievedPerSecond: summary.requestsPerSec,
    sustained,
  };
}

/** Between the two neighbours that contradict the fewest steps; null where all are on one side. */
function betweenSteps(steps) {
  const wrong = (i) => steps.filter(({ sustained }, at) => sustained !== at < i).length;
  const split = steps
    .map((_, i) => i)
    .concat(steps.length)
    .reduce((best, i) => (wrong(i) < wrong(best) ? i : best));
  const [below, above] = [steps[split - 1], steps[split]];
  return below === undefined || above === undefined
    ? null
    : Math.sqrt(below.ratePerSecond * above.ratePerSecond);
}

if (part === 'find') find();
else staircase();
