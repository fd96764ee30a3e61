/** Studies: what one may say, in which order its commands run, and what is recorded of them. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { parseStudy, wordsOf, type NamedStudy } from '../../../../cli/src/features/study/plan';
import type { StudyRecord } from '../../../../cli/src/features/study/record';
import { renderStudies, renderStudy } from '../../../../cli/src/features/study/report/terminal';
import { runStep } from '../../../../cli/src/features/study/run-step';
import { runStudy } from '../../../../cli/src/features/study/run-study';
import { findStudy, readStudies } from '../../../../cli/src/features/study/studies';
import { until } from '../../../support/cli';

const STUDIES = join(__dirname, '../../../../studies');
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'study-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const studyOf = (commands: string[]): NamedStudy => ({
  name: 'made-up',
  question: 'Is it?',
  published: [{ id: 'a', what: 'a over b', value: 1.8, unit: 'x' }],
  needs: [],
  full: { minutes: 5, commands },
  kept: 'none',
});

const never = new AbortController().signal;

interface Started {
  record: Promise<StudyRecord>;
  words: string[][];
}

/** Commands whose exit codes are `codes`, in a folder of the test. */
function started(codes: readonly number[], signal: AbortSignal = never): Started {
  const words: string[][] = [];
  const study = studyOf(codes.map((code) => `node ${String(code)} {out}/a`));
  const record = runStudy(
    {
      ...{ study, length: 'full', out: folder },
      runStep: (all) => {
        words.push([...all]);
        return Promise.resolve(Number(all[1]));
      },
      onStep: () => undefined,
    },
    signal,
  );
  return { record, words };
}

const kept = (): StudyRecord =>
  JSON.parse(readFileSync(join(folder, 'study-made-up/study.json'), 'utf8')) as StudyRecord;

describe('running one', () => {
  test('every command runs in order, whatever the one before measured, and is recorded', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(0, 1, 3), { minLength: 1 }), async (codes) => {
        const { record, words } = started(codes);
        expect((await record).steps.map(({ exitCode }) => exitCode)).toEqual(codes);
        expect(words).toEqual(
          codes.map((code) => ['node', String(code), join(folder, 'study-made-up/a')]),
        );
        expect(kept()).toEqual(await record);
        expect(kept().isWhole).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  test('a mistake in a command ends it', async () => {
    const { record, words } = started([0, 2, 0]);
    await expect(record).rejects.toThrow('node 2 {out}/a ended with exit code 2.');
    expect(words).toHaveLength(2);
  });

  test('Ctrl-C leaves a record of what ran, which says that it is not whole', async () => {
    const { record, words } = started([0, 0], AbortSignal.abort());
    expect((await record).isWhole).toBe(false);
    expect(words).toHaveLength(1);
    expect(renderStudy(kept()).join('\n')).toContain('broken off');
  });
});

test('a command gets one SIGINT, may end in order, and its exit code is known', async () => {
  const [script, ready] = [join(folder, 'step.cjs'), join(folder, 'ready')];
  writeFileSync(
    script,
    `let count = 0;
     process.on('SIGINT', () => { count += 1; setTimeout(() => process.exit(40 + count), 200); });
     require('node:fs').writeFileSync(process.argv[2], '');
     setInterval(() => {}, 1000);`,
  );
  const abort = new AbortController();
  const code = runStep(['node', script, ready], folder, true, abort.signal);
  await until('the command', () => existsSync(ready));
  abort.abort();
  expect(await code).toBe(41);
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
    'question: Is it?\nfull: { minutes: 1, commands: [n8n-tuned sweep -f a.yaml --out x] }\n';
  const wrong = (text: string): (() => unknown) => {
    return () => parseStudy(text, 'studies/a/study.yaml');
  };

  test('nothing published and no quick form is enough', () => {
    expect(parseStudy(good, 'a')).toMatchObject({ published: [], needs: [] });
  });

  test.each([
    ['full: { minutes: 1, commands: [node a] }', 'question'],
    [good.replace('n8n-tuned', 'bash'), 'expected a command of n8n-tuned or node'],
    [good.replace('-f a.yaml', '-f $A'), 'no shell reads them'],
    [`${good}speed: 1\n`, "'speed' is not known in a study, expected one of question, published"],
    [good.replace('minutes: 1', 'minutes: 0'), 'expected more than 0'],
  ])('%s', (text, said) => {
    expect(wrong(text)).toThrow(said);
  });
});

describe('the list', () => {
  const studies = readStudies(STUDIES);

  test('has the question, what was published, the record and the time of each', () => {
    const text = renderStudies([studyOf(['node a'])], { width: 100, colour: false }).join('\n');
    expect(text).toContain('a over b: 1.8x');
    expect(text).toContain('none yet');
    expect(text).toContain('about 5 min; no --quick');
  });

  test('a study that is not there is refused with those that are', () => {
    expect(studies.length).toBeGreaterThan(4);
    expect(() => findStudy(STUDIES, 'nothing')).toThrow(
      `choose one of ${studies.map(({ name }) => name).join(', ')}.`,
    );
  });
});
