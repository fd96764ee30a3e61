// This chart, the official one and the community chart on one cluster, by `n8n-tuned compare`: every contender against
// the official chart as it comes, both up at the same time and measured in turns, each pod with 1 CPU and 1 GiB.
//
//   make build cluster-up && studies/charts/peers.sh
//   lab/cluster/cluster exec node studies/charts/peers.mjs --list      what there is, and what has a record
//   lab/cluster/cluster exec node studies/charts/peers.mjs             the next part without one
//   lab/cluster/cluster exec node studies/charts/peers.mjs items-queue-tuned
//
// A part takes up to nine minutes and wants the machine for itself; those that are asked most come first. With SHORT=1 a
// part is tried: a few seconds of load, and its record is printed, not kept.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandOf, figuresOf, pairsOf, PARTS } from './parts.mjs';
import { writeSameEnvironment } from './same-environment.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const root = path('../..');
const fileOf = ({ name }) => path(`results/peers/${name}.json`);
/** Fewer tell nothing about how much the next one would differ. */
const LEAST_PAIRS = 2;
/** Done; the answer may be that nothing is known, where a difference is within the noise. */
const ENDINGS = [0, 3];
const isShort = process.env.SHORT === '1';

function fails(sentence) {
  console.error(sentence);
  process.exit(2);
}

const [asked] = process.argv.slice(2);
const isDone = (part) => existsSync(fileOf(part));
if (asked === '--list') {
  for (const part of PARTS) console.log(`${isDone(part) ? 'done   ' : 'missing'} ${part.name}`);
  process.exit(0);
}
const part =
  asked === undefined
    ? PARTS.find((one) => !isDone(one))
    : PARTS.find(({ name }) => name === asked);
if (part === undefined) {
  if (asked !== undefined) fails(`there is no part '${asked}': --list names them`);
  console.log('every part has a record');
  process.exit(0);
}
if (!existsSync(path('peers/official')) || !existsSync(path('peers/community'))) {
  fails('the other charts are not here: run studies/charts/peers.sh');
}

/**
 * Its own group: an interruption reaches it from here, once. It takes down what it made before it ends, and what it has
 * measured by then is no part.
 */
function compareCommand(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['capacity/dist/cli.js', ...args], {
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
      if (isInterrupted) reject(new Error(`interrupted: nothing is kept of ${part.name}`));
      else if (ENDINGS.includes(code) && text !== '') resolve(JSON.parse(text));
      else
        reject(new Error(`n8n-tuned compare ended with ${code}: nothing is kept of ${part.name}`));
    });
  });
}

/** With what was deployed, and the figures of each run that counts; without where it lay on this machine. */
function sideOf(folder, { runs, values, ...side }) {
  const records = runs.flatMap((run, i) =>
    run === '' || values[i] === null
      ? [null]
      : [
          JSON.parse(
            readFileSync(join(folder, 'runs', run.replace(/^.*\//, ''), 'run.json'), 'utf8'),
          ),
        ],
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

const scratch = mkdtempSync(join(tmpdir(), `${part.name}-`));
const startedAt = new Date().toISOString();
const loadAverageAtStart = loadavg()[0];
console.log(`== ${part.name}${isShort ? ', shortened' : ''}`);
try {
  writeSameEnvironment();
  const compared = await compareCommand(commandOf(part, { out: scratch, isShort }));
  const { folder, a, b, command, ...comparison } = compared;
  if (pairsOf(compared) < LEAST_PAIRS) {
    const why = comparison.doubts.join(' ') || 'the time was over before';
    throw new Error(`${part.name} is not kept, as too few runs of it are valid: ${why}`);
  }
  const record = {
    about: 'Written by studies/charts/peers.mjs',
    ...{ part: part.name, mode: part.mode, contender: part.contender },
    ...{ startedAt, loadAverageAtStart },
    command: command.map((word) => word.replace(scratch, 'results/charts')),
    ...{ comparison, a: sideOf(folder, a), b: sideOf(folder, b) },
  };
  const text = `${JSON.stringify(record, null, 2)}\n`;
  if (isShort) console.log(text);
  else {
    mkdirSync(path('results/peers'), { recursive: true });
    writeFileSync(fileOf(part), text);
  }
  console.log(comparison.sentence);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
