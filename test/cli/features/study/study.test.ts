/** Studies: what one may say, in which order its parts are measured, and what is kept of them. */
import { execFileSync } from 'node:child_process';
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
import { join } from 'node:path';
import { once } from 'node:events';
import fc from 'fast-check';
import { runProgram, type ProgramCall } from '../../../../cli/src/features/study/call';
import { commandParts } from '../../../../cli/src/features/study/command-parts';
import { archivedRecords, recordsInFolder } from '../../../../cli/src/features/study/kept';
import {
  entriesOf,
  measureParts,
  stateOf,
  type StudyOrder,
} from '../../../../cli/src/features/study/measure-parts';
import { parseStudy, wordsOf } from '../../../../cli/src/features/study/plan';
import { studyRecordSchema, type PartResult } from '../../../../cli/src/features/study/record';
import { renderParts, renderStudies } from '../../../../cli/src/features/study/report/terminal';
import { findStudy, readStudies } from '../../../../cli/src/features/study/studies';
import { NotMeasured, type Part, type Study } from '../../../../cli/src/features/study/study';
import { processName } from '../../../../cli/src/linux/proc';
import { pause, until } from '../../../support/wait';

const STUDIES = join(__dirname, '../../../../studies');
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'study-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const never = new AbortController().signal;

/** What happens to parts of a minute each: all are measured, unless `more` says otherwise. */
interface Made {
  steps: string[];
  study: Study;
}

function made(more: Partial<Study> = {}, names = ['a', 'b', 'c', 'd']): Made {
  const steps: string[] = [];
  const study: Study = {
    parts: names.map((name) => ({ name, seconds: 60 })),
    async measured({ name }, { isShort }) {
      steps.push(`begin ${name}`);
      await pause(10, 'a part takes a while');
      steps.push(`end ${name}`);
      return { record: { of: name, isShort }, sentence: 'measured' };
    },
    ...more,
  };
  return { steps, study };
}

const orderOf = (study: Study, more: Partial<StudyOrder> = {}): StudyOrder => ({
  ...{ name: 'made-up', isQuick: false, named: [], withinSeconds: null, atOnce: 1 },
  ...{ folder, root: '/root', shows: 2, tell: () => undefined },
  sections: [{ study, records: recordsInFolder(folder) }],
  run: () => Promise.resolve({ code: 0, printed: '{}', lastLine: '' }),
  ...more,
});
const measure = (
  study: Study,
  more: Partial<StudyOrder> = {},
  signal = never,
): Promise<PartResult[]> => measureParts(orderOf(study, more), signal);
const states = (study: Study): string[] => entriesOf(orderOf(study)).map((entry) => stateOf(entry));
const record = (name: string): unknown => recordsInFolder(folder).read(name);
const bothOf = (...names: string[]): string[] =>
  names.flatMap((name) => [`begin ${name}`, `end ${name}`]);
/** One reports that nothing came of it; one waits for the record of a. */
const WITHOUT_B: Partial<Study> = {
  measured: ({ name }) =>
    name === 'b'
      ? Promise.reject(new NotMeasured('the machine was busy'))
      : Promise.resolve({ record: { of: name }, sentence: 'measured' }),
};

