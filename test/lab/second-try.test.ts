// What becomes of a test of real programs that failed, and was run again.
import fc from 'fast-check';
import {
  afterSecondTry,
  countTests,
  filesToRunAgain,
  leftFolders,
  lineOf,
  runsIn,
  sumOfTries,
  type FileReport,
} from '../second-try';

interface Outcome {
  again: string[];
  counts: { passed: number; failed: number; skipped: number };
  secondTries: string[];
}

const file = (name: string, ...tests: string[]): FileReport => ({
  name: `/root/${name}`,
  status: tests.includes('failed') || tests.length === 0 ? 'failed' : 'passed',
  assertionResults: tests.map((status, i) => ({ status, fullName: `test ${String(i)}` })),
});

/** Each pair is a first run and what its files would do in a second one. */
const outcomes = (pairs: ReadonlyArray<[first: FileReport[], second: FileReport[]]>): Outcome[] =>
  pairs.map(([first, second]) => {
    const again = filesToRunAgain(first);
    const ran = second.filter(({ name }) => again.includes(name));
    const { files, secondTries } = afterSecondTry(first, ran, '/root');
    return { again, counts: countTests(files), secondTries };
  });

test('a file that failed runs again, and what passes then counts and is named', () => {
  const good = file('good', 'passed');
  const [outcome] = outcomes([
    [
      [file('a', 'passed', 'failed'), good],
      [file('a', 'passed', 'passed'), good],
    ],
  ]);
  expect(outcome).toEqual({
    again: ['/root/a'],
    counts: { passed: 3, failed: 0, skipped: 0 },
    secondTries: ['a: test 1'],
  });
});

test('a file that could not be loaded has failed, and is named where it passes later', () => {
  const [broken, loaded] = outcomes([
    [[file('a')], [file('a')]],
    [[file('a')], [file('a', 'passed')]],
  ]);
  expect(broken?.counts).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(loaded?.secondTries).toEqual(['a: (the file itself)']);
});

test('more than eight failed files are no accident: none runs again', () => {
  const files = (count: number, outcome: string) =>
    Array.from({ length: count }, (_, i) => file(`f${i}`, outcome));
  const [eight, nine] = outcomes([
    [files(8, 'failed'), files(8, 'passed')],
    [files(9, 'failed'), files(9, 'passed')],
  ]);
  expect(eight?.counts.failed).toBe(0);
  expect(nine).toMatchObject({ again: [], counts: { failed: 9 }, secondTries: [] });
});

test('what fails twice has failed', () => {
  const tests = fc.array(fc.constantFrom('passed', 'failed', 'pending'), { maxLength: 4 });
  const run = (files: string[][]) => files.map((of, i) => file(`f${i}`, ...of));
  const pairs = fc
    .sample(fc.array(fc.tuple(tests, tests), { maxLength: 4 }), 300)
    .map((files): [FileReport[], FileReport[]] => [
      run(files.map(([first]) => first)),
      run(files.map(([, second]) => second)),
    ]);
  for (const [i, { again, counts, secondTries }] of outcomes(pairs).entries()) {
    const [first, second] = pairs[i] ?? [[], []];
    const failedFirst = first.filter(({ status }) => status === 'failed');
    const failedInTheEnd = failedFirst.filter(
      ({ name }) =>
        !again.includes(name) || second.some((f) => f.name === name && f.status === 'failed'),
    );
    expect(counts.failed > 0).toBe(failedInTheEnd.length > 0);
    expect(secondTries.length > 0).toBe(failedInTheEnd.length < failedFirst.length);
  }
});

test('the list of runs says of the last ten how many tests needed a second try, and in which files', () => {
  const runs = Array.from({ length: 12 }, (_, i) => ({
    ...{ date: '2026-01-02', tests: 9000 + i },
    secondTries: i === 0 || i > 9 ? ['a.test.ts: a b: c', 'b.test.ts: d'].slice(0, i - 9) : [],
  }));
  const list = runs.map(lineOf).join('');
  expect(runsIn(list)).toEqual(runs);
  expect(sumOfTries(runsIn(list))).toBe(
    'second tries in the last 10 runs: 3 in 2 of them: a.test.ts 2, b.test.ts 1',
  );
  expect(sumOfTries(runs.slice(1, 3))).toBe('second tries in the last 2 runs: 0 in 0 of them');
});

test('new temporary folders that nobody removed are counted by how their names begin', () => {
  const before = ['own-14QbRM', 'tsx-0'];
  expect(leftFolders(before, before)).toBe('');
  expect(leftFolders(before, ['tsx-0', 'jest_0', 'node-compile-cache', 'mine'])).toBe('');
  const after = [...before, 'own-3YlsPT', 'proof-18IokW', 'proof-3WbBnW', 'x.9UxUwz'];
  expect(leftFolders(before, after)).toBe('2 proof-*, 1 own-*, 1 x.*');
});
