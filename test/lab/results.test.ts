// What was measured: a page per study, every figure of it from a record. `lab/generate/all.ts --check` (suite `generated`)
// makes the pages again from the records; here it is shown that nothing else gets into them.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SHOWN, STUDIES } from '../../lab/generate/studies';
import { pathOfPage } from '../../lab/generate/study-page';
import { sentencesOf } from './prose';
import { textsOf } from './texts';
import * as generator from '../../lab/generate/conditions';

const root = join(__dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const pages = STUDIES.map(pathOfPage);
const generators = [
  'lab/generate/measured.ts',
  ...readdirSync(join(root, 'lab/generate/studies')).map((name) => `lab/generate/studies/${name}`),
];

/** Texts of an experiment, not of what came out: how it was made, or what is proved elsewhere. */
const CONDITIONS = [
  '2,000,000 requests with the service time that',
  'one in ten is 80 ms farther away',
  'off by 0.1% at the most',
  '95% interval',
  '95% confidence',
];
const FIGURE = /\d+(\.\d+)? ?(x|%|\/s|ms|MiB|GiB|requests|times|cores)(?!\w)/;

/** The texts of a source in which a figure is written by hand. */
const figuresByHand = (file: string, source: string): string[] =>
  textsOf(file, source)
    .map(({ text }) => CONDITIONS.reduce((left, condition) => left.replace(condition, ''), text))
    .filter((text) => FIGURE.test(text));

test('a figure in the text of a generator is found, one that is computed is not', () => {
  const found = (source: string): string[] => figuresByHand('a.mjs', source);
  expect(found('const a = `it was ${x}% or 12% less`;')).toEqual(['% or 12% less']);
  expect(found("table(['2.5x as much', 'p95', '100 clients']);")).toEqual(['2.5x as much']);
  expect(found('const a = `${x}x, ${y} ms, n8n 2.41.1`; // 12%')).toEqual([]);
});

test.each(generators)('%s writes no figure by hand', (file) => {
  expect(figuresByHand(file, read(file))).toEqual([]);
});

test.each(pages)('%s: every part with a table leads to a record', (page) => {
  const parts = read(page)
    .split(/^## /m)
    .filter((part) => /^\|/m.test(part));
  expect(parts.length).toBeGreaterThan(0);
  // That the record of each link is there, links.test.ts shows.
  for (const part of parts)
    expect(part).toMatch(/\]\([^)]*results\.jsonl\.gz#[^)]+\)|docs\/records/);
});

/** The columns of all tables of a text, each with its head first. */
function columnsIn(text: string): string[][] {
  const columns: string[][] = [];
  let open: string[][] = [];
  for (const line of text.split('\n')) {
    if (!line.startsWith('|')) open = [];
    else {
      const cells = line.split('|').map((cell) => cell.trim());
      if (open.length === 0) columns.push(...(open = cells.map(() => [])));
      cells.forEach((cell, at) => open[at]?.push(cell));
    }
  }
  return columns;
}

const ratesIn = (text: string): string[] =>
  columnsIn(text)
    // A rate that was asked for says nothing of how fast n8n was.
    .filter(([head = '']) => !head.startsWith('rate'))
    .flatMap((column) => column.filter((cell) => /^\**[\d.,]+\/s/.test(cell)));

test('the rates of a table are found, except those that were asked for', () => {
  const table = '| rate | responses |\n| --- | --- |\n| 5/s | **4.9/s**, 2x |\n';
  expect(ratesIn(`${table}\ntext of 7/s\n\n| best |\n| - |\n| 1,000/s |`)).toEqual([
    '**4.9/s**, 2x',
    '1,000/s',
  ]);
});

test.each(pages)('%s: every part with measured rates has the CPU that a request took', (page) => {
  const silent = read(page)
    .split(/^## /m)
    .filter((part) => ratesIn(part).length > 0)
    .filter((part) => !/\bCPU( of \w+( \w+)?)? per request\b|\bms of CPU\b/.test(part))
    .map((part) => part.split('\n')[0]);
  expect(silent).toEqual([]);
});

test('every study with records has a page, and no page or plot is written by hand', () => {
  const tracked = execFileSync('git', ['ls-files', 'studies'], { cwd: root, encoding: 'utf8' });
  const owned = tracked.split('\n').filter((file) => /^studies\/[^/]+\/README\.md$/.test(file));
  expect(owned.toSorted()).toEqual(pages.toSorted());
  for (const page of pages) expect(read(page)).toContain('<!-- Written by lab/generate/all.ts');
});

test('studies/README.md says for every study what shows its result, and that page names the study', () => {
  const tracked = execFileSync('git', ['ls-files', 'studies/*/*'], { cwd: root, encoding: 'utf8' });
  const folders = new Set(tracked.split('\n').flatMap((file) => file.split('/')[1] ?? []));
  const listed = [
    ...read('studies/README.md').matchAll(/^\| \[?`([\w-]+)`\S* +\| +(\S.*?) +\|$/gm),
  ];
  const rows = new Map(listed.map(([, study, shown]) => [study ?? '', shown ?? '']));
  for (const study of folders) expect([...rows.keys()]).toContain(study);
  for (const study of Object.keys(SHOWN)) {
    const [, page] = /\]\((\S+\.md)\)/.exec(rows.get(study) ?? '') ?? [];
    if (page === undefined) continue;
    expect(read(join('studies', page))).toMatch(new RegExp(`\\b${study}\\b`));
  }
});

test('docs/measured.md gives twelve answers of two or three sentences, each with its evidence', () => {
  const [, ...answers] = read('docs/measured.md').split(/^## /m);
  expect(answers).toHaveLength(12);
  for (const answer of answers) {
    const [, text = '', evidence] = /\n\n(.*) \(\[study\](.*)\)\n/.exec(answer) ?? [];
    expect([2, 3]).toContain(sentencesOf(text).length);
    expect(evidence).toMatch(/\[records?\]/);
  }
});

/** How the result of a measurement looks; a setting, a limit and a condition look otherwise. */
const RESULT =
  /\b\d+(\.\d+)?x\b|\b\d+(\.\d+)? times (as (much|many|fast)|more|less|faster|slower)|\b\d+ of \d+ (requests|statements|executions|callers)\b|\bms of CPU\b|% of a core\b/;
/** Examples of what a command prints, not of what was measured. */
const EXAMPLES = ['The answer is BETTER ("better by 2.8x (2.6 to 3.0)")'];
const GENERATED = /<!-- ([\w-]+): generated by [^]*?<!-- end of \1 -->/g;

const resultsIn = (page: string): string[] =>
  page
    .replace(GENERATED, '')
    .split('\n')
    .filter((line) => !EXAMPLES.some((example) => line.includes(example)) && RESULT.test(line));

test('a result in a page is found, one in a generated part or in an example is not', () => {
  expect(resultsIn('It is 2.7x as fast.\nIt takes 3 ms of CPU.\nA limit of 512 MiB.')).toHaveLength(
    2,
  );
  expect(resultsIn('<!-- a: generated by b -->\n1.5x\n<!-- end of a -->')).toEqual([]);
  expect(resultsIn(`${EXAMPLES.join('')}, or`)).toEqual([]);
});

const byHand = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((file) => !/^(studies|test)\//.test(file) && !read(file).includes('<!-- Written by '));

test('pages are written by hand', () => {
  expect(byHand).toEqual(expect.arrayContaining(['README.md', 'docs/get-started.md']));
});
test.each(byHand)('%s quotes no result that no record is behind', (file) => {
  expect(resultsIn(read(file))).toEqual([]);
});

// Under what the figures of a page were measured, from the records that it links to.
const conditionsIn = (...records: object[]): string => generator.conditionsIn(records);
const conditionsOf = (...paths: string[]): string =>
  generator.conditionsOf(paths.map((path) => `[record](${path})`).join(' '));

const machine = { cpu: 'Intel(R) Xeon(R) Processor', cores: 2, memoryMiB: 24106 };
const run = (profile: object): object => ({
  ...{ startedAt: '2026-11-24T10:00:00.000Z', machine, versions: { n8n: '2.41.1' }, profile },
});
const open = { name: 'load', loop: 'open', ratePerSecond: 10 };

test.each<[string, object[], string]>([
  ['an open loop', [run({ ...open, arrivals: 'even' })], 'even arrivals; '],
  ['a search', [{ ...run(open), arrivals: 'random' }], 'random arrivals; '],
  [
    'both',
    [run({ ...open, arrivals: 'random' }), { arrivals: 'even' }],
    'even and random arrivals; ',
  ],
  ['parts of a record', [{ ...run(open), search: { arrivals: 'random' } }], 'random arrivals; '],
  ['a closed loop', [run({ name: 'closed', loop: 'closed', clients: 8 })], ''],
  ['an open loop that does not say it', [run(open)], ''],
  ['what has the name and is something else', [{ ...run(open), arrivals: [1, 2] }], ''],
])('the conditions say the arrivals of %s', (_, records, said) => {
  expect(conditionsIn(run({}), ...records)).toBe(
    `2 cores (Intel Xeon); n8n 2.41.1; ${said}2026-11-24`,
  );
});

test('the conditions say the arrivals of records that are kept', () => {
  expect(conditionsOf('studies/arrivals/results.jsonl.gz#record')).toContain(
    'even and random arrivals',
  );
  expect(conditionsOf('studies/closed-loop/results.jsonl.gz#queue/run')).not.toContain('arrivals');
  expect(conditionsOf('studies/kubernetes/results.jsonl.gz#parts/find-queue-process')).toContain(
    'random arrivals',
  );
});
