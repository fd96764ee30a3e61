/** The order of the folders of cli/src, as ESLint enforces it. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '../../cli/src/lab/paths';

const ROOT = repositoryRoot();
const SOURCES = join(ROOT, 'cli', 'src');

/** Both are ES modules, which Jest does not load: a Node.js of its own asks them. */
function inNode<T>(script: string): T {
  const out = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(out) as T;
}

const { layers, files, maxDepth } = inNode<{
  layers: string[][];
  files: string[];
  maxDepth: number;
}>(
  `import { FILES, LAYERS, MAX_DEPTH } from './cli/layers.mjs';
   console.log(JSON.stringify({ layers: LAYERS, files: FILES, maxDepth: MAX_DEPTH }));`,
);

interface Attempt {
  file: string;
  text: string;
}

/** How often `no-restricted-imports` fires in each. */
const refusals = (attempts: readonly Attempt[]): number[] =>
  inNode(
    `import { ESLint } from 'eslint';
     const eslint = new ESLint({ overrideConfig: { linterOptions: { reportUnusedDisableDirectives: 'off' } } });
     const counts = [];
     for (const { file, text } of ${JSON.stringify(attempts)}) {
       const [result] = await eslint.lintText(text, { filePath: file });
       counts.push(result.messages.filter(({ ruleId }) => ruleId === 'no-restricted-imports').length);
     }
     console.log(JSON.stringify(counts));`,
  );

const importOf = (from: string, to: string, depth: number): Attempt => ({
  file: join('cli/src', from, ...Array<string>(depth - 1).fill('deep'), 'made-up.ts'),
  text: `export { x } from '${'../'.repeat(depth)}${to}/made-up';\n`,
});

test('every folder and file has its place in the order, and every place is taken', () => {
  const names = readdirSync(SOURCES).map((name) => name.replace(/\.ts$/, ''));
  expect(new Set(layers.flat())).toEqual(new Set(names));
});

test('no folder lies deeper than the rules reach', () => {
  const depths = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).map(
    (path) => path.split('/').length - 1,
  );
  expect(Math.max(...depths)).toBeLessThanOrEqual(maxDepth);
});

test('an import of a folder above or beside is refused at every depth, one of a folder below is not', () => {
  const rows = layers.filter((row) => !files.includes(row[0] ?? ''));
  const cases = rows.flatMap((row, at) =>
    row.flatMap((from) =>
      rows.flatMap((others, place) =>
        others.filter((to) => to !== from).map((to) => ({ from, to, isRefused: place <= at })),
      ),
    ),
  );
  const seen = refusals(
    cases.flatMap(({ from, to }) => [importOf(from, to, 1), importOf(from, to, 2)]),
  );
  const wrong = cases.filter(
    ({ isRefused }, index) =>
      (seen[2 * index] === 1) !== isRefused || (seen[2 * index + 1] === 1) !== isRefused,
  );
  expect(wrong).toEqual([]);
});

/** The files of each circle of imports, types included; relative imports are all there are between these. */
function circlesIn(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const done = new Set<string>();
  const circles: string[][] = [];
  const visit = (file: string, above: readonly string[]): void => {
    const at = above.indexOf(file);
    if (at >= 0) circles.push([...above.slice(at), file]);
    if (at >= 0 || done.has(file)) return;
    for (const other of imports.get(file) ?? []) visit(other, [...above, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  return circles;
}

function importsIn(folder: string): Map<string, string[]> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(folder, path));
  const known = new Set(files);
  return new Map(
    files.map((file) => [
      file,
      [...readFileSync(file, 'utf8').matchAll(/^(?:import|export|\}) .*from '(\.[^']+)';$/gm)]
        .map(([, to = '']) => join(dirname(file), to))
        .flatMap((path) => [path, `${path}.ts`, join(path, 'index.ts')])
        .filter((path) => known.has(path)),
    ]),
  );
}

test.each(['cli/src', 'loadtests', 'nodes', 'monitoring'])(
  'no files of %s import each other',
  (folder) => {
    const imports = importsIn(join(ROOT, folder));
    expect([...imports.values()].flat().length).toBeGreaterThan(imports.size / 2);
    expect(circlesIn(imports)).toEqual([]);
  },
);

test('a circle is found however long it is', () => {
  const imports = new Map([
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['c', ['a']],
    ['d', []],
  ]);
  expect(circlesIn(imports)).toEqual([['a', 'b', 'c', 'a']]);
});

test('a report has a folder find of its own, which is not the feature find', () => {
  expect(
    refusals([
      { file: 'cli/src/report/run/made-up.ts', text: `import '../find/figures';\n` },
      { file: 'cli/src/report/run/made-up.ts', text: `import '../../find/find';\n` },
    ]),
  ).toEqual([0, 1]);
});

test('analysis and report touch nothing but what they are given', () => {
  const text = `import 'node:fs';\n`;
  expect(
    refusals(
      ['analysis/x.ts', 'analysis/search/x.ts', 'report/run/x.ts', 'record/x.ts'].map((file) => ({
        file: `cli/src/${file}`,
        text,
      })),
    ),
  ).toEqual([1, 1, 1, 0]);
});

test('docs/architecture.md draws this order', () => {
  const path = join(ROOT, 'docs', 'architecture.md');
  expect(existsSync(path)).toBe(true);
  const text = readFileSync(path, 'utf8');
  const drawn = /```text\n( *cli\n[\s\S]*?)```/.exec(text)?.[1] ?? '';
  const rows = drawn.split('\n').map((line) => line.match(/[a-z]+/g) ?? []);
  expect(rows.filter((row) => row.length > 0)).toEqual(layers);
});
