// Each file of tests belongs to one suite, and runs once: beside others, or alone where a neighbour would disturb it.
import { execFileSync } from 'node:child_process';
import { join, relative } from 'node:path';
import { passesOf, suiteOf, suites } from '../suites';

const root = join(__dirname, '../..');
const tracked = execFileSync('git', ['ls-files', 'test'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => join(root, file));
const ofJest = suites.filter(({ checks }) => !checks);

/** The files that Jest runs in a call with these options: it looks at each path from the root of the disk and of the project. */
const chosenBy = ([flag, pattern = '']: string[], files: string[]): string[] =>
  flag === '--testPathPatterns'
    ? files.filter((file) =>
        [relative(root, file), file].some((path) => new RegExp(pattern).test(path)),
      )
    : files;

test('every file of tests belongs to a suite, and every suite has one', () => {
  const names = new Set(tracked.map(suiteOf));
  expect([...names].sort()).toEqual(ofJest.map(({ name }) => name).sort());
});

test.each(ofJest)('$name runs each of its files once', (suite) => {
  const own = tracked.filter((file) => suiteOf(file) === suite.name);
  const passes = passesOf([suite], 3).map((args) => chosenBy(args, own));
  expect(passes.flat().sort()).toEqual(own.sort());
});

test('every pattern of a file that runs alone or after others names a file, and so many run at a time', () => {
  for (const { name, alone = [], light = [] } of ofJest) {
    for (const file of [...alone, ...light]) {
      const pattern = new RegExp(`/test/${name}/${file}\\.test\\.ts$`);
      expect(tracked.filter((path) => pattern.test(path))).not.toEqual([]);
    }
  }
  expect(passesOf(ofJest, 4).map((args) => args.at(-1))).toEqual([
    ...['--maxWorkers=4', '--maxWorkers=3', '--runInBand'],
  ]);
});
