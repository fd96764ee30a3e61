// What users read keeps to the words of docs/glossary.md: docs/words.json lists those that it does not use.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

interface Word {
  avoid: string;
  use: string;
}
const words = JSON.parse(read('docs/words.json')) as Word[];

/** Records keep the words of their day. */
const RECORDED = /(^|\/)results?\/|^docs\/(results|times)\.md$|^CHANGELOG\.md$/;
const prose = execFileSync(
  'git',
  ['ls-files', '*.md', 'charts/n8n-tuned/values.yaml', 'test/golden/*.txt'],
  { cwd: root, encoding: 'utf8' },
)
  .split('\n')
  .filter((file) => file !== '' && !RECORDED.test(file));

/** Where a text uses a word that it should not, in sentences. Code is not prose. */
function found(file: string, text: string): string[] {
  return text.split('\n').flatMap((line, index) =>
    words.flatMap(({ avoid, use }) => {
      const [word] = new RegExp(`\\b(${avoid})\\b`, 'i').exec(line.replace(/`[^`]*`/g, '')) ?? [];
      return word === undefined ? [] : [`${file}:${String(index + 1)}: "${word}": use ${use}`];
    }),
  );
}

test('a word that is not used is found, with what to use', () => {
  expect(found('x.md', 'one\nIt gave a right reply.')).toEqual([
    'x.md:2: "right reply": use expected response',
  ]);
  expect(found('x.md', 'The option `his` stays.')).toEqual([]);
});

test('the prose keeps to the words', () => {
  expect(prose.length).toBeGreaterThan(50);
  expect(prose.flatMap((file) => found(file, read(file)))).toEqual([]);
});

test('the glossary has at most 25 terms', () => {
  const terms = read('docs/glossary.md').match(/^\| \S.*\|$/gm) ?? [];
  expect(terms.length - 1).toBeGreaterThan(15);
  expect(terms.length - 1).toBeLessThanOrEqual(25);
});
