// The sentences of documents: none is too long, points at nothing, or lacks its verb.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ts from 'typescript';
import { programOf } from '../../cli/src/program';
import { countOf, kindOf } from '../../lab/pages';
import { isPage } from '../../site/pages.ts';
import { cellsOf, commentsOf, faultOf, sentencesOf } from './prose';

const root = join(__dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/**
 * Not checked here: records and changelogs, which keep the words of their day, and what only contributors read (tests, lab,
 * architecture, releasing). Studies are checked for their sentences, but not for their numbers per 100 words and not as part of
 * the manual: their tables are the evidence.
 */
const NOT_READ_BY_USERS =
  /^(test|lab|\.github|docs\/records)\/|(^|\/)(CHANGELOG|RELEASING|architecture)\.md$/;
const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && !NOT_READ_BY_USERS.test(file));

/** Sentences that may be as they are, by how they begin, with the reason. */
const EXCEPTIONS: Record<string, string> = {};

const faultsIn = (sentences: readonly string[]): string[] =>
  sentences.flatMap((sentence) => {
    const isExcepted = Object.keys(EXCEPTIONS).some((begin) => sentence.startsWith(begin));
    const fault = isExcepted ? null : faultOf(sentence);
    return fault === null ? [] : [`${fault}: ${sentence}`];
  });

test('a sentence that is too long, points at nothing or has no verb is found', () => {
  const words = (count: number): string => `It ${'runs '.repeat(count - 1).trim()}.`;
  expect(faultOf(words(35))).toBeNull();
  expect(faultOf(words(36))).toBe('36 words');
  expect(faultOf('This is bad.')).toBe('a demonstrative without a noun');
  expect(faultOf('That costs a write.')).toBe('a demonstrative without a noun');
  expect(faultOf('This patch is good.')).toBeNull();
  expect(faultOf('These packages are held back.')).toBeNull();
  expect(faultOf('The cheapest full execution of all.')).toBe('no verb');
  expect(faultOf('The limit of a role: a share.')).toBeNull();
});

test('code, tables and headings are no sentences, and an item of a list begins one', () => {
  const text =
    '# A title\n\nOne `a. B` is here. n8n is there.\n\n| a | b |\n\n```\nIt is code.\n```\n\n- Three is [a. b](c.md).\n';
  expect(sentencesOf(text)).toEqual(['One CODE is here.', 'n8n is there.', 'Three is a. b.']);
});

test('of values, the comments are read', () => {
  expect(commentsOf('a: 1\n# -- One is\n# here.\n#\n# Two\nb: 2 # no\n')).toBe(
    'One is\nhere.\n\nTwo',
  );
});

test('of a table, each cell and each item of a list in it is read', () => {
  expect(cellsOf('| a \\| b | `c|d`: One is here. Two<br>three; four |\n')).toEqual([
    'a / b',
    'CODE: One is here.',
    'Two',
    'three',
    'four',
  ]);
});

test.each(documents)('no sentence breaks a rule in %s', (file) => {
  expect(faultsIn(sentencesOf(read(file)))).toEqual([]);
  // A cell is often a label: "Labels of the pods."
  expect(faultsIn(cellsOf(read(file))).filter((fault) => !fault.startsWith('no verb'))).toEqual([]);
});

test('no exception outlives its sentence', () => {
  const all = documents.flatMap((file) => sentencesOf(read(file)));
  for (const begin of Object.keys(EXCEPTIONS)) {
    expect(all.filter((sentence) => sentence.startsWith(begin))).not.toEqual([]);
  }
});

/** The first sentence may be a label, which says what something is: "The host of the database." The others need a verb. */
const faultsAfterLabel = (text: string): string[] => {
  const [first, ...others] = sentencesOf(text);
  const faults = faultsIn(first === undefined ? [] : [first]);
  return [...faults.filter((fault) => !fault.startsWith('no verb')), ...faultsIn(others)];
};

test.each(['n8n-tuned', 'n8n-load'])(
  'no comment breaks a rule in the values of the chart %s',
  (chart) => {
    const values = commentsOf(read(`charts/${chart}/values.yaml`));
    expect(values.split('\n\n').flatMap(faultsAfterLabel)).toEqual([]);
  },
);

test('no help of a command or of its options breaks a rule', () => {
  const texts = programOf().commands.flatMap((command) => [
    command.description(),
    ...command.options.map(({ description }) => description),
  ]);
  expect(texts.length).toBeGreaterThan(300);
  expect(texts.flatMap((text) => faultsAfterLabel(`${text}.`))).toEqual([]);
});

