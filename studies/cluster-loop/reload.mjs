// What a reload costs under load: PM2 replaces the processes of a bare server (server.cjs) while k6 loads it, and every
// request is accounted for. In its cluster mode with `pm2 reload`, in its fork mode with `pm2 restart`, each with a server
// that ends at once, one that ends when its open requests are done, and one that first sends its clients away.
//
//   make build && lab/install.sh pm2
//   node studies/cluster-loop/reload.mjs --out results/reload            about 12 minutes
//   node studies/cluster-loop/reload.mjs --out results/reload --quick    about a minute
//
// Writes reload.json, and beside it a folder for each run. A run that is recorded there is not measured again.
import { execFile, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual, parseArgs, promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { commandOf, ledgerOf, LOAD, runsOf } from './reload-parts.mjs';
import { cache } from '../../lab/cache.mjs';

/** About how long k6 takes from its start to its first request. */
const STARTS_SECONDS = 1;

const root = resolve(import.meta.dirname, '../..');
const command = join(root, 'cli/dist/cli.js');
const pm2 = join(cache, 'bin/pm2');

const { values } = parseArgs({
  options: { out: { type: 'string' }, quick: { type: 'boolean', default: false } },
});
if (values.out === undefined) fails('say where to write, like --out results/reload');
for (const file of [command, pm2]) {
  if (!existsSync(file)) fails(`${file} is not there: make build, and lab/install.sh pm2`);
}
const out = resolve(values.out);
const length = values.quick ? 'quick' : 'full';
const load = LOAD[length];
const file = join(out, 'reload.json');

function fails(sentence) {
  console.error(sentence);
  process.exit(2);
}

let isInterrupted = false;
// The command gets it too, and takes down what it started before it ends.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => (isInterrupted = true));

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

mkdirSync(out, { recursive: true });
const before = existsSync(file) ? readJson(file) : null;
const runs = before !== null && isDeepStrictEqual(before.load, load) ? before.runs : [];
const isDone = ({ name, repeat }) => runs.some((run) => run.name === name && run.repeat === repeat);

for (const way of runsOf(length).filter((one) => !isDone(one))) {
  if (isInterrupted) break;
  console.error(`${way.name}, ${way.repeat} of ${load.repeats}`);
  const run = await measured(way);
  if (run === null) break;
  runs.push(run);
  const about = 'Written by studies/cluster-loop/reload.mjs';
  writeFileSync(file, `${JSON.stringify({ about, load, runs }, null, 2)}\n`);
}
process.exitCode = runsOf(length).every(isDone) ? 0 : 3;

/** What is kept of one run; null where it did not come to its end. */
async function measured(way) {
  const folder = join(out, `${way.name}-${way.repeat}`);
  rmSync(folder, { recursive: true, force: true });
  const home = mkdtempSync(join(tmpdir(), 'pm2-'));
  try {
    const child = spawn(process.execPath, [command, ...commandOf(way, load, folder)], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, PM2_HOME_OF_STUDY: home },
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (more) => (text += more));
    let hasEnded = false;
    const ended = new Promise((done) => child.once('close', done)).then(() => (hasEnded = true));
    const times = await reloads(way, folder, home, () => hasEnded);
    await ended;
    if (text === '' || isInterrupted) return null;
    const record = JSON.parse(text);
    return keep(way, record, times);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** [{beganAt, endedAt}] in milliseconds since 1970. */
async function reloads({ asks }, folder, home, hasEnded) {
  const isLoaded = () =>
    existsSync(folder) &&
    readdirSync(folder).some((name) => existsSync(join(folder, name, 'incomplete.json')));
  while (!isLoaded() && !hasEnded()) await sleep(50);
  const loadedAt = Date.now();
  const times = [];
  for (const seconds of asks === null ? [] : load.reloadsAtSeconds) {
    const atMs = 1000 * (load.warmupSeconds + STARTS_SECONDS + seconds);
    await sleep(Math.max(0, loadedAt + atMs - Date.now()));
    if (hasEnded() || isInterrupted) break;
    const beganAt = Date.now();
    await promisify(execFile)(pm2, [asks, 'all'], {
      env: { ...process.env, PM2_HOME: home, PM2_DISABLE_VERSION_CHECK: 'true' },
    });
    times.push({ beganAt, endedAt: Date.now() });
  }
  return times;
}

function keep(way, { folder, ...record }, times) {
  const zero = Date.parse(record.loadBeganAt);
  const table = gunzipSync(readFileSync(join(folder, 'requests.csv.gz'))).toString();
  const reloaded = times.map(({ beganAt, endedAt }) => ({
    beganMs: beganAt - zero,
    endedMs: endedAt - zero,
  }));
  const endMs = 1000 * (load.warmupSeconds + load.durationSeconds);
  const { faults, notSent } = record.summary.generator;
  return {
    ...way,
    run: relative(out, folder),
    reloads: reloaded,
    ...ledgerOf(table, reloaded),
    notSent,
    // Without load there is nothing to lose.
    isValid: faults.length === 0 && reloaded.every((one) => one.beganMs > 0 && one.endedMs < endMs),
  };
}
