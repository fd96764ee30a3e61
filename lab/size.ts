// How large the repository is: files, lines by part, how small files are.
//
//   npx tsx lab/size.ts [REF...]     a column for each commit; without one, HEAD
//
// Source is what somebody wrote and maintains: no tests, no records, no copies that are generated.
import { execFileSync } from 'node:child_process';

interface Entry {
  path: string;
  bytes: number;
  lines: number;
  /** Those of a page; 0 for other files. */
  words: number;
}

const git = (...args: string[]) =>
  execFileSync('git', args, { maxBuffer: 2 ** 30, encoding: 'buffer' });

const CODE =
  /\.(ts|tsx|mjs|cjs|js|sh|tpl|css|html)$|^charts\/.*\/templates\/.*\.(yaml|txt)$|\/values\.yaml$/;
const RECORDS = /^studies\/.*(\/results\/|results\.jsonl\.gz$)|^docs\/records(\/|\.)/;
const TESTS = /^test\/|^charts\/.*\/(tests|ci)\/|\.bench\.\w+$/;
const GENERATED =
  /^charts\/[^/]+\/files\/(loadtests|workflows|load-target|monitoring|\w[\w-]*\.cjs$)|^package-lock\.json$/;
const OF_STUDIES = /^docs\/results\/|^studies\//;
const COMMAND = /^(cli|capacity)\/src\/.*\.ts$/;

/** Every file of a commit with its lines; binary files have none. */
function entriesOf(ref: string): Entry[] {
  const listed = git('ls-tree', '-r', '-z', '--long', ref)
    .toString('utf8')
    .split('\0')
    .filter(Boolean);
  const blobs = listed.flatMap((line) => {
    const [, type, object, bytes, path] = /^\d+ (\w+) (\w+) +(\d+|-)\t(.*)$/s.exec(line) ?? [];
    return type === 'blob' && object !== undefined && path !== undefined
      ? [{ object, path, bytes: Number(bytes) }]
      : [];
  });
  const input = blobs.map(({ object }) => `${object}\n`).join('');
  const out = execFileSync('git', ['cat-file', '--batch'], { input, maxBuffer: 2 ** 30 });
  let at = 0;
  return blobs.map(({ path, bytes }) => {
    const start = out.indexOf('\n', at) + 1;
    const content = out.subarray(start, start + bytes);
    at = start + bytes + 1;
    const text = content.includes(0) ? '' : content.toString('utf8');
    return {
      ...{ path, bytes },
      lines: Math.max(0, text.split('\n').length - 1),
      words: path.endsWith('.md') ? text.split(/\s+/).filter(Boolean).length : 0,
    };
  });
}

const sum = (entries: readonly Entry[]) => entries.reduce((total, { lines }) => total + lines, 0);
const number = new Intl.NumberFormat('en');

function median(values: number[]) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Each figure of a commit by its name, in the order in which they are shown. */
function figuresOf(ref: string): Map<string, string> {
  const all = entriesOf(ref);
  const records = all.filter(({ path }) => RECORDS.test(path));
  const code = all.filter(
    ({ path }) => CODE.test(path) && !RECORDS.test(path) && !GENERATED.test(path),
  );
  const tests = code.filter(({ path }) => TESTS.test(path));
  const source = code.filter(({ path }) => !TESTS.test(path));
  const command = source.filter(({ path }) => COMMAND.test(path));
  const pages = all.filter(({ path }) => path.endsWith('.md') && !RECORDS.test(path));
  const untyped = source.filter(({ path }) => /\.(mjs|cjs|js)$/.test(path));
  const partOf = ({ path }: Entry) => path.replace(/^capacity\//, 'cli/').split('/')[0] ?? '';
  const parts = [
    ...new Set(source.filter(({ path }) => path.includes('/')).map(partOf)),
  ].toSorted();
  const small = command.filter(({ lines }) => lines <= 50).length;
  return new Map([
    ['files', number.format(all.length)],
    ['files that are records', number.format(records.length)],
    [
      'records, KiB',
      number.format(Math.round(records.reduce((total, { bytes }) => total + bytes, 0) / 1024)),
    ],
    ['lines of source', number.format(sum(source))],
    ...parts.map((part): [string, string] => [
      `  in ${part}/`,
      number.format(sum(source.filter((one) => partOf(one) === part))),
    ]),
    ['  without types (.mjs, .cjs, .js)', number.format(sum(untyped))],
    ['lines of tests', number.format(sum(tests))],
    ['lines of pages', number.format(sum(pages))],
    [
      'lines of the generators of pages',
      number.format(sum(source.filter(({ path }) => path.startsWith('lab/generate/')))),
    ],
    [
      'words of the pages of studies',
      number.format(
        pages
          .filter(({ path }) => OF_STUDIES.test(path))
          .reduce((total, { words }) => total + words, 0),
      ),
    ],
    ['files of the command', number.format(command.length)],
    ['  median of their lines', number.format(median(command.map(({ lines }) => lines)))],
    ['  50 lines or fewer', `${Math.round((100 * small) / command.length)}%`],
  ]);
}

const refs = process.argv.slice(2);
const columns = (refs.length === 0 ? ['HEAD'] : refs).map((ref) => ({
  ref,
  figures: figuresOf(ref),
}));
const names = [...new Set(columns.flatMap(({ figures }) => [...figures.keys()]))];
console.log(`${''.padEnd(36)}${columns.map(({ ref }) => ref.padStart(12)).join('')}`);
for (const name of names) {
  console.log(
    `${name.padEnd(36)}${columns.map(({ figures }) => (figures.get(name) ?? '-').padStart(12)).join('')}`,
  );
}
