// How the files of a suite are dealt out to calls of Jest: each runs once, and what must run alone does.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { passesOf, suites } from '../suites.mjs';

const root = join(__dirname, '../..');

interface Suite {
  name: string;
  only?: string;
  alone?: string[];
  jest?: boolean;
  filesAtOnce?: number;
}

const ofJest = (suites as Suite[]).filter(({ jest }) => jest);

const tracked = execFileSync('git', ['ls-files', 'test'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => join(root, file));

/** As Jest reads them. */
const chosenBy = (args: string[], files: string[]): string[] => {
  const [flag, pattern] = args;
  return flag === '--testPathPatterns'
    ? files.filter((file) => new RegExp(pattern ?? '', 'i').test(file))
    : files;
};

test.each(ofJest.filter(({ alone }) => alone !== undefined))(
  '$name runs each of its files once, some of them alone',
  (suite) => {
    const { name, only = '', alone: named = [] } = suite;
    const passes = passesOf(suite as Required<Suite>);
    const own = tracked.filter(
      (file) => file.startsWith(join(root, 'test', name, '/')) && new RegExp(only).test(file),
    );
    const [beside = [], alone = []] = passes.map((args) => chosenBy(args, own));
    expect([...beside, ...alone].sort()).toEqual(own.sort());
    expect(beside).not.toEqual([]);
    expect(alone).toHaveLength(named.length);
    expect(passes[1]).toContain('--runInBand');
  },
);