/** Lines of a program or of a table, and what is mostly signs. */
const isCode = (text: string): boolean =>
  text.includes('\n') || (text.match(/[{}$=;|<>\\/]/g) ?? []).length > text.length / 20;

/** The texts of a program: every one of five words and more that is neither code nor a list of words. */
function textsOf(file: string): string[] {
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    const text = ts.isStringLiteralLike(node)
      ? node.text
      : ts.isTemplateExpression(node)
        ? [node.head, ...node.templateSpans.map(({ literal }) => literal)]
            .map((part) => part.text)
            .join('CODE')
        : '';
    const isSplit = ts.isPropertyAccessExpression(node.parent) && node.parent.expression === node;
    const said = text.replace(/`[^`]*`/g, 'CODE').replace(/[^\s(]*[{}$=][^\s),]*/g, 'CODE');
    if (said.split(/\s+/).length >= 5 && !isCode(text) && !isSplit) texts.push(said);
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(source, visit);
  return texts;
}

/** The lines of a template of the chart that NOTES and refusals show, its actions as a word. */
const shownBy = (file: string): string[] =>
  read(file)
    .replace(/\{\{-? ?\/\*[^]*?\*\/ ?-?\}\}/g, '')
    .split('\n')
    .flatMap((line) => [
      line.replace(/\{\{.*?\}\}/g, 'CODE').replace(/^\s*- /, ''),
      ...[...line.matchAll(/"([^"\\]*(?:\\.[^"\\]*)*)"/g)].map(([, text = '']) => text),
    ])
    .filter((text) => text.split(/\s+/).length >= 5 && !/[{}$]/.test(text));

/** Templates of which every line may be shown. */
const isShown = /(NOTES\.txt|_warnings|_validations[^/]*|_recovery)(\.tpl)?$/;

/** What the other templates refuse: each says in quotes which value, and what to do. */
const refusalsOf = (file: string): string[] =>
  [...read(file).matchAll(/"([^"\\\n]{20,}\.)"/g)].map(([, text = '']) => text);

test('no text of the command, the scripts or the nodes breaks a rule', () => {
  const programs = execFileSync('git', ['ls-files', 'cli/src', 'loadtests', 'nodes'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => file.endsWith('.ts'));
  const texts = programs.flatMap(textsOf);
  expect(texts.length).toBeGreaterThan(1500);
  // A part of a sentence is completed elsewhere.
  expect(
    texts.flatMap((text) => faultsAfterLabel(/[.!?:]$/.test(text) ? text : `${text}.`)),
  ).toEqual([]);
});

test('no text of the charts breaks a rule when they are installed or refuse values', () => {
  const templates = execFileSync('git', ['ls-files', ':(glob)charts/*/templates/**'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => /\.(tpl|yaml|txt)$/.test(file));
  const texts = templates.flatMap((file) =>
    isShown.test(file) ? shownBy(file) : refusalsOf(file),
  );
  expect(texts.length).toBeGreaterThan(100);
  expect(texts.filter((text) => text.startsWith('recovery.enabled: '))).toHaveLength(7);
  const faults = faultsIn(texts.flatMap((text) => sentencesOf(text)));
  expect(faults.filter((fault) => !fault.startsWith('no verb'))).toEqual([]);
});

const MAX_NUMBERS = 8;

test('code and the targets of links are no figures, and all that a table shows is', () => {
  const page =
    '| one | 2 of 3 |\n\nSee [four](five-6.md) `p95<300ms` n8n 2.41.1.\n\n```\n7 8\n```\n';
  expect(countOf(page)).toEqual({ words: 9, numbersPer100Words: 300 / 9 });
});

/** Each ratio of a version has its interval and its record there, as the page itself and CONTRIBUTING.md say. */
const OF_FIGURES = 'docs/compatibility.md';

test.each(documents.filter((file) => isPage(file) && file !== OF_FIGURES))(
  '%s explains more than it counts',
  (file) => {
    expect(countOf(read(file)).numbersPer100Words).toBeLessThanOrEqual(MAX_NUMBERS);
  },
);

test('the manual stays what one reads: at most 30 pages and 36,000 words', () => {
  const manual = documents.filter((file) => isPage(file) && kindOf(file) === 'manual');
  const words = manual.map((file) => read(file).split(/\s+/).length - 1);
  expect(manual.length).toBeLessThanOrEqual(30);
  expect(words.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(36_000);
});
