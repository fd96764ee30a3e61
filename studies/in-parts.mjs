// A plan that is measured part by part, each kept as soon as it is there: what such plans do around their parts.
//   --list           what there is, what has a record, and how long it takes
//   (nothing)        the next part without a record
//   --within 9m      one after the other, as long as the next one still fits
//   NAME...          these parts, also where they have a record
//   --at-once 3      so many parts at a time, where a plan allows it. What they load is started first, and their loads
//                    begin together: the start of one does not disturb the load of another. Those of the next round are
//                    started when these loads are over. Records say how many parts their round had (atOnce), and how many
//                    of other rounds were under way beside them at the most (beside)
//   --out FOLDER     as `n8n-tuned study` calls it: records go to FOLDER/parts, not to those of the repository
//   --quick          the parts of the plan's quick form, shortened, one after the other; with --out
// With SHORT=1 a part is tried: its record is printed, not kept.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { recordsIn } from './archive.mjs';
import { Beside } from './beside.mjs';
import { inRounds } from './rounds.mjs';
import { Together } from './together.mjs';

export const root = join(import.meta.dirname, '..');
const command = join(root, 'cli/dist/cli.js');
const isTried = process.env.SHORT === '1';

/** Nothing is kept of the part; its message says why. */
export class NotMeasured extends Error {}

function fails(sentence) {
  console.error(sentence);
  process.exit(2);
}

const minutes = (seconds) => `${(seconds / 60).toFixed(1)} min`;

const interruption = new AbortController();
const running = new Set();

/** Characters: of what a command says, the end tells why it fails. */
const MAX_WORDS = 2000;

/**
 * Its own group: an interruption reaches it from here, once. It takes down what it made before it ends. `told` is called
 * with what it says of its progress; without it that is shown. `ending`: its exit code and its last line.
 */
function call(args, told) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [command, ...args], {
      ...{ cwd: root, detached: true },
      stdio: ['ignore', 'pipe', told === undefined ? 'inherit' : 'pipe'],
    });
    running.add(child);
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (more) => (text += more));
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (more) => {
      said = `${said}${more}`.slice(-MAX_WORDS);
      told(more);
    });
    child.once('error', reject);
    child.once('close', (code) => {
      running.delete(child);
      const lastLine = said.trim().split('\n').at(-1);
      const ending = `n8n-tuned ${args[0]} ended with ${code}${lastLine === '' ? '' : `: ${lastLine}`}`;
      if (interruption.signal.aborted) reject(new NotMeasured('it was interrupted'));
      else if (text === '') reject(new NotMeasured(ending));
      else resolve({ code, record: JSON.parse(text), ending });
    });
  });
}

function list({ parts, isDone, isNeeded, notes }) {
  const stateOf = (part) =>
    isDone(part) ? 'done      ' : isNeeded(part) ? 'missing   ' : 'not needed';
  for (const part of parts) console.log(`${stateOf(part)} ${part.name}, ${minutes(part.seconds)}`);
  const left = parts.filter((part) => !isDone(part) && isNeeded(part));
  const seconds = left.reduce((sum, part) => sum + part.seconds, 0);
  console.log(`${left.length} of ${parts.length} have no record: ${minutes(seconds)}`);
  notes.forEach((note) => console.log(note));
}

function argumentsGiven() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        list: { type: 'boolean', default: false },
        within: { type: 'string' },
        'at-once': { type: 'string', default: '1' },
        out: { type: 'string' },
        quick: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    return fails(`${error.message} The head of studies/in-parts.mjs says what there is.`);
  }
}

/** Of what was given: which form of the plan, and where its records go. */
function formOf({ quick, out }, { parts, quickParts, kept }) {
  if (quick && quickParts === undefined)
    fails('--quick is not for this plan: it has no quick form');
  if (quick && out === undefined) {
    fails('--quick needs --out, since a quick record is none of those that the pages quote');
  }
  return {
    parts: quick ? quickParts : parts,
    kept: out === undefined ? kept : recordsIn(join(out, 'parts')),
    isShort: quick || isTried,
  };
}

function asked({ values, positionals }, { parts, maxAtOnce }) {
  const { within, 'at-once': together } = values;
  const [, number, unit] = /^(\d+)([sm])$/.exec(within ?? '') ?? [];
  if (within !== undefined && number === undefined) {
    fails('--within takes a time like 9m or 500s');
  }
  const atOnce = Number(together);
  if (!(Number.isInteger(atOnce) && atOnce >= 1 && atOnce <= maxAtOnce)) {
    fails(
      maxAtOnce === 1
        ? '--at-once is not for this plan: each of its parts wants the machine for itself'
        : `--at-once takes a number from 1 to ${maxAtOnce}`,
    );
  }
  const unknown = positionals.find((name) => !parts.some((part) => part.name === name));
  if (unknown !== undefined) fails(`there is no part '${unknown}': --list names them`);
  return {
    named: positionals.map((name) => parts.find((part) => part.name === name)),
    withinSeconds: within === undefined ? null : Number(number) * (unit === 'm' ? 60 : 1),
    atOnce,
  };
}

/** The lines of several commands would not be told apart: what they say is not shown. */
const callWith = (together, part, args) =>
  call([...args, '--start-file', together.file], (text) => together.hears(part, text));

const besides = new Beside();

/** What comes of it, and how many parts of other rounds were under way beside it at the most. */
async function besideOthers(round, measure) {
  const begun = besides.begins(round);
  let beside = 0;
  let came;
  try {
    came = await measure();
  } finally {
    beside = besides.ends(begun);
  }
  return { ...came, beside };
}

