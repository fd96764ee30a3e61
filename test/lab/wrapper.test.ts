/** ./n8n-tuned of a checkout: a small checkout with one local dependency, in which the real npm installs and builds. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../../cli/src/lab/paths';

const root = repositoryRoot();
const SOURCES = 'nodes credentials cli/src loadtests workflows charts/n8n-tuned/tools'.split(' ');
const PROGRAM = `
if (process.argv[2] === 'wait') {
  process.on('SIGINT', () => process.exit(7));
  setInterval(() => undefined, 1000);
  console.log('waiting');
} else {
  console.log(JSON.stringify({ words: process.argv.slice(2), in: process.cwd() }));
  process.exitCode = 3;
}`;

let folder: string;
let checkout: string;
let wrapper: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wrapper-'));
  checkout = join(folder, 'a checkout');
  wrapper = join(checkout, 'n8n-tuned');
  for (const source of SOURCES) mkdirSync(join(checkout, source), { recursive: true });
  copyFileSync(join(root, 'n8n-tuned'), wrapper);
  const small = { name: 'small', version: '1.0.0', dependencies: { cli: 'file:cli' } };
  write('package.json', { ...small, scripts: { build: 'node build.cjs' } });
  write('cli/package.json', { name: 'cli', version: '1.0.0' });
  write('package-lock.json', {
    ...{ name: 'small', version: '1.0.0', lockfileVersion: 3 },
    packages: {
      ...{ '': small, cli: { version: '1.0.0' } },
      'node_modules/cli': { resolved: 'cli', link: true },
    },
  });
  writeFileSync(
    join(checkout, 'build.cjs'),
    `const { appendFileSync, mkdirSync, writeFileSync } = require('node:fs');
mkdirSync('cli/dist', { recursive: true });
writeFileSync('cli/dist/cli.js', ${JSON.stringify(PROGRAM)});
appendFileSync('builds', 'built\\n');`,
  );
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function write(file: string, content: object): void {
  writeFileSync(join(checkout, file), JSON.stringify(content));
}

const call = (file: string, ...words: string[]) =>
  spawnSync(file, words, { cwd: folder, encoding: 'utf8' });
const builds = (): number =>
  readFileSync(join(checkout, 'builds'), 'utf8').trim().split('\n').length;

test('the command is built before its first use only, and gets its words, folder and exit code', () => {
  const first = call(wrapper, 'find', '--slo', 'p95<1s');
  expect(first.stderr).toContain('n8n-tuned: installing npm packages');
  expect(first.stderr).toContain('n8n-tuned: building the command');
  expect(JSON.parse(first.stdout)).toEqual({ words: ['find', '--slo', 'p95<1s'], in: folder });
  expect(first.status).toBe(3);

  symlinkSync('a checkout/n8n-tuned', join(folder, 'link'));
  const second = call(join(folder, 'link'), 'run');
  expect(second).toMatchObject({ stderr: '', status: 3 });
  expect(JSON.parse(second.stdout)).toEqual({ words: ['run'], in: folder });
  expect(builds()).toBe(1);
});

test('a source that has changed since is built again, without a new installation', () => {
  call(wrapper);
  const source = join(checkout, 'cli/src/changed.ts');
  appendFileSync(source, '');
  const later = Date.now() / 1000 + 60;
  utimesSync(source, later, later);
  const { stderr } = call(wrapper);
  expect(stderr).toBe('n8n-tuned: building the command\n');
  expect(builds()).toBe(2);
});

test.each(['n8n-tuned', 'make'])(
  '%s leaves packages alone that a link to another folder shares, as in a worktree',
  (program) => {
    const shared = join(folder, 'shared');
    mkdirSync(join(shared, 'of-another'), { recursive: true });
    symlinkSync(shared, join(checkout, 'node_modules'));
    copyFileSync(join(root, 'Makefile'), join(checkout, 'Makefile'));
    const { stderr } =
      program === 'make'
        ? spawnSync('make', ['-s', 'node_modules/.package-lock.json'], {
            cwd: checkout,
            encoding: 'utf8',
          })
        : call(wrapper);
    expect(readdirSync(shared)).toEqual(['of-another']);
    expect(stderr).toContain('node_modules is a symbolic link');
  },
);

test('a build that fails is said, and nothing is run', () => {
  writeFileSync(join(checkout, 'build.cjs'), "throw new Error('no room');");
  const { status, stdout, stderr } = call(wrapper, 'find');
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain('no room');
  expect(stderr).toMatch(/n8n-tuned: the command could not be built; the lines above say why\.\n$/);
});

test('Ctrl-C reaches the command', async () => {
  call(wrapper);
  const child = spawn(wrapper, ['wait'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([7, null]);
});

test('it is built again for the same sources as by make', () => {
  const [, listed = ''] =
    /^SOURCES := \$\(shell find (.*) -type f/m.exec(readFileSync(join(root, 'Makefile'), 'utf8')) ??
    [];
  expect(listed.split(' ')).toEqual(SOURCES);
  expect(readFileSync(join(root, 'n8n-tuned'), 'utf8')).toContain(SOURCES.join(' '));
});

test('nothing tells readers to run the command by npx, as nobody owns its name yet', () => {
  const run = spawnSync('git', ['grep', '-lE', 'npx (--yes )?n8n-tuned'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(run.stdout).toBe('');
  expect(run.status).toBe(1);
});