describe('the parts of a study', () => {
  test('are measured one after the other, and each is kept with its conditions', async () => {
    const { study, steps } = made();
    expect((await measure(study)).map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd']);
    expect(steps).toEqual(bothOf('a', 'b', 'c', 'd'));
    expect(record('a')).toMatchObject({ name: 'a', of: 'a', isShort: false });
    expect(record('a')).toMatchObject({ command: 'n8n-tuned study made-up --part a' });
    expect(record('a')).not.toHaveProperty('atOnce');
  });

  test('that have a record are left out, unless they are named, whatever was done before', async () => {
    const all = ['a', 'b', 'c', 'd'];
    await fc.assert(
      fc.asyncProperty(fc.subarray(all), fc.subarray(all), async (done, named) => {
        rmSync(folder, { recursive: true, force: true });
        for (const name of done) recordsInFolder(folder).write(name, {});
        const { study, steps } = made();
        await measure(study, { named });
        const expected = named.length > 0 ? named : all.filter((name) => !done.includes(name));
        expect(steps).toEqual(bothOf(...expected));
        for (const name of [...done, ...expected]) expect(record(name)).toBeDefined();
      }),
      { numRuns: 20 },
    );
  });

  test('are measured as far as they have no record where what their names begin with is named', async () => {
    const { study, steps } = made({}, ['one-a', 'one-b', 'other-a', 'one']);
    recordsInFolder(folder).write('one-a', {});
    await measure(study, { named: ['other'] });
    expect(steps).toEqual(bothOf('other-a'));
    await measure(study, { named: ['other'] });
    expect(steps).toEqual(bothOf('other-a'));
    // A name of its own is that part.
    await measure(study, { named: ['one'] });
    expect(steps).toEqual(bothOf('other-a', 'one'));
  });

  test('may leave several records, each with the conditions', async () => {
    const records = new Map([
      ['sides/b', { of: 'b' }],
      ['sides/c', { of: 'c' }],
    ]);
    const { study } = made({ measured: () => Promise.resolve({ records, sentence: '' }) }, ['a']);
    await measure(study);
    for (const side of ['b', 'c']) {
      const kept = { name: 'a', of: side, command: 'n8n-tuned study made-up --part a' };
      expect(record(`sides/${side}`)).toMatchObject(kept);
    }
  });

  test('that are not needed are left out, unless they are named', async () => {
    const { study, steps } = made({ isNeeded: ({ name }) => !'ac'.includes(name) });
    expect(states(study)).toEqual(['not needed', 'missing', 'not needed', 'missing']);
    await measure(study);
    expect(steps).toEqual(bothOf('b', 'd'));
    await measure(study, { named: ['c'] });
    expect(steps).toEqual(bothOf('b', 'd', 'c'));
  });

  test('begin only where they would end within the time', async () => {
    const { study, steps } = made({ parts: [30, 90, 20].map((seconds) => partOf(seconds)) });
    await measure(study, { withinSeconds: 60 });
    expect(steps).toEqual(bothOf('30', '20'));
    expect(states(study)).toEqual(['done', 'missing', 'done']);
  });

  test('of which nothing came leave no record, and the others are measured', async () => {
    const { study } = made(WITHOUT_B);
    const results = await measure(study);
    expect(results.map(({ isMeasured }) => isMeasured)).toEqual([true, false, true, true]);
    expect(results[1]?.sentence).toBe('b was not saved: the machine was busy');
    expect(states(study)).toEqual(['done', 'missing', 'done', 'done']);
  });

  test('that rest on another one are measured after it', async () => {
    const whyNot: Study['whyNot'] = ({ name }, records) =>
      name === 'd' && records.read('a') === undefined ? 'it rests on a' : null;
    await expect(measure(made({ whyNot }).study, { named: ['d'] })).rejects.toThrow(
      'd cannot be measured: it rests on a',
    );
    const { study, steps } = made({ whyNot });
    await measure(study);
    expect(steps).toEqual(bothOf('a', 'b', 'c', 'd'));
  });

  test.each<[string, Partial<Study>, string[]]>([
    ['as many as fit', {}, ['ab', 'cd']],
    ['none with one that is alone', { isAlone: ({ name }) => name === 'a' }, ['a', 'bc', 'd']],
    ['later ones of the round too', { isAlone: ({ name }) => name === 'b' }, ['ac', 'b', 'd']],
    [
      'those of a kind',
      { kindOf: ({ name }) => ('bd'.includes(name) ? 'one' : 'other') },
      ['ac', 'bd'],
    ],
  ])('that are measured together: %s', async (_, more, rounds) => {
    const { study, steps } = made({ maxAtOnce: 2, ...more });
    await measure(study, { atOnce: 2 });
    const begun = steps.map((step) => step.replace(/^begin /, '')).join(' ');
    expect(begun.replaceAll(/(?: end [a-d])+ ?/g, ',')).toBe(
      `${rounds.map((names) => [...names].join(' ')).join(',')},`,
    );
    const [together = ''] = rounds.filter((names) => names.length > 1);
    expect(record(together[0] ?? '')).toMatchObject({ atOnce: 2 });
    // One round had ended when the next one began.
    expect(record('c')).not.toHaveProperty('beside');
  });

  test('that Ctrl-C stops leave no record, no folder and no further part', async () => {
    const abort = new AbortController();
    let scratch = '';
    const { study } = made({
      async measured({ name }, measuring) {
        if (name === 'a') return { record: {}, sentence: 'measured' };
        scratch = measuring.scratch;
        abort.abort();
        measuring.signal.throwIfAborted();
        await once(measuring.signal, 'abort');
        return { record: {}, sentence: 'never' };
      },
    });
    const results = await measure(study, {}, abort.signal);
    expect(results.map(({ sentence }) => sentence)).toEqual([
      'measured',
      'b was not saved: it was interrupted',
    ]);
    expect(states(study)).toEqual(['done', 'missing', 'missing', 'missing']);
    expect(existsSync(scratch)).toBe(false);
  });

  test('have no place of a machine in what is kept', async () => {
    const { study } = made({
      measured: (_part, { scratch }) =>
        Promise.resolve({ record: { command: [`${scratch}/x`, '/root/y'] }, sentence: '' }),
    });
    await measure(study, { named: ['a'] });
    expect(record('a')).toMatchObject({ command: ['results/a/x', './y'] });
  });

  test.each<[Partial<StudyOrder>, string]>([
    [
      { named: ['e'] },
      "study made-up has no part 'e': n8n-tuned study made-up --list shows all parts.",
    ],
    [{ atOnce: 2 }, '--at-once does not work with study made-up'],
  ])('that cannot be measured are refused: %j', async (more, says) => {
    await expect(measure(made().study, more)).rejects.toThrow(says);
  });

  const partOf = (seconds: number): Part => ({ name: String(seconds), seconds });
});

describe('a call of the command', () => {
  const callOf = (ended: { code: number; printed: string; lastLine: string }): Promise<unknown> =>
    measure(
      made({
        measured: async (_part, { call }) => ({ record: await call(['run']), sentence: '' }),
      }).study,
      { named: ['a'], run: () => Promise.resolve(ended) },
    );

  test('gives its exit code and what it printed', async () => {
    await callOf({ code: 1, printed: '{"a":1}', lastLine: '' });
    expect(record('a')).toMatchObject({ code: 1, record: { a: 1 } });
  });

  test('that prints nothing is told by its end', async () => {
    const said = { code: 3, printed: '', lastLine: 'no disk' };
    expect(await callOf(said)).toMatchObject([
      { sentence: 'a was not saved: n8n-tuned run ended with exit code 3: no disk' },
    ]);
  });

  test('gets one SIGINT, may end in order, and its exit code is known', async () => {
    const [script, ready] = [join(folder, 'step.cjs'), join(folder, 'ready')];
    writeFileSync(
      script,
      `let count = 0;
       process.on('SIGINT', () => { count += 1; setTimeout(() => process.exit(40 + count), 200); });
       require('node:fs').writeFileSync(process.argv[2], '');
       setInterval(() => {}, 1000);`,
    );
    const abort = new AbortController();
    const call: ProgramCall = { cwd: folder, prints: 2 };
    const ended = runProgram([process.execPath, script, ready], call, abort.signal);
    await until('the command', () => existsSync(ready));
    abort.abort();
    expect((await ended).code).toBe(41);
  });
});

describe('a part that is a list of commands', () => {
  const plan = parseStudy(
    'question: Is it?\nparts:\n  a: { minutes: 1, commands: ["n8n-tuned 1 {out}/a", "n8n-tuned 3 {out}/a"] }\n  b: { minutes: 2, commands: [n8n-tuned 2 x] }\n',
    'study.yaml',
  );
  const commands = (isKept = false): Study =>
    commandParts({ name: 'made-up', plan, length: 'full', isKept });
  /** Commands whose exit code is their first word. */
  const run: StudyOrder['run'] = ([code = '']) =>
    Promise.resolve({ code: Number(code), printed: '', lastLine: '' });

  test('runs all of them, whatever the one before measured, and study.json says which', async () => {
    const [result] = await measure(commands(), { named: ['a'], run });
    expect(result).toMatchObject({ isMeasured: true, sentence: 'measured, exit code 3' });
    const kept = studyRecordSchema.parse(record('study'));
    expect(kept.steps.map(({ part, exitCode }) => [part, exitCode])).toEqual([
      ['a', 1],
      ['a', 3],
    ]);
    expect(kept.isWhole).toBe(false);
    expect(states(commands())).toEqual(['done', 'missing']);
  });

  test("leaves a file of the user's in the folder as it is, beside records and beneath a part", async () => {
    const files = ['notes.txt', 'a/notes.txt', 'a/notes.json'].map((name) => join(folder, name));
    mkdirSync(join(folder, 'a'));
    for (const file of files) writeFileSync(file, 'mine');
    await measure(commands(), { named: ['a'], run });
    const withFiles = made({
      measured: () =>
        Promise.resolve({ files: new Map([['compare.json', '{}']]), sentence: 'measured' }),
    });
    await measure(withFiles.study, { named: ['a'] });
    await measure(withFiles.study, { named: ['a'] });
    expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(files.map(() => 'mine'));
    expect(record('a/compare')).toEqual({});
  });

  test.each([
    [
      '{"kind":"something else"}',
      'study.json in the folder of study made-up was not written by this study',
    ],
    ['mine', 'study.json is not the record of a study: move it, or choose another --out.'],
  ])('refuses a study.json that says %s, and leaves it', async (text, says) => {
    const file = join(folder, 'study.json');
    writeFileSync(file, text);
    await expect(measure(commands(), { named: ['a'], run })).rejects.toThrow(says);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test('ends the study where a command was asked wrongly', async () => {
    await expect(measure(commands(), { run })).rejects.toThrow('ended with exit code 2.');
    expect(states(commands())).toEqual(['done', 'missing']);
  });

  test('is kept in the archive without its raw samples, and stands beside other parts there', async () => {
    const file = join(folder, 'results.jsonl.gz');
    const records = archivedRecords(file, '/root');
    records.write('b/run', { is: 'kept' });
    const files = recordsInFolder(folder);
    files.write('a/cell', { from: '/root/studies' });
    files.write('a/x/other', {});
    const sections = [{ study: commands(true), records }];
    await measure(commands(true), { named: ['a'], run, sections });
    expect(records.read('a/cell')).toEqual({ from: 'studies' });
    expect(records.read('a/x/other')).toBeUndefined();
    expect(records.read('b/run')).toEqual({ is: 'kept' });
    expect(records.read('study')).toMatchObject({ name: 'made-up', length: 'full' });
  });
});

test('what another part of the study keeps in the archive meanwhile is not lost', () => {
  const file = join(folder, 'results.jsonl.gz');
  const theirs = join(folder, 'theirs.gz');
  archivedRecords(theirs, '/root').write('b/run', { is: 'theirs' });
  // A process that has the archive, and writes it half a second later.
  const script = `( sleep 0.5; mv '${theirs}' '${file}' ) >/dev/null 2>&1 & echo $!`;
  const pid = Number(execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }));
  writeFileSync(`${file}.claim-0`, JSON.stringify(processName(pid)));
  const records = archivedRecords(file, '/root');
  records.write('a/run', { is: 'ours' });
  expect(records.read('a/run')).toEqual({ is: 'ours' });
  expect(records.read('b/run')).toEqual({ is: 'theirs' });
  expect(readdirSync(folder)).toEqual(['results.jsonl.gz']);
});

describe('the words of a command', () => {
  test('quotes join words, and the folder stands wherever it is named', () => {
    expect(wordsOf("n8n-tuned run --request 'POST /a b' --out={out}/x", '/o')).toEqual([
      ...['n8n-tuned', 'run', '--request', 'POST /a b', '--out=/o/x'],
    ]);
  });

  test('words that were quoted come out as they were', () => {
    const word = fc.string({ minLength: 1 }).filter((text) => !/['{]/.test(text));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (words) => {
        expect(wordsOf(words.map((one) => `'${one}'`).join(' '), 'out')).toEqual(words);
      }),
    );
  });
});

