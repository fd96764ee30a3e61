/** Several `up` at once with one name: one of them has it. */
import { buildSync } from 'esbuild';
import { fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Mistake } from '../../../cli/src/ui/exit';
import { Kept } from '../../../cli/src/targets/kept';

const ROOT = join(__dirname, '../../..');
const CLAIMERS = 6;

let cache: string;
let program: string;
const before = process.env['N8N_TUNED_CACHE'];

beforeAll(() => {
  const folder = mkdtempSync(join(ROOT, 'cli', 'node_modules', '.claims-'));
  program = join(folder, 'claimer.js');
  buildSync({
    stdin: {
      contents: `import { Kept } from './cli/src/targets/kept';
        process.on('message', () => {
          try { new Kept('one').claim(); process.send('has it'); } catch (error) { process.send(error.message); }
        });
        process.send('ready');`,
      resolveDir: ROOT,
    },
    ...{ bundle: true, platform: 'node', format: 'cjs', packages: 'external', outfile: program },
  });
});

afterAll(() => {
  rmSync(join(program, '..'), { recursive: true });
});

beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'claims-'));
  process.env['N8N_TUNED_CACHE'] = cache;
});

afterEach(() => {
  if (before === undefined) delete process.env['N8N_TUNED_CACHE'];
  else process.env['N8N_TUNED_CACHE'] = before;
  rmSync(cache, { recursive: true });
});

const claimsLeft = (): string[] => readdirSync(join(cache, 'up'));

/** What each of several processes was told that claimed at the same time. */
async function allAtOnce(): Promise<string[]> {
  const children = Array.from({ length: CLAIMERS }, () =>
    fork(program, {
      ...{ stdio: 'ignore', execArgv: [] },
      env: { ...process.env, N8N_TUNED_CACHE: cache },
    }),
  );
  const next = (index: number): Promise<string> =>
    new Promise((resolve) => children[index]?.once('message', (text) => resolve(String(text))));
  await Promise.all(children.map((_, index) => next(index)));
  const told = children.map((_, index) => next(index));
  for (const child of children) child.send('now');
  const all = await Promise.all(told);
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(children.map((child) => new Promise((resolve) => child.once('exit', resolve))));
  return all;
}

test.each([
  ['nothing was there', []],
  ['killed ones have left their claims', [0, 3]],
])('a claim has one owner where %s', async (_, stale) => {
  mkdirSync(join(cache, 'up'));
  for (const number of stale) {
    const file = join(cache, 'up', `one.claim-${String(number)}`);
    writeFileSync(file, JSON.stringify({ pid: process.pid, startedAtMs: 1 }));
  }
  const told = await allAtOnce();
  expect(told.filter((text) => text === 'has it')).toHaveLength(1);
  for (const text of told.filter((one) => one !== 'has it')) {
    expect(text).toMatch(/^'one' is being started by process \d+: wait for it/);
  }
  // The losers have left nothing, and the winner, which was killed, is in nobody's way.
  expect(claimsLeft()).toHaveLength(1);
  new Kept('one').claim().end();
  expect(claimsLeft()).toEqual([]);
});

test('a claim is refused while its owner lives, and another name is not', () => {
  const claim = new Kept('one').claim();
  expect(() => new Kept('one').claim()).toThrow(Mistake);
  new Kept('one-more').claim().end();
  claim.end();
  new Kept('one').claim().end();
});
