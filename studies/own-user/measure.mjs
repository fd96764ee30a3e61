// Whether passwords of the stores and a user of its own change what n8n carries: the command as it was before, from a
// checkout of then, and as it is now, both up at the same time and loaded in turns.
//
//   git worktree add ../before 671315c1 && (cd ../before && npm ci && npm run build)
//   make lab build
//   node studies/own-user/measure.mjs ../before
//
// 12 minutes on a machine that does nothing else. A checkout of now in its place shows how far equal builds differ; `--quick`
// behind it takes 3 minutes, and its figures show nothing.
import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { commandOf } from '../command-of.mjs';
import { recordsOf } from '../archive.mjs';

const TOPOLOGIES = {
  regular: ['--mode', 'regular'],
  queue: ['--mode', 'queue', '--workers', '1'],
};
const CLIENTS = 8;
const [SECONDS, BUDGET, STARTS] = process.argv[3] === '--quick' ? [3, '20s', 2] : [10, '4m', 4];

const run = promisify(execFile);
const [, , before] = process.argv;
if (before === undefined) {
  console.error('say where the checkout of before is: node studies/own-user/measure.mjs ../before');
  process.exit(2);
}
const root = join(import.meta.dirname, '../..');
const programs = { before: resolve(before), now: root };

async function call(side, ...args) {
  const program = join(programs[side], 'cli/dist/cli.js');
  const options = { maxBuffer: 2 ** 28, cwd: programs[side] };
  try {
    return (await run(process.execPath, [program, ...args], options)).stdout;
  } catch (error) {
    // No clear answer is one too.
    if (error.code === 3 && error.stdout !== '') return error.stdout;
    throw error;
  }
}

const nameOf = (side) => `own-user-${side}`;

async function up(side, topology) {
  const begun = performance.now();
  const said = await call(
    ...[side, 'up', '--name', nameOf(side), '--workload', 'last-node', '--tuning', 'throughput'],
    ...[...topology, '--json'],
  );
  const { baseUrl, versions } = JSON.parse(said);
  return { baseUrl, versions, seconds: (performance.now() - begun) / 1000 };
}

const down = (side) => call(side, 'down', nameOf(side));

/** In turns as well; the first of each makes the database that the others copy, and does not count. */
async function startsOf(topology) {
  const seconds = { before: [], now: [] };
  for (let turn = 0; turn < STARTS; turn += 1) {
    const sides = turn % 2 === 0 ? ['before', 'now'] : ['now', 'before'];
    for (const side of sides) {
      const started = await up(side, topology);
      if (turn > 0) seconds[side].push(Number(started.seconds.toFixed(2)));
      await down(side);
    }
  }
  return seconds;
}

async function measured(topology) {
  const startSeconds = await startsOf(topology);
  const sides = {};
  try {
    for (const side of ['before', 'now']) sides[side] = await up(side, topology);
    const out = mkdtempSync(join(tmpdir(), 'own-user-'));
    const said = await call(
      ...['now', 'compare', sides.before.baseUrl, sides.now.baseUrl, '--workload', 'last-node'],
      ...['--vus', String(CLIENTS), '--duration', `${SECONDS}s`, '--warmup', '2s'],
      ...['--pairs', '12', '--budget', BUDGET, '--out', out, '--json'],
    );
    const { machine, ratio, a, b } = JSON.parse(said);
    const perSecond = { before: a.values, now: b.values };
    return { machine, versions: sides.now.versions, startSeconds, perSecond, ratio };
  } finally {
    for (const side of Object.keys(sides)) await down(side);
  }
}

const records = recordsOf('own-user');
for (const [name, topology] of Object.entries(TOPOLOGIES)) {
  const head = { when: new Date().toISOString(), command: commandOf(import.meta.filename) };
  const record = { ...head, loadAverageAtStart: loadavg()[0], ...(await measured(topology)) };
  records.write(name, record);
  console.log(name, JSON.stringify(record.ratio), JSON.stringify(record.startSeconds));
}
