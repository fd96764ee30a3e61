// What is lost when something breaks: every fault in three configurations on both targets, three times.
//
//   make build
//   node studies/drills/measure.mjs --list                      what there is, what has a record, and how long it takes
//   node studies/drills/measure.mjs                             the next part without a record
//   node studies/drills/measure.mjs --within 9m                 one after the other, as long as the next one still fits
//   node studies/drills/measure.mjs kill-worker-process-defaults-1
//   lab/cluster/cluster exec node studies/drills/measure.mjs kill-worker-kubernetes-defaults-1
//
// A part is one drill, and wants the machine for itself. Those of the target kubernetes are left out where no KUBECONFIG
// names a cluster. An invalid drill says nothing and is not kept. With SHORT=1 a part is tried: its record is printed.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandOf, PARTS } from './parts.mjs';

const root = join(import.meta.dirname, '../..');
const kept = join(import.meta.dirname, 'results/parts');
const fileOf = ({ name }) => join(kept, `${name}.json`);
const isDone = (part) => existsSync(fileOf(part));
const isShort = process.env.SHORT === '1';
const isHere = ({ target }) => target === 'process' || (process.env.KUBECONFIG ?? '') !== '';
/** PASS and FAIL; of the others nothing is kept. */
const ENDINGS = [0, 1];

function fails(sentence) {
  console.error(sentence);
  process.exit(2);
}

const minutes = (seconds) => `${(seconds / 60).toFixed(1)} min`;
function list() {
  for (const part of PARTS)
    console.log(`${isDone(part) ? 'done   ' : 'missing'} ${part.name}, ${minutes(part.seconds)}`);
  const left = PARTS.filter((part) => !isDone(part));
  const seconds = left.reduce((sum, part) => sum + part.seconds, 0);
  console.log(`${left.length} of ${PARTS.length} have no record: ${minutes(seconds)}`);
}

function chosen(words) {
  const at = words.indexOf('--within');
  const [, number, unit] = /^(\d+)([sm])$/.exec(words[at + 1] ?? '') ?? [];
  if (at !== -1 && number === undefined) fails('--within takes a time like 9m or 500s');
  const withinSeconds = at === -1 ? null : Number(number) * (unit === 'm' ? 60 : 1);
  const names = at === -1 ? words : words.toSpliced(at, 2);
  const unknown = names.find((name) => !PARTS.some((part) => part.name === name));
  if (unknown !== undefined) fails(`there is no part '${unknown}': --list names them`);
  const named = names.map((name) => PARTS.find((part) => part.name === name));
  const away = named.find((part) => !isHere(part));
  if (away !== undefined) {
    fails(`${away.name} needs a cluster: run it with lab/cluster/cluster exec, or set KUBECONFIG`);
  }
  const parts = named.length > 0 ? named : PARTS.filter((part) => !isDone(part) && isHere(part));
  return {
    parts: names.length === 0 && withinSeconds === null ? parts.slice(0, 1) : parts,
    withinSeconds,
  };
}

let interrupted = false;
let running = null;
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    interrupted = true;
    running?.kill(signal);
  });
}

/** Its own group: an interruption reaches it from here, once. It takes down what it made before it ends. */
function drillCommand(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, 'capacity/dist/cli.js'), ...args], {
      ...{ cwd: root, detached: true },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running = child;
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (more) => (text += more));
    child.once('error', reject);
    child.once('close', (code) => {
      running = null;
      resolve({ code, record: text === '' ? null : JSON.parse(text) });
    });
  });
}

/** Requests whose work was done more than once, of those that were executed more than once. */
function doneTwice(folder) {
  const [head, ...lines] = readFileSync(join(folder, 'ledger.csv'), 'utf8').trim().split('\n');
  const done = head.split(',').indexOf('done');
  return lines.filter((line) => Number(line.split(',').at(done)) > 1).length;
}

/** Why nothing is kept of it; null: it is. */
async function measured(part) {
  const out = mkdtempSync(join(tmpdir(), 'drill-'));
  const loadAverageAtStart = loadavg()[0];
  try {
    const { code, record } = await drillCommand(commandOf(part, { root, out, isShort }));
    if (interrupted) return 'it was interrupted';
    if (record === null) return `n8n-tuned drill ended with ${code}`;
    if (!ENDINGS.includes(code) && !isShort) {
      return record.verdict.invalid.join('; ') || `n8n-tuned drill ended with ${code}`;
    }
    const { folder, ...drill } = record;
    const whole = {
      about: 'Written by studies/drills/measure.mjs',
      ...part,
      ...{ loadAverageAtStart, doneTwice: doneTwice(folder), drill },
    };
    // Where this machine keeps things says nothing to another one.
    const text = `${JSON.stringify(whole, null, 2)}\n`
      .replaceAll(out, 'results/drills')
      .replaceAll(root, '.');
    if (isShort) console.log(text);
    else writeFileSync(fileOf(part), text);
    console.log(record.verdict.sentence);
    return null;
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

const words = process.argv.slice(2);
if (words.includes('--list')) {
  list();
  process.exit(0);
}
const { parts, withinSeconds } = chosen(words);
if (parts.length === 0) console.log('every part that can be measured here has a record');
if (!existsSync(join(root, 'capacity/dist/cli.js'))) fails('the command is not built: make build');
mkdirSync(kept, { recursive: true });
const beganMs = Date.now();
for (const part of parts) {
  const leftSeconds =
    withinSeconds === null ? Infinity : withinSeconds - (Date.now() - beganMs) / 1000;
  if (part.seconds > leftSeconds) continue;
  if (interrupted) break;
  console.log(`== ${part.name}${isShort ? ', shortened' : ''}, about ${minutes(part.seconds)}`);
  const why = await measured(part);
  if (why === null) continue;
  console.error(`nothing is kept of ${part.name}: ${why}`);
  process.exitCode = 3;
}
