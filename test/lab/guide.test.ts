/** "How to add" in docs/architecture.md: its examples, applied to the sources as a reader would, have the right types. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { repositoryRoot } from '../../cli/src/lab/paths';
import { isLong } from '../support/properties';

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

test.each([...new Set(guide.match(/`(?:cli|charts|test|loadtests|lab)\/[\w./-]+`/g))])(
  '%s is there',
  (quoted) => {
    const path = quoted.slice(1, -1);
    const isNew = newFiles.some(({ file }) => file === path);
    expect(isNew || existsSync(join(ROOT, path))).toBe(true);
  },
);

/** The sources as they are with every step taken. */
const texts = new Map(newFiles.map(({ file, content }) => [resolve(ROOT, file), content]));
for (const { file, after, add } of steps) {
  const path = resolve(ROOT, file);
  const text = texts.get(path) ?? readFileSync(path, 'utf8');
  texts.set(
    path,
    text.replace(after, () => `${after}\n${add}`),
  );
}

/** What TypeScript has against these files and all that they import. */
function faults(config: string, files: readonly string[]): string[] {
  const { options } = ts.getParsedCommandLineOfConfigFile(
    join(ROOT, config),
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
  const ofModule = host.getSourceFile.bind(host);
  host.getSourceFile = (file, version) => {
    const text = texts.get(resolve(file));
    return text === undefined ? ofModule(file, version) : ts.createSourceFile(file, text, version);
  };
  const roots = files.map((file) => resolve(ROOT, file));
  const program = ts.createProgram(roots, options, host);
  const unread = roots.filter((file) => program.getSourceFile(file) === undefined);
  return [
    ...unread.map((file) => `${file} was not read`),
    ...ts
      .getPreEmitDiagnostics(program)
      .map(
        ({ file, messageText }) =>
          `${file?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
      ),
  ];
}

const isOfK6 = (file: string): boolean => /^loadtests\/[^/]+$/.test(file);

// It checks the types of all sources anew.
if (isLong) {
  test('with all of them applied, the command has the right types', () => {
    const added = newFiles.map(({ file }) => file).filter((file) => !isOfK6(file));
    expect(faults('tsconfig.json', ['cli/src/cli.ts', ...added])).toEqual([]);
  });
}

test('with all of them applied, the k6 scripts have the right types', () => {
  const added = newFiles.map(({ file }) => file).filter(isOfK6);
  expect(added).not.toEqual([]);
  expect(faults('loadtests/tsconfig.json', added)).toEqual([]);
});
