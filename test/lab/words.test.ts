// What users read keeps to the words of docs/glossary.md: docs/words.json lists those that it does not use.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { textsOf, type Text } from './texts';

const root = join(__dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

interface Word {
  avoid: string;
  use: string;
}
const words = JSON.parse(read('docs/words.json')) as Word[];

/** Records keep the words of their day. */
const RECORDED = /^studies\/.*\/results\/|(^|\/)CHANGELOG\.md$/;
const tracked = (...patterns: string[]): string[] =>
  execFileSync('git', ['ls-files', ...patterns], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && !RECORDED.test(file));

const whole = (text: string): Text[] => [{ text, line: 1 }];

/** Of a target of make. */
const helpOf = (text: string): Text[] =>
  text.split('\n').flatMap((line, index) => {
    const [help] = /##.*$/.exec(line) ?? [];
    return help === undefined ? [] : [{ text: help, line: index + 1 }];
  });

/** What n8n's editor and the docs show of a workflow: its code is not prose. */
const SHOWN = ['content', 'title', 'stresses', 'warning', 'meaning', 'description'];
function shownOf(text: string): Text[] {
  const texts: Text[] = [];
  JSON.parse(text, (key, value: unknown) => {
    if (typeof value === 'string' && SHOWN.includes(key)) texts.push({ text: value, line: 1 });
    return value;
  });
  return texts;
}

/** By the kind of file, what of it users read. */
const READ: [name: string, files: string[], texts: (text: string, file: string) => Text[]][] = [
  ['documents', tracked('*.md'), whole],
  ['what the command prints', tracked('test/golden/*.txt'), whole],
  [
    'what the chart says',
    tracked(
      'charts/n8n-tuned/values.yaml',
      'charts/n8n-tuned/templates/NOTES.txt',
      'charts/n8n-tuned/templates/*_warnings.tpl',
      'charts/n8n-tuned/templates/*_validations*.tpl',
    ),
    whole,
  ],
  ['the targets of make', tracked('Makefile'), helpOf],
  ['workflows and their catalogue', tracked('workflows/*.json'), shownOf],
  [
    'texts of the nodes, the command, the load tests, and alerts and dashboards',
    tracked(
      ...['nodes/*.ts', 'credentials/*.ts', 'capacity/src/*.ts', 'loadtests/*.ts'],
      'monitoring/*.ts',
    ),
    (text, file) => textsOf(file, text),
  ],
];

/** Where a text uses a word that it should not. Code is not prose. */
function found(file: string, { text, line: first }: Text): string[] {
  const prose = text.replace(/`[^`\n]*`/g, (code) => ' '.repeat(code.length));
  return words.flatMap(({ avoid, use }) =>
    [...prose.matchAll(new RegExp(`\\b(${avoid.replaceAll(' ', '\\s+')})\\b`, 'gi'))].map(
      ({ 0: word, index }) => {
        const line = first + prose.slice(0, index).split('\n').length - 1;
        return `${file}:${String(line)}: "${word.replace(/\s+/g, ' ')}": use ${use}`;
      },
    ),
  );
}

test('a word that is not used is found, with what to use', () => {
  const inText = (text: string): string[] => found('x.md', { text, line: 1 });
  expect(inText('one\nIt gave a right reply.')).toEqual([
    'x.md:2: "right reply": use expected response',
  ]);
  expect(inText('\nhow much does\nit hold')).toEqual([
    'x.md:2: "how much does it hold": use how much load ... sustain',
  ]);
  expect(inText('The option `his` stays.')).toEqual([]);
});

test('of sources and workflows it is looked for in texts, not in names', () => {
  const source = 'import a from "his";\nconst mended = `one ${mend}\n two`; // he';
  expect(textsOf('x.ts', source)).toEqual([
    { text: 'one ', line: 2 },
    { text: '\n two', line: 2 },
  ]);
  expect(shownOf('{"title": "a", "jsCode": "he"}')).toEqual([{ text: 'a', line: 1 }]);
  expect(helpOf('a: b\n\tmend # he\nc: ## what it is')).toEqual([
    { text: '## what it is', line: 3 },
  ]);
});

test.each(READ)('%s keep to the words', (_, files, texts) => {
  expect(files).not.toEqual([]);
  const wrong = files.flatMap((file) =>
    texts(read(file), file).flatMap((text) => found(file, text)),
  );
  expect(wrong).toEqual([]);
});

test('the glossary has at most 25 terms', () => {
  const terms = read('docs/glossary.md').match(/^\| \S.*\|$/gm) ?? [];
  expect(terms.length - 1).toBeGreaterThan(15);
  expect(terms.length - 1).toBeLessThanOrEqual(25);
});
