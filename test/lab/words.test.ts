// What users read keeps to the words of docs/glossary.md: docs/words.json lists those that it does not use,
// and textlint looks for them.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { textsOf, type Text } from './texts';

const root = join(__dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Records keep the words of their day. */
const RECORDED = /^studies\/.*\/results\/|(^|\/)CHANGELOG\.md$/;
const tracked = (...patterns: string[]): string[] =>
  execFileSync('git', ['ls-files', ...patterns], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && !RECORDED.test(file));

const whole = (text: string): Text[] => [{ text, line: 1 }];

/** The help of a target of make. */
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
      ...['nodes/*.ts', 'credentials/*.ts', 'cli/src/*.ts', 'loadtests/*.ts'],
      'monitoring/*.ts',
    ),
    (text, file) => textsOf(file, text),
  ],
];

const CODE = /`[^`\n]*`/g;

interface Message {
  line: number;
  message: string;
}

/** By the linter of prose, with the replacement. Of a file that is not Markdown it reads the texts, line by line. */
function foundIn(texts: { file: string; texts: Text[] }[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'words-'));
  try {
    const origins = texts.map(({ file, texts: of }, index) => {
      const isMarkdown = file.endsWith('.md');
      const lines = of.flatMap(({ text, line }) =>
        text.split('\n').map((one, offset) => ({ one, line: line + offset })),
      );
      const path = join(folder, `${String(index)}.${isMarkdown ? 'md' : 'txt'}`);
      const prose = lines.map(({ one }) =>
        isMarkdown ? one : one.replace(CODE, (code) => ' '.repeat(code.length)),
      );
      writeFileSync(path, prose.join('\n'));
      return { file, path, lines };
    });
    const { stdout } = spawnSync(
      join(root, 'node_modules/.bin/textlint'),
      ['--format', 'json', '--config', join(root, '.textlintrc.cjs'), folder],
      { encoding: 'utf8', maxBuffer: 2 ** 26 },
    );
    const results = JSON.parse(stdout) as { filePath: string; messages: Message[] }[];
    expect(results).toHaveLength(texts.length);
    return results.flatMap(({ filePath, messages }) => {
      const origin = origins.find(({ path }) => path === filePath);
      return messages.map(({ line, message }) => {
        const at = String(origin?.lines[line - 1]?.line);
        return `${String(origin?.file)}:${at}: ${message.replace(/\s+/g, ' ')}`;
      });
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('a word that is not used is found, with what to use', () => {
  const inText = (text: string, file = 'x.md'): string[] =>
    foundIn([{ file, texts: [{ text, line: 1 }] }]);
  expect(inText('one\nIt gave a right reply.')).toEqual([
    'x.md:2: Incorrect term: “right reply”, use “expected response” instead',
  ]);
  expect(inText('\nIt says how much does\nit hold')).toEqual([
    'x.md:2: Incorrect term: “how much does it hold”, use “how much load does it sustain” instead',
  ]);
  expect(inText('The option `his` stays.\n\n    his')).toEqual([]);
  expect(inText('The option `his` stays,\nand he goes', 'x.yaml')).toEqual([
    'x.yaml:2: Incorrect term: “he”, use “they” instead',
  ]);
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
  expect(foundIn(files.map((file) => ({ file, texts: texts(read(file), file) })))).toEqual([]);
});

/** `mostPairs`, `MOST_PAIRS` and `most-pairs` are all "most pairs". */
const wordsOf = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_-]/g, ' ')
    .toLowerCase();

const BANNED_NAMES = (JSON.parse(read('docs/names.json')) as [string, string][]).map(
  ([pattern, better]) => ({ pattern: new RegExp(pattern), better }),
);

function bannedNamesIn(text: string): string[] {
  const names = new Set(text.match(/[A-Za-z]\w*(?:-[a-z]+)*/g) ?? []);
  return [...names].flatMap((name) =>
    BANNED_NAMES.filter(({ pattern }) => pattern.test(wordsOf(name)) || pattern.test(name)).map(
      ({ better }) => `${name}: write ${better}`,
    ),
  );
}

test('a banned name is found in each way to write it', () => {
  expect(bannedNamesIn('const MOST = 1;')).toEqual(['MOST: write max']);
  expect(bannedNamesIn('const mostPairs = MOST_PAIRS; // most of them')).toEqual([
    'mostPairs: write max',
    'MOST_PAIRS: write max',
  ]);
  expect(
    bannedNamesIn(`{ "rightReplies": 1, 'called-crashed': 2, leastSquares: 3, leastMs: 4 }`),
  ).toEqual([
    'rightReplies: write expected response',
    'called-crashed: write done, marked as crashed',
    'leastMs: write min',
  ]);
  expect(
    bannedNamesIn('webhookLeastPerSecond: 1 # at-most-once, scalesAtMostTo, longestReplySeconds'),
  ).toEqual(['webhookLeastPerSecond: write min', 'longestReplySeconds: write max response']);
});

/** What lists the words that are not used, or shows that they are found. */
const NAME_THEM = /^docs\/(words|names)\.json$|^test\/lab\/words\.test\.ts$/;

test('identifiers and JSON keys keep to the words', () => {
  const kinds = ['ts', 'cjs', 'mjs', 'tpl', 'yaml', 'yml', 'json', 'sh', 'go'];
  const files = tracked(...kinds.map((kind) => `*.${kind}`)).filter(
    (file) => !NAME_THEM.test(file) && !file.endsWith('package-lock.json'),
  );
  expect(files.flatMap((file) => bannedNamesIn(read(file)).map((n) => `${file}: ${n}`))).toEqual(
    [],
  );
});

test('keys of the records of studies keep to the words', () => {
  const keysIn = (text: string): string[] => [
    ...new Set([...text.matchAll(/"([A-Za-z][\w-]*)\\?":/g)].map(([, key = '']) => key)),
  ];
  expect(keysIn('{"most":1,"most":2,"text":"{\\"least\\":3}"}')).toEqual(['most', 'text', 'least']);
  const archives = tracked('studies/*/results.jsonl.gz');
  expect(archives.length).toBeGreaterThan(40);
  const found = archives.flatMap((file) => {
    const keys = keysIn(gunzipSync(readFileSync(join(root, file))).toString());
    return keys
      .filter((key) => /^(most|least|usual)$/.test(key) || bannedNamesIn(key).length > 0)
      .map((key) => `${file}: ${key}`);
  });
  expect(found).toEqual([]);
});

/** A comment whose first word is Of, Where or As, in each way to write one; a line that goes on with one may begin so. */
const FRAGMENT = /(?:\/\*\*?\s+(?:\*\s+)?|(?<!\/\/[^\n]*\n[^\S\n]*)\/\/ +)(?:Of|Where|As)\b[^\n]*/g;
/** The same in YAML and shell scripts. What the chart's users read of a value begins with `--`. */
const FRAGMENT_AFTER_HASH = /(?<!#[^\n]*\n[^\S\n]*)(?<=^|[^\S\n])# +(?:Of|Where|As)\b[^\n]*/gm;
/** A number whose thousands are apart, as English does not write them, in a comment. */
const SPACED = /(?:\/\/|\*|#) [^\n]*?(?<![\w.,:/-])\d{1,3} \d{3}\b(?![-:.]\d)[^\n]*/g;

test('a comment that begins with Of, Where or As is found in each way to write it', () => {
  const text = [
    ...['/** Of a twin. */', '// Where it lies.', 'x; // As it is.', '/**', ' * Of all.', ' */'],
    ...['{{- /* As long as that. */ -}}', '// This goes on:', '// Of all parts.', '/** Offers. */'],
  ].join('\n');
  expect(text.match(FRAGMENT)?.map((one) => one.replace(/\s+/g, ' '))).toEqual([
    ...['/** Of a twin. */', '// Where it lies.', '// As it is.', '/** * Of all.'],
    '/* As long as that. */ -}}',
  ]);
  expect(
    '# Of a twin.\na: 1 # As it is.\n# Goes on:\n# Of all.'.match(FRAGMENT_AFTER_HASH),
  ).toEqual(['# Of a twin.', '# As it is.']);
  expect('// 47 000 of 1,000\n * all 12 600\n# at 10:00 100 of 2026'.match(SPACED)).toHaveLength(2);
});

test('comments say what a thing is or does, do not begin with Of, Where or As, and have commas in numbers', () => {
  const kinds = ['ts', 'cjs', 'mjs', 'tpl', 'css', 'go', 'yaml', 'yml', 'sh'];
  const files = tracked(...kinds.map((kind) => `*.${kind}`), 'n8n-tuned', 'Makefile', '.ci/run');
  const found = (pattern: RegExp): string[] =>
    files
      // Examples of such comments.
      .filter((file) => !['test/lab/words.test.ts', 'lab/figures.ts'].includes(file))
      .flatMap((file) => (read(file).match(pattern) ?? []).map((one) => `${file}: ${one}`));
  expect(found(FRAGMENT)).toEqual([]);
  expect(found(FRAGMENT_AFTER_HASH)).toEqual([]);
  expect(found(SPACED)).toEqual([]);
});

test('the glossary has at most 25 terms', () => {
  const terms = read('docs/glossary.md').match(/^\| \S.*\|$/gm) ?? [];
  expect(terms.length - 1).toBeGreaterThan(15);
  expect(terms.length - 1).toBeLessThanOrEqual(25);
});
