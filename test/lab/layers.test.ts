/** The order of the folders of cli/src, as ESLint enforces it. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { LAYERS as layers } from '../../cli/layers.mjs';
import { repositoryRoot } from '../../cli/src/lab/paths';
import { drawn } from '../support/properties';

const ROOT = repositoryRoot();
const SOURCES = join(ROOT, 'cli', 'src');

/** Rooms in which every file is pure. */
const PURE = ['analysis', 'report'];

/** ESLint imports its configuration as Node.js does: in a process of its own. */
function inNode<T>(script: string): T {
  const out = execFileSync(process.execPath, ['--input-type=module'], {
    input: script,
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(out) as T;
}

interface Attempt {
  file: string;
  text: string;
}

/** How often `kit/layers` fires in each. */
const refusals = (attempts: readonly Attempt[]): number[] =>
  inNode(
    `import { ESLint } from 'eslint';
     const eslint = new ESLint({ overrideConfig: { linterOptions: { reportUnusedDisableDirectives: 'off' } } });
     const counts = [];
     for (const { file, text } of ${JSON.stringify(attempts)}) {
       const [result] = await eslint.lintText(text, { filePath: file });
       counts.push(result.messages.filter(({ ruleId }) => ruleId === 'kit/layers').length);
     }
     console.log(JSON.stringify(counts));`,
  );

const importOf = (from: string, to: string): Attempt => ({
  file: join('cli/src', from),
  text: `export { x } from '${relative(dirname(from), to)}';\n`,
});

test('every folder and file has its place in the order, and every place is taken', () => {
  // package.json says only that these are ES modules.
  const names = readdirSync(SOURCES)
    .filter((name) => name !== 'package.json')
    .flatMap((name) =>
      name === 'features'
        ? readdirSync(join(SOURCES, name)).map((feature) => `${name}/${feature}`)
        : [name],
    )
    .map((name) => name.replace(/\.ts$/, ''));
  expect(new Set(layers.flat())).toEqual(new Set(names));
});

test('an import of a room above or beside is refused however deep it lies, one of a room below is not', () => {
  const rows = layers.filter((row) => row[0] !== 'cli' && row[0] !== 'program');
  const all = rows.flatMap((row, at) =>
    row.flatMap((from) =>
      rows.flatMap((others, place) =>
        others.filter((to) => to !== from).map((to) => ({ from, to, isRefused: place <= at })),
      ),
    ),
  );
  const cases = drawn(all.length).flatMap((index) => all[index] ?? []);
  const seen = refusals(
    cases.flatMap(({ from, to }) => [
      importOf(`${from}/made-up.ts`, `${to}/made-up`),
      importOf(`${from}/deep/deeper/made-up.ts`, `${to}/made-up`),
    ]),
  );
  const wrong = cases.filter(
    ({ from, isRefused }, index) =>
      (seen[2 * index] === 1) !== isRefused ||
      // What touches nothing may not import every room below.
      (!PURE.includes(from) && (seen[2 * index + 1] === 1) !== isRefused),
  );
  expect(wrong.filter(({ from }) => !PURE.includes(from))).toEqual([]);
  expect(wrong.filter(({ isRefused }) => isRefused)).toEqual([]);
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

test('analysis and report, of a feature too, touch nothing but what they are given', () => {
  const text = `import 'node:fs';\n`;
  const files = [
    ...['analysis/x.ts', 'analysis/slo/x.ts', 'report/page/x.ts', 'run/report/x.ts'],
    ...['features/find/analysis/x.ts', 'commands/report/index/x.ts'],
    ...['record/x.ts', 'features/find/x.ts', 'commands/report/x.ts'],
  ];
  expect(refusals(files.map((file) => ({ file: `cli/src/${file}`, text })))).toEqual([
    ...[1, 1, 1, 1],
    ...[1, 1],
    ...[0, 0, 0],
  ]);
});

test('what is pure imports what touches the world neither from a room below nor from its own feature', () => {
  const from = 'features/sweep/analysis/x.ts';
  expect(
    refusals([
      importOf(from, 'targets/target'),
      importOf(from, 'run/run'),
      importOf(from, 'features/sweep/sweep'),
      importOf(from, 'features/find/find'),
      importOf(from, 'features/find/analysis/sentence'),
      importOf(from, 'features/sweep/plan/cells'),
      importOf(from, 'features/sweep/record'),
      importOf(from, 'run/analysis/verdict'),
    ]),
  ).toEqual([1, 1, 1, 1, 0, 0, 0, 0]);
});

test('docs/architecture.md draws this order', () => {
  const path = join(ROOT, 'docs', 'architecture.md');
  expect(existsSync(path)).toBe(true);
  const text = readFileSync(path, 'utf8');
  const drawn = /```text\n( *cli\n[\s\S]*?)```/.exec(text)?.[1] ?? '';
  const rows = drawn.split('\n').map((line) => line.match(/[a-z\d/-]+/g) ?? []);
  expect(rows.filter((row) => row.length > 0)).toEqual(layers);
});

describe('a value that docs/architecture.md follows', () => {
  const text = readFileSync(join(ROOT, 'docs', 'architecture.md'), 'utf8');
  const [, section = ''] = /^## The path of three values\n([\s\S]*?)^## /m.exec(text) ?? [];
  const walks = [...section.matchAll(/^- (.*?) \(([^()]*)\):([^]*?)(?=^- |\n\n)/gm)].map(
    ([, value = '', counts = '', walk = '']) => [value, counts, walk] as const,
  );

  test.each(walks)('passes the files and functions that it names: %s (%s)', (_, counts, walk) => {
    const steps = [...walk.matchAll(/(back\s+in\s+)?`([^`#]+)#(\w+)`/g)];
    for (const [, , file = '', name = ''] of steps) {
      const source = readFileSync(join(ROOT, file), 'utf8');
      expect(source).toMatch(
        new RegExp(`(function|const) ${name}\\b|^  (private )?${name}\\(`, 'm'),
      );
    }
    const files = new Set(steps.map(([, , file]) => file)).size;
    const returns = steps.filter(([, back]) => back !== undefined).length;
    expect(counts).toBe(
      `${String(files)} files, ${String(returns)} return${returns === 1 ? '' : 's'}`,
    );
  });

  test('is an SLO, a sample, and a number of slots on two ways', () => {
    expect(walks).toHaveLength(4);
  });
});