/** Measures one part and keeps its record. `round`: those with which it is measured. `together`: null where it is alone. */
async function keep(part, { about, kept, shownOut, measured, together, round, isShort }) {
  const out = mkdtempSync(join(tmpdir(), 'part-'));
  const loadAverageAtStart = loadavg()[0];
  try {
    const { record, sentence, beside } = await besideOthers(round, () =>
      measured(part, {
        call: (args) => (together === null ? call(args) : callWith(together, part, args)),
        ...{ out, isShort, signal: interruption.signal },
      }),
    );
    const whole = {
      ...{ about: `Written by ${about}`, ...part, loadAverageAtStart },
      ...(round.length > 1 ? { atOnce: round.length } : {}),
      ...(beside > 0 ? { beside } : {}),
      ...record,
    };
    // Where this machine keeps things says nothing to another one.
    const text = JSON.stringify(whole, null, 2).replaceAll(out, shownOut).replaceAll(root, '.');
    if (isTried) console.log(text);
    else kept.write(part.name, JSON.parse(text));
    console.log(together === null ? sentence : `${part.name}: ${sentence}`);
  } finally {
    together?.isReady(part);
    rmSync(out, { recursive: true, force: true });
  }
}

/** Those that are not much longer than the first one, whose loads may begin together. */
const MUCH_LONGER = 1.5;

/**
 * `kept`: reads and writes the records by the names of their parts. `whyNot` says why a part cannot be measured here and now, null where it can. `measured`
 * gives what is kept of a part and a sentence, or throws NotMeasured. `shownOut`: in records, in place of the folder of results.
 * `maxAtOnce`: how many parts may share the machine without another result, those alike in `kindOf` together and those of
 * which `isAlone` is true by themselves. `loadSeconds` of a part: how long its load takes, after which the next round may
 * begin; without it, a round begins when the one before has ended. `isNeeded`: whether a part that is not named has to be measured, asked again
 * before each choice. `isDone`: whether there is a record that still counts; without it, whether there is
 * any. `quickParts`: of the quick form, where there is one.
 */
export async function measureParts(plan) {
  const { whyNot, notes = [], maxAtOnce = 1, isAlone = () => false, kindOf = () => '' } = plan;
  const { isNeeded = () => true } = plan;
  const given = argumentsGiven();
  const { parts, kept, isShort } = formOf(given.values, plan);
  const { isDone = ({ name }) => kept.read(name) !== null } = plan;
  if (given.values.list) {
    list({ parts, isDone, isNeeded, notes });
    return;
  }
  const { named, withinSeconds, atOnce } = asked(given, { parts, maxAtOnce });
  const isNamed = named.length > 0;
  const candidates = isNamed ? named : parts.filter((part) => !isDone(part));
  if (!existsSync(command)) fails('the command is not built: make build');
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      interruption.abort();
      running.forEach((child) => child.kill(signal));
    });
  }
  const beganMs = Date.now();
  const isAll = isNamed || withinSeconds !== null || given.values.quick;
  let tried = 0;

  /** Whether it can be measured now; one that was named and cannot is told. */
  function isPossible(part) {
    const why = whyNot(part);
    if (why !== null && isNamed) {
      console.error(`${part.name} cannot be measured: ${why}`);
      process.exitCode = 2;
    }
    const passed = (Date.now() - beganMs) / 1000;
    return why === null && (withinSeconds === null || part.seconds <= withinSeconds - passed);
  }

  const isWith = (first, part) =>
    !isAlone(first) &&
    !isAlone(part) &&
    kindOf(first) === kindOf(part) &&
    part.seconds <= MUCH_LONGER * first.seconds;

  /** The next ones, taken from the candidates; none when there is nothing left to measure. */
  function next() {
    const parts = [];
    for (const part of [...candidates]) {
      if (parts.length === atOnce) break;
      if (parts.length > 0 && !isWith(parts[0], part)) continue;
      candidates.splice(candidates.indexOf(part), 1);
      if ((isNamed || isNeeded(part)) && isPossible(part)) parts.push(part);
    }
    return parts;
  }

  async function one(part, together, round) {
    console.log(`== ${part.name}${isShort ? ', shortened' : ''}, about ${minutes(part.seconds)}`);
    tried += 1;
    try {
      await keep(part, { ...plan, kept, together, round, isShort });
    } catch (error) {
      const { aborted } = interruption.signal;
      if (!(error instanceof NotMeasured) && !aborted) throw error;
      const why = aborted ? 'it was interrupted' : error.message;
      console.error(`nothing is kept of ${part.name}: ${why}`);
      process.exitCode = 3;
    }
  }

  /** A round of its own has nobody whose load it could disturb: the next one waits for its end. */
  function begin(parts) {
    const together = parts.length > 1 ? new Together(parts) : null;
    const all = Promise.all(parts.map((part) => one(part, together, parts)));
    const ended = all.finally(() => together?.end());
    const loadSeconds = Math.max(...parts.map((part) => part.loadSeconds ?? Infinity));
    const isTold = together !== null && Number.isFinite(loadSeconds);
    return { ended, loaded: isTold ? together.isLoadedFor(loadSeconds) : ended };
  }

  await inRounds({
    next: () => (interruption.signal.aborted || (tried > 0 && !isAll) ? [] : next()),
    begin,
    wantsAll: ([first, ...others]) => others.length === 0 || isAlone(first),
  });
  if (tried === 0) console.log('no part without a record can be measured here and now');
}