describe('what a study may say', () => {
  const good =
    'question: Is it?\nparts: { a: { minutes: 1, commands: [n8n-tuned sweep -f a.yaml --out x] } }\n';
  const wrong = (text: string): (() => unknown) => {
    return () => parseStudy(text, 'studies/a/study.yaml');
  };

  test('nothing published and no quick form is enough', () => {
    expect(parseStudy(good, 'a')).toMatchObject({ published: [], needs: [] });
  });

  test.each([
    ['parts: {}', 'question'],
    [good.replace('n8n-tuned', 'bash'), 'expected a command such as n8n-tuned sweep'],
    [good.replace('-f a.yaml', '-f $A'), 'no shell interprets them'],
    [`${good}speed: 1\n`, "'speed' is not known in a study: expected one of question, published"],
    [good.replace('minutes: 1', 'minutes: 0'), 'expected more than 0'],
  ])('%s', (text, said) => {
    expect(wrong(text)).toThrow(said);
  });
});

describe('the list', () => {
  const studies = readStudies(STUDIES);

  test('has the question, what was published, what is measured and the time of each', () => {
    const row = {
      ...{ name: 'made-up', question: 'Is it?', needs: ['k6'], hasQuick: false },
      ...{ parts: 5, measured: 2, seconds: 300 },
      published: [{ id: 'a', what: 'a over b', value: 1.8, unit: 'x' }],
    };
    const text = renderStudies([row], { width: 100, colour: false }).join('\n');
    expect(text).toContain('a over b: 1.8x');
    expect(text).toContain('2 of 5 parts');
    expect(text).toContain('about 5 min; no --quick');
    expect(text).toContain('k6');
  });

  test('has each part of a study, and how long what is missing takes', () => {
    const rows = [
      { name: 'a', seconds: 60, state: 'done' as const },
      { name: 'b', seconds: 120, state: 'missing' as const },
    ];
    expect(renderParts(rows).at(-1)).toBe('missing records: 1 of 2 parts, about 2 min to measure');
  });

  test('a study that is not there is refused with those that are', () => {
    expect(studies.length).toBeGreaterThan(4);
    expect(() => findStudy(STUDIES, 'nothing')).toThrow(
      `choose one of ${studies.map(({ name }) => name).join(', ')}.`,
    );
  });

  test.each(studies.filter(({ code }) => code !== null))(
    'study $name has parts with names of their own, and is short where it says so',
    async ({ code, plan }) => {
      const { default: study } = (await import(code ?? '')) as { default: Study };
      const names = [...Object.keys(plan.parts), ...study.parts.map(({ name }) => name)];
      expect(new Set(names).size).toBe(names.length);
      for (const { seconds } of study.parts) expect(seconds).toBeGreaterThan(0);
      const quick = study.quickParts ?? [];
      expect(quick.reduce((sum, { seconds }) => sum + seconds, 0)).toBeLessThan(180);
    },
  );
});
