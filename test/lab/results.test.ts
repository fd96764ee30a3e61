// What was measured: an index and a page per question, every figure of them from a record. `lab/generate/all.mjs --check`
// (suite `generated`) makes the pages again from the records; here it is shown that nothing else gets into them.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { textsOf } from './texts';

const root = join(__dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const index = read('docs/results.md');
const pages = readdirSync(join(root, 'docs/results')).filter((name) => name.endsWith('.md'));
const generators = readdirSync(join(root, 'lab/generate/results')).map(
  (name) => `lab/generate/results/${name}`,
);

/** Of an experiment, not of what came out: how it was made, or what is proved elsewhere. */
const CONDITIONS = [
  '2 000 000 requests with the service time that',
  'one in ten is 80 ms farther away',
  'off by 0.1 % at the most',
  '95 % interval',
];
const FIGURE = /\d+(\.\d+)? ?(x|%|\/s|ms|MiB|GiB|requests|times|cores)(?!\w)/;

/** The texts of a source in which a figure is written by hand. */
const figuresByHand = (file: string, source: string): string[] =>
  textsOf(file, source)
    .map(({ text }) => CONDITIONS.reduce((left, condition) => left.replace(condition, ''), text))
    .filter((text) => FIGURE.test(text));

test('a figure in the text of a generator is found, one that is computed is not', () => {
  const found = (source: string): string[] => figuresByHand('a.mjs', source);
  expect(found('const a = `it was ${x} % or 12 % less`;')).toEqual([' % or 12 % less']);
  expect(found("table(['2.5x as much', 'p95', '100 clients']);")).toEqual(['2.5x as much']);
  expect(found('const a = `${x}x, ${y} ms, n8n 2.41.1`; // 12 %')).toEqual([]);
});

test.each(generators)('%s writes no figure by hand', (file) => {
  expect(figuresByHand(file, read(file))).toEqual([]);
});

test('the index leads to every page, and every page back', () => {
  const linked = [...index.matchAll(/\]\(results\/([\w-]+\.md)\)/g)].map(([, name]) => name);
  expect(linked.toSorted()).toEqual(pages.toSorted());
  for (const page of pages) expect(read(`docs/results/${page}`)).toContain('](../results.md)');
});

test.each(pages)('%s: every part with a table leads to a record that is there', (page) => {
  const parts = read(`docs/results/${page}`)
    .split(/^## /m)
    .filter((part) => /^\|/m.test(part));
  expect(parts.length).toBeGreaterThan(0);
  for (const part of parts) {
    const links = [...part.matchAll(/\]\(([^)#]+)\)/g)].map(([, link]) =>
      relative(root, join(root, 'docs/results', link ?? '')),
    );
    const records = links.filter((link) =>
      /^(studies\/[\w-]+\/results|docs\/records)\//.test(link),
    );
    expect(records).not.toEqual([]);
    expect(records.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  }
});

test('a page that was changed by hand is reported', () => {
  const tracked = execFileSync('git', ['ls-files', 'docs/results'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const file of ['docs/results.md', ...tracked.trim().split('\n')]) {
    if (file.endsWith('.md'))
      expect(read(file)).toContain('<!-- Written by lab/generate/results.mjs');
    else expect(file).toMatch(/\.svg$/);
  }
});
