// What one reads, what one looks up, and what one opens when an alert fires: pages and words of the documentation.
//
//   npx tsx lab/pages.ts [REF...]           a column for each commit; without one, HEAD
//   npx tsx lab/pages.ts --draw SEED REF    60 sentences of its pages at random, for an editor to judge
import { execFileSync } from 'node:child_process';
import { seededRandom } from '../cli/src/analysis/statistics/random';
import { isPage } from '../site/pages.ts';
import { sentencesOf } from '../test/lab/prose';

export type PageKind = 'manual' | 'reference' | 'runbooks' | 'project' | 'results';

/** The first that fits. */
const KINDS: readonly [PageKind, RegExp][] = [
  ['results', /^docs\/results/],
  ['runbooks', /^docs\/runbooks\//],
  // Lists in which one looks something up, generated for the most part, and what lies beside a package.
  [
    'reference',
    /^docs\/(reference(\/|\.md)|(workloads|glossary|compatibility)\.md)|^(charts|cli|capacity)\/.*README\.md$/,
  ],
  ['reference', /^(nodes|loadtests)\/.*README\.md$/],
  ['manual', /^(docs\/|README\.md)/],
];

export const kindOf = (page: string): PageKind =>
  KINDS.find(([, pattern]) => pattern.test(page))?.[0] ?? 'project';

/** What a reader meets outside blocks of code; code within a sentence is one word. */
const proseOf = (markdown: string): string =>
  markdown
    .replace(/^```[^]*?^```/gm, '')
    .replace(/<!--[^]*?-->/g, '')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/`[^`\n]*`/g, 'CODE')
    .replace(/<[^>\n]+>/g, '');

export function countOf(markdown: string): { words: number; numbersPer100Words: number } {
  const prose = proseOf(markdown);
  const words = prose.match(/[\p{L}\p{N}][^\s|]*/gu)?.length ?? 0;
  const numbers = prose.match(/(?<![\p{L}\w.])\d[\d,.]*/gu)?.length ?? 0;
  return { words, numbersPer100Words: words === 0 ? 0 : (100 * numbers) / words };
}

const git = (...args: string[]): string =>
  execFileSync('git', args, { maxBuffer: 2 ** 28, encoding: 'utf8' });

/** Records and what contributors read included. */
const isInDocs = (file: string): boolean => /^docs\/.*\.md$/.test(file);

function figuresOf(ref: string): Map<string, string> {
  const files = git('ls-tree', '-r', '--name-only', ref).split('\n');
  const isRead = (file: string): boolean => isPage(file) || isInDocs(file);
  const every = files.filter(isRead).map((page) => {
    const text = git('show', `${ref}:${page}`);
    return { page, kind: kindOf(page), all: text.split(/\s+/).length - 1, ...countOf(text) };
  });
  const pages = every.filter(({ page }) => isPage(page) || /^docs\/results/.test(page));
  const number = new Intl.NumberFormat('en');
  const sumOf = (some: typeof every, value: (page: (typeof every)[number]) => number): number =>
    some.reduce((sum, page) => sum + value(page), 0);
  const together = (title: string, some: typeof every): [string, string][] => {
    const numbers = sumOf(some, ({ words, numbersPer100Words }) => words * numbersPer100Words);
    const share =
      numbers /
      Math.max(
        1,
        sumOf(some, ({ words }) => words),
      );
    return [
      [`${title}: pages`, number.format(some.length)],
      [`${title}: words`, number.format(sumOf(some, ({ all }) => all))],
      [`${title}: numbers per 100 words`, share.toFixed(1)],
    ];
  };
  const kinds = ['manual', 'reference', 'runbooks', 'results', 'project'] as const;
  const rows = [
    ...together(
      'docs/**/*.md',
      every.filter(({ page }) => isInDocs(page)),
    ),
    ...kinds.flatMap((kind) =>
      together(
        kind,
        pages.filter((one) => one.kind === kind),
      ),
    ),
  ];
  const densest = pages.toSorted((a, b) => b.numbersPer100Words - a.numbersPer100Words).slice(0, 3);
  return new Map([
    ...rows,
    ...densest.map(({ page, numbersPer100Words }): [string, string] => [
      `numbers per 100 words: ${page}`,
      numbersPer100Words.toFixed(1),
    ]),
  ]);
}

function main(refs: readonly string[]): void {
  const columns = refs.map((ref) => ({ ref, figures: figuresOf(ref) }));
  const names = [...new Set(columns.flatMap(({ figures }) => [...figures.keys()]))];
  const line = (name: string, cells: readonly string[]): string =>
    `${name.padEnd(56)}${cells.map((cell) => cell.padStart(12)).join('')}`;
  console.log(line('', refs));
  for (const name of names) {
    console.log(
      line(
        name,
        columns.map(({ figures }) => figures.get(name) ?? '-'),
      ),
    );
  }
}

const DRAWN = 60;

/** Each sentence of the pages has the same chance; those of less than four words are labels. */
function draw(seed: number, ref: string): string[] {
  const random = seededRandom(seed);
  const files = git('ls-tree', '-r', '--name-only', ref).split('\n');
  const rest = files.filter(isPage).flatMap((page) =>
    sentencesOf(git('show', `${ref}:${page}`))
      .filter((sentence) => sentence.split(' ').length > 3)
      .map((sentence) => `${page} | ${sentence}`),
  );
  return Array.from({ length: DRAWN }, () => rest.splice(Math.floor(random() * rest.length), 1))
    .flat()
    .toSorted();
}

if (process.argv[1]?.endsWith('pages.ts') === true) {
  const args = process.argv.slice(2);
  const [option, seed, ref = 'HEAD'] = args;
  if (option === '--draw') draw(Number(seed), ref).forEach((line) => console.log(line));
  else main(args.length === 0 ? ['HEAD'] : args);
}
