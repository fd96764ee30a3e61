// What plans do around their parts: one after the other or side by side, each kept as soon as it is there.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repositoryRoot } from '../../cli/src/lab/paths';
import { buildCli } from '../support/cli';

const folder = mkdtempSync(join(tmpdir(), 'in-parts-'));
const kept = join(folder, 'kept');
const plan = join(folder, 'measure.mjs');
beforeAll(() => {
  buildCli();
  const inParts = pathToFileURL(join(repositoryRoot(), 'studies/in-parts.mjs')).href;
  const archive = pathToFileURL(join(repositoryRoot(), 'studies/archive.mjs')).href;
  // Part b says that nothing came of it; d waits for the record of a.
  writeFileSync(
    plan,
    `import { setTimeout as sleep } from 'node:timers/promises';
     import { recordsIn } from ${JSON.stringify(archive)};
     import { measureParts, NotMeasured } from ${JSON.stringify(inParts)};
     const kept = recordsIn(${JSON.stringify(kept)});
     await measureParts({
       parts: ['a', 'b', 'c', 'd'].map((name) => ({ name, seconds: 60 })),
       ...(process.env.QUICK === '1' ? { quickParts: [{ name: 'a', seconds: 5 }, { name: 'c', seconds: 5 }] } : {}),
       kept, about: 'a test', shownOut: 'out', maxAtOnce: Number(process.env.MOST ?? 1),
       isAlone: ({ name }) => name === process.env.ALONE,
       kindOf: ({ name }) => (process.env.OTHER_KIND ?? '').includes(name),
       isNeeded: ({ name }) => !(process.env.NEEDLESS ?? '').includes(name),
       whyNot: ({ name }) => name === 'd' && kept.read('a') === null ? 'it rests on a' : null,
       measured: async ({ name }, { isShort, signal }) => {
         console.log('begin ' + name);
         if (process.env.ENDLESS === '1') await sleep(60_000, undefined, { signal });
         await sleep(50);
         console.log('end ' + name);
         if (name === 'b') throw new NotMeasured('the machine was busy');
         return { record: { of: name, isShort }, sentence: 'measured' };
       },
     });`,
  );
});
beforeEach(() => {
  rmSync(kept, { recursive: true, force: true });
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function measure(args: string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [plan, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  const steps = stdout.split('\n').filter((line) => /^(begin|end) /.test(line));
  return { status, stdout, stderr, steps };
}
const records = (): string[] => (existsSync(kept) ? readdirSync(kept).sort() : []);
const record = (name: string): object =>
  JSON.parse(readFileSync(join(kept, `${name}.json`), 'utf8')) as object;

test('a part that is not needed is left out, unless it is named', () => {
  const env = { NEEDLESS: 'ac' };
  const { stdout } = measure(['--list'], env);
  expect(stdout).toMatch(/not needed a, .*\nmissing {4}b, .*\nnot needed c, .*\nmissing {4}d, /);
  expect(stdout).toContain('2 of 4 have no record: 2.0 min');
  expect(measure(['--within', '9m'], env).steps).toEqual(['begin b', 'end b']);
  expect(measure(['c'], env).steps).toEqual(['begin c', 'end c']);
});

test('the next part without a record is measured and kept', () => {
  expect(measure([])).toMatchObject({ status: 0, steps: ['begin a', 'end a'] });
  expect(record('a')).toMatchObject({ name: 'a', of: 'a' });
  expect(record('a')).not.toHaveProperty('atOnce');
  expect(measure([]).steps).toEqual(['begin b', 'end b']);
  expect(records()).toEqual(['a.json']);
});

test('what fits is measured, and nothing is kept of what was not measured', () => {
  const { status, steps, stderr } = measure(['--within', '5m']);
  expect(steps).toEqual(['a', 'b', 'c', 'd'].flatMap((one) => [`begin ${one}`, `end ${one}`]));
  expect([status, stderr]).toEqual([3, 'nothing is kept of b: the machine was busy\n']);
  expect(records()).toEqual(['a.json', 'c.json', 'd.json']);
  expect(measure(['--within', '10s']).stdout).toContain('no part without a record can be measured');
});

test('several at a time begin before the first has ended, and their records say so', () => {
  const { steps, stdout } = measure(['--within', '5m', '--at-once', '2'], { MOST: '2' });
  expect(steps.slice(0, 2)).toEqual(['begin a', 'begin b']);
  expect(steps).toHaveLength(8);
  expect(stdout).toContain('\nc: measured\n');
  expect(record('c')).toMatchObject({ atOnce: 2 });
  // One round had ended when the next one began.
  expect(record('c')).not.toHaveProperty('beside');
});

test.each([
  [{}, ['ab', 'cd']],
  [{ ALONE: 'a' }, ['a', 'bc', 'd']],
  [{ ALONE: 'b' }, ['ac', 'b', 'd']],
  [{ OTHER_KIND: 'bd' }, ['ac', 'bd']],
])('those that may be measured together are: %j', (env, rounds) => {
  const { steps } = measure(['--within', '5m', '--at-once', '2'], { MOST: '2', ...env });
  const begun = steps.map((step) => step.replace(/^begin /, '')).join(' ');
  const each = rounds.map((names) => [...names].join(' '));
  expect(begun.replaceAll(/(?: end [a-d])+/g, ',')).toBe(`${each.join(', ')},`);
});

test('a part that cannot be measured is named, and the others are', () => {
  const { status, stderr, steps } = measure(['d', 'c']);
  expect([status, stderr]).toEqual([2, 'd cannot be measured: it rests on a\n']);
  expect(steps).toEqual(['begin c', 'end c']);
});

test('a study says where records go, and asks for the short form of what it has', () => {
  const out = join(folder, 'study');
  const env = { QUICK: '1' };
  const short = measure(['--quick', '--out', out], env);
  expect([short.status, short.steps]).toEqual([0, ['begin a', 'end a', 'begin c', 'end c']]);
  expect(readdirSync(join(out, 'parts')).sort()).toEqual(['a.json', 'c.json']);
  expect(records()).toEqual([]);
  const text = readFileSync(join(out, 'parts/a.json'), 'utf8');
  expect(JSON.parse(text)).toMatchObject({ of: 'a', isShort: true });
  expect(measure(['--quick', '--out', out], env).steps).toEqual([]);
  expect(measure(['--quick'], env).stderr).toMatch(/--quick needs --out/);
});

test('a part that is interrupted ends, and nothing is kept of it', async () => {
  const child = spawn(process.execPath, [plan], { env: { ...process.env, ENDLESS: '1' } });
  const told: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => told.push(chunk.toString()));
  await once(child.stdout, 'data');
  child.kill('SIGINT');
  const [code] = (await once(child, 'exit')) as [number];
  expect([code, told.join('')]).toEqual([3, 'nothing is kept of a: it was interrupted\n']);
  expect(records()).toEqual([]);
});

test.each([
  [['--quick', '--out', 'x'], /--quick is not for this plan/],
  [['--at-once', '2'], /--at-once is not for this plan/],
  [['--within', 'soon'], /--within takes a time like 9m or 500s/],
  [['e'], /there is no part 'e'/],
  [['--fast'], /Unknown option '--fast'/],
])('%p is refused', (args, says) => {
  const { status, stderr, steps } = measure(args);
  expect(stderr).toMatch(says);
  expect([status, stderr.trim().split('\n').length, steps]).toEqual([2, 1, []]);
});
