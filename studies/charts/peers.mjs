// This chart, the official one and the community chart on one cluster, by `n8n-tuned compare`: every contender against
// the official chart as it comes, all up at the same time and measured in turns, each pod with 1 CPU and 1 GiB.
//
//   make build cluster-up && studies/charts/peers.sh
//   lab/cluster/cluster exec node studies/charts/peers.mjs --list      what there is, and what has a record
//   lab/cluster/cluster exec node studies/charts/peers.mjs             the next sitting with a comparison that has none
//   lab/cluster/cluster exec node studies/charts/peers.mjs items-queue
//
// A sitting takes about twelve minutes and wants the machine for itself; those that are asked most come first. With SHORT=1 one
// is tried: a few seconds of load, and its records are printed, not kept.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandOf, figuresOf, pairsOf, PARTS, SITTINGS } from './parts.mjs';
import { writeSameEnvironment } from './same-environment.mjs';
import { recordsOf } from '../archive.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const root = path('../..');
const records = recordsOf('charts', 'peers/');
/** Fewer tell nothing about how much the next one would differ. */
const MIN_PAIRS = 2;
/** Done; the answer may be that nothing is known, where a difference is within the noise. */
const ENDINGS = [0, 3];
const isShort = process.env.SHORT === '1';

function fails(sentence) {
  console.error(sentence);
  process.exit(2);
}

const [asked] = process.argv.slice(2);
const isDone = (part) => records.read(part.name) !== null;
const partsOf = (sitting) => PARTS.filter((part) => part.sitting === sitting.name);
if (asked === '--list') {
  for (const sitting of SITTINGS) {
    const missing = partsOf(sitting).filter((part) => !isDone(part));
    const state = missing.length === 0 ? 'done   ' : 'missing';
    const of = missing.map(({ contender }) => contender).join(', ');
    console.log(`${state} ${sitting.name}${missing.length === 0 ? '' : `: ${of}`}`);
  }
  process.exit(0);
}
const sitting =
  asked === undefined
    ? SITTINGS.find((one) => !partsOf(one).every(isDone))
    : SITTINGS.find(({ name }) => name === asked);
if (sitting === undefined) {
  if (asked !== undefined) fails(`there is no sitting '${asked}': --list names them`);
  console.log('every comparison has a record');
  process.exit(0);
}
if (!existsSync(path('peers/official')) || !existsSync(path('peers/community'))) {
  fails('the other charts are not here: run studies/charts/peers.sh');
}

/**
 * Its own group: an interruption reaches it from here, once. It takes down what it made before it ends, and what it has
 * measured by then is not kept.
 */
function compareCommand(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['cli/dist/cli.js', ...args], {
      ...{ cwd: root, detached: true },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let isInterrupted = false;
    for (const signal of ['SIGINT', 'SIGTERM']) {
      process.on(signal, () => {
        isInterrupted = true;
        child.kill(signal);
      });
    }
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (more) => (text += more));
    child.once('error', reject);
    child.once('close', (code) => {
      if (isInterrupted) reject(new Error(`interrupted: nothing is kept of ${sitting.name}`));
      else if (ENDINGS.includes(code) && text !== '') resolve(JSON.parse(text));
      else
        reject(
          new Error(`n8n-tuned compare ended with ${code}: nothing is kept of ${sitting.name}`),
        );
    });
  });
}

/** With what was deployed, and the figures of each run that counts; without where it lay on this machine. */
function sideOf(folder, { runs, values, ...side }) {
  const records = runs.flatMap((run, i) =>
    run === '' || values[i] === null
      ? [null]
      : [JSON.parse(readFileSync(join(folder, run, 'run.json'), 'utf8'))],
  );
  const { deployed } = records.find((record) => record !== null)?.target ?? {};
  return {
    ...{ ...side, values },
    chart: deployed?.chart ?? null,
    deployedValues: deployed?.values ?? null,
    manifestHash: deployed?.manifestHash ?? null,
    runs: records.map((record) => (record === null ? null : figuresOf(record))),
  };
}

const scratch = mkdtempSync(join(tmpdir(), `${sitting.name}-`));
const startedAt = new Date().toISOString();
const loadAverageAtStart = loadavg()[0];

/** Keeps the comparison with one contender; null: it is kept, otherwise why it is not. */
function keep(part, { folder, a, b, command, ...comparison }) {
  if (pairsOf({ a, b }) < MIN_PAIRS) {
    const why = comparison.doubts.join(' ') || 'the time was over before';
    return `${part.name} is not kept, as too few runs of it are valid: ${why}`;
  }
  const record = {
    about: 'Written by studies/charts/peers.mjs',
    ...{ part: part.name, sitting: sitting.name, mode: part.mode, contender: part.contender },
    ...{ startedAt, loadAverageAtStart },
    command: command.map((word) => word.replace(scratch, 'results/charts')),
    ...{ comparison, a: sideOf(folder, a), b: sideOf(folder, b) },
  };
  if (isShort) console.log(JSON.stringify(record, null, 2));
  else records.write(part.name, record);
  console.log(comparison.sentence);
  return null;
}

console.log(`== ${sitting.name}${isShort ? ', shortened' : ''}`);
try {
  writeSameEnvironment();
  const compared = await compareCommand(commandOf(sitting, { out: scratch, isShort }));
  // In the order in which the sides were given.
  const refusals = partsOf(sitting).map((part, index) => keep(part, compared[index]));
  const refused = refusals.filter((why) => why !== null);
  if (refused.length > 0) throw new Error(refused.join('\n'));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
