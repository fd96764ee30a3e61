/** "How to add" in docs/architecture.md: its examples, applied to the sources as a reader would, have the right types. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { repositoryRoot } from '../../capacity/src/lab/paths';

const ROOT = repositoryRoot();
const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
const guide = page.slice(page.indexOf('## How to add'));

interface Step {
  file: string;
  after: string;
  add: string;
}

const newFiles = [...guide.matchAll(/```ts (\S+)\n([\s\S]*?)```/g)].map(
  ([, file = '', content = '']) => ({ file, content }),
);
const code = (cell: string): string => /^`(.*)`$/.exec(cell.trim())?.[1] ?? '';
const steps: Step[] = guide
  .split('\n')
  .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.replaceAll('\\|', '|')))
  .filter((cells) => cells.length === 5 && cells.slice(1, 4).every((cell) => code(cell) !== ''))
  .map(([, file = '', after = '', add = '']) => ({
    file: code(file),
    after: code(after),
    add: code(add),
  }));

test('there are examples of each kind', () => {
  expect(newFiles.length).toBeGreaterThanOrEqual(2);
  expect(steps.length).toBeGreaterThanOrEqual(8);
});

test.each(steps)('$file has the line: $after', ({ file, after }) => {
  expect(readFileSync(join(ROOT, file), 'utf8').split(after)).toHaveLength(2);
});

test.each([...new Set(guide.match(/`(?:capacity|test|loadtests|lab)\/[\w./-]+`/g))])(
  '%s is there',
  (quoted) => {
    const path = quoted.slice(1, -1);
    const isNew = newFiles.some(({ file }) => file === path);
    expect(isNew || existsSync(join(ROOT, path))).toBe(true);
  },
);

test('with all of them applied, everything has the right types', () => {
  const texts = new Map(newFiles.map(({ file, content }) => [resolve(ROOT, file), content]));
  for (const { file, after, add } of steps) {
    const path = resolve(ROOT, file);
    const text = texts.get(path) ?? readFileSync(path, 'utf8');
    texts.set(
      path,
      text.replace(after, () => `${after}\n${add}`),
    );
  }
  const { options } = ts.getParsedCommandLineOfConfigFile(
    join(ROOT, 'tsconfig.json'),
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined },
  ) ?? { options: {} };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, directoryExists = () => true } = host;
  host.directoryExists = (folder) =>
    [...texts.keys()].some((file) => file.startsWith(`${resolve(folder)}/`)) ||
    directoryExists(folder);
  host.fileExists = (file) => texts.has(resolve(file)) || fileExists(file);
  host.readFile = (file) => texts.get(resolve(file)) ?? readFile(file);
  host.getSourceFile = (file, languageVersion) => {
    const text = host.readFile(file);
    return text === undefined ? undefined : ts.createSourceFile(file, text, languageVersion);
  };
  const program = ts.createProgram([join(ROOT, 'capacity/src/cli.ts')], options, host);
  const wrong = ts
    .getPreEmitDiagnostics(program)
    .map(
      ({ file, messageText }) =>
        `${file?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );
  expect(wrong).toEqual([]);
  // All of the new files are used.
  for (const { file } of newFiles) expect(program.getSourceFile(resolve(ROOT, file))).toBeDefined();
});
