#!/usr/bin/env node
// Lint, types and pure tests side by side, for `make check`: about half a minute, without a tool of the lab. ESLint and
// TypeScript remember what they have seen in node_modules/.cache, Jest in its own cache: the first run takes longer. Prettier
// sees what was written since it last found nothing. Of each property a tenth of the cases is drawn, others each time. The
// suites look at all files and draw all cases.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const CACHE = 'node_modules/.cache/check';
const startedMs = Date.now();
/** Written when Prettier found nothing; as old as what it looked at. */
const FORMATTED = join(root, CACHE, 'formatted');
const DECIDES_FORMAT = /(^|\/)(\.prettier|\.editorconfig|package-lock\.json)/;

/** Those to look at: all where it is not known what was written since. */
function maybeUnformatted() {
  if (!existsSync(FORMATTED)) return ['.'];
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const seenMs = statSync(FORMATTED).mtimeMs;
  const isNewer = (file) => {
    const at = statSync(join(root, file), { throwIfNoEntry: false });
    return at !== undefined && at.mtimeMs >= seenMs;
  };
  try {
    const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\0');
    const newer = files.filter((file) => file !== '' && isNewer(file));
    return newer.some((file) => DECIDES_FORMAT.test(file)) ? ['.'] : newer;
  } catch {
    return ['.']; // No work tree of Git.
  }
}

function isFormatted() {
  mkdirSync(join(root, CACHE), { recursive: true });
  writeFileSync(FORMATTED, '');
  utimesSync(FORMATTED, startedMs / 1000, startedMs / 1000);
}

const bin = (path) => `node_modules/${path}`;
const types = (title, project) => ({
  title,
  args: [
    ...[bin('typescript/bin/tsc'), '-p', project, '--noEmit', '--incremental'],
    ...['--tsBuildInfoFile', `${CACHE}/${project.replaceAll('/', '-')}.tsbuildinfo`],
  ],
});
const checks = [
  {
    title: 'pure tests',
    args: [bin('jest/bin/jest.js'), '--selectProjects', 'pure', '--maxWorkers=2', '--silent'],
    env: { PROPERTY_SHARE: '0.1' },
  },
  {
    title: 'lint',
    args: [
      ...[bin('eslint/bin/eslint.js'), '.', '--max-warnings', '0'],
      ...['--cache', '--cache-strategy', 'content', '--cache-location', `${CACHE}/eslint/`],
    ],
  },
  {
    title: 'format',
    args: [
      ...[bin('prettier/bin/prettier.cjs'), '--check', '--log-level', 'warn', '--ignore-unknown'],
      // One that is always there: without a file Prettier fails.
      ...['package.json', ...maybeUnformatted()],
    ],
    isOk: isFormatted,
  },
  types('types', 'tsconfig.json'),
  types('types of the k6 scripts', 'loadtests/tsconfig.json'),
  types('types of the dashboards', 'monitoring/tsconfig.json'),
];

const run = ({ title, args, env = {}, isOk = () => undefined }) =>
  new Promise((resolve) => {
    const started = Date.now();
    const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, ...env } });
    const output = [];
    child.stdout.on('data', (chunk) => output.push(chunk));
    child.stderr.on('data', (chunk) => output.push(chunk));
    child.on('close', (code) => {
      const seconds = ((Date.now() - started) / 1000).toFixed(1);
      if (code === 0) isOk();
      else output.forEach((chunk) => process.stdout.write(chunk));
      console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${title} (${seconds} s)`);
      resolve(code === 0);
    });
  });

const results = await Promise.all(checks.map(run));
process.exitCode = results.every(Boolean) ? 0 : 1;
