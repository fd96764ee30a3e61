// Which figures of the pages are in no page of another commit, whatever their form: 1 176 is 1,176, and 5.3 % is 5.3%.
//
//   npx tsx lab/figures.ts REF [REF]     from the first to the second; without one, to HEAD
//
// A figure has three digits or more, or a decimal point. Versions, dates, hashes, links and code are none.
import { execFileSync } from 'node:child_process';

const git = (...args: string[]): string =>
  execFileSync('git', args, { maxBuffer: 2 ** 30, encoding: 'utf8' });

const PAGES = /^(docs|studies)\/.*\.md$|^README\.md$/;

/** The figures of a page, in one form. */
function figuresIn(text: string): Set<string> {
  const prose = text
    .replaceAll(/^```[^]*?^```$/gm, ' ')
    .replaceAll(/`[^`]*`|\]\([^)]*\)|https?:\S+|<[^>]*>/g, ' ')
    .replaceAll(/\d{4}-\d\d-\d\d(T[\d:.]+Z)?|\bv?\d+\.\d+\.\d+\S*/g, ' ')
    .replaceAll(/(?<=\d)[ \u00a0\u2009\u202f,](?=\d{3}(?!\d))/g, '');
  const numbers = prose.match(/(?<![\w.-])\d+(\.\d+)?(?![\w-]*[\w-]\d|\w*\.\d)/g) ?? [];
  return new Set(numbers.filter((one) => one.includes('.') || one.length > 2));
}

function pagesOf(ref: string): Map<string, Set<string>> {
  const paths = git('ls-tree', '-r', '--name-only', ref)
    .split('\n')
    .filter((path) => PAGES.test(path));
  return new Map(paths.map((path) => [path, figuresIn(git('show', `${ref}:${path}`))]));
}

const [from = 'HEAD', to = 'HEAD'] = process.argv.slice(2);
const before = new Set([...pagesOf(from).values()].flatMap((figures) => [...figures]));
let all = 0;
let others = 0;
for (const [path, figures] of pagesOf(to)) {
  const unknown = [...figures].filter((figure) => !before.has(figure));
  all += figures.size;
  others += unknown.length;
  if (unknown.length > 0) console.log(`${path}: ${unknown.join(' ')}`);
}
console.log(`${String(others)} of ${String(all)} figures in ${to} are in no page of ${from}`);
