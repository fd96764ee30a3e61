// A plan that is measured part by part, each kept as soon as it is there: what such plans do around their parts.
//   --list           what there is, what has a record, and how long it takes
//   (nothing)        the next part without a record
//   --within 9m      one after the other, as long as the next one still fits
//   NAME...          these parts, also where they have a record
// With SHORT=1 a part is tried: its record is printed, not kept.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..');
const command = join(root, 'capacity/dist/cli.js');
const isShort = process.env.SHORT === '1';

/** Nothing is kept of the part; its message says why. */
export class NotMeasured extends Error {}

function fails(sentence) {
  console.error(sentence);
  process.exit(2);
}

const minutes = (seconds) => `${(seconds / 60).toFixed(1)} min`;

let interrupted = false;
let running = null;

/** Its own group: an interruption reaches it from here, once. It takes down what it made before it ends. */
function call(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [command, ...args], {
      ...{ cwd: root, detached: true },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running = child;
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (more) => (text += more));
    child.once('error', reject);
    child.once('close', (code) => {
      running = null;
      if (interrupted) reject(new NotMeasured('it was interrupted'));
      else if (text === '') reject(new NotMeasured(`n8n-tuned ${args[0]} ended with ${code}`));
      else resolve({ code, record: JSON.parse(text) });
    });
  });
}

function list({ parts, isDone, notes }) {
  for (const part of parts)
    console.log(`${isDone(part) ? 'done   ' : 'missing'} ${part.name}, ${minutes(part.seconds)}`);
  const left = parts.filter((part) => !isDone(part));
  const seconds = left.reduce((sum, part) => sum + part.seconds, 0);
  console.log(`${left.length} of ${parts.length} have no record: ${minutes(seconds)}`);
  notes.forEach((note) => console.log(note));
}

function asked(words, parts) {
  const at = words.indexOf('--within');
  const [, number, unit] = /^(\d+)([sm])$/.exec(words[at + 1] ?? '') ?? [];
  if (at !== -1 && number === undefined) fails('--within takes a time like 9m or 500s');
  const names = at === -1 ? words : words.toSpliced(at, 2);
  const unknown = names.find((name) => !parts.some((part) => part.name === name));
  if (unknown !== undefined) fails(`there is no part '${unknown}': --list names them`);
  return {
    named: names.map((name) => parts.find((part) => part.name === name)),
    withinSeconds: at === -1 ? null : Number(number) * (unit === 'm' ? 60 : 1),
  };
}

/** Measures one part and keeps its record. */
async function keep(part, { about, fileOf, shownOut, measured }) {
  const out = mkdtempSync(join(tmpdir(), 'part-'));
  const loadAverageAtStart = loadavg()[0];
  try {
    const { record, sentence } = await measured(part, { call, out, isShort });
    const whole = { about: `Written by ${about}`, ...part, loadAverageAtStart, ...record };
    // Where this machine keeps things says nothing to another one.
    const text = `${JSON.stringify(whole, null, 2)}\n`
      .replaceAll(out, shownOut)
      .replaceAll(root, '.');
    if (isShort) console.log(text);
    else writeFileSync(fileOf(part), text);
    console.log(sentence);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/**
 * `kept`: folder of the records. `whyNot` says why a part cannot be measured here and now, null where it can. `measured`
 * gives what is kept of a part and a sentence, or throws NotMeasured. `shownOut`: in records, in place of the folder of results.
 */
export async function measureParts({ parts, kept, about, shownOut, whyNot, measured, notes = [] }) {
  const fileOf = ({ name }) => join(kept, `${name}.json`);
  const isDone = (part) => existsSync(fileOf(part));
  const words = process.argv.slice(2);
  if (words.includes('--list')) {
    list({ parts, isDone, notes });
    return;
  }
  const { named, withinSeconds } = asked(words, parts);
  const isNamed = named.length > 0;
  const candidates = isNamed ? named : parts.filter((part) => !isDone(part));
  if (!existsSync(command)) fails('the command is not built: make build');
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      interrupted = true;
      running?.kill(signal);
    });
  }
  mkdirSync(kept, { recursive: true });
  const beganMs = Date.now();
  let tried = 0;
  for (const part of candidates) {
    const why = whyNot(part);
    if (why !== null && isNamed) fails(`${part.name} cannot be measured: ${why}`);
    const passed = (Date.now() - beganMs) / 1000;
    const isTooLong = withinSeconds !== null && part.seconds > withinSeconds - passed;
    if (why !== null || isTooLong) continue;
    console.log(`== ${part.name}${isShort ? ', shortened' : ''}, about ${minutes(part.seconds)}`);
    tried += 1;
    try {
      await keep(part, { about, fileOf, shownOut, measured });
    } catch (error) {
      if (!(error instanceof NotMeasured)) throw error;
      console.error(`nothing is kept of ${part.name}: ${error.message}`);
      process.exitCode = 3;
    }
    if (interrupted || (!isNamed && withinSeconds === null)) break;
  }
  if (tried === 0) console.log('no part without a record can be measured here and now');
}
