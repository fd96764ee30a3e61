#!/usr/bin/env node
// Lint, types and pure tests side by side, for `make check`: less than a minute, without a tool of the lab. ESLint, Prettier and
// TypeScript remember what they have seen in node_modules/.cache, Jest in its own cache: the first run takes longer.
// Of each property a tenth of the cases is drawn, others each time; the suites draw all.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const CACHE = 'node_modules/.cache/check';
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
      ...[bin('prettier/bin/prettier.cjs'), '--check', '--log-level', 'warn', '.'],
      ...['--cache', '--cache-strategy', 'content', '--cache-location', `${CACHE}/prettier`],
    ],
  },
  types('types', 'tsconfig.json'),
  types('types of the k6 scripts', 'loadtests/tsconfig.json'),
  types('types of the dashboards', 'monitoring/tsconfig.json'),
];

const run = ({ title, args, env = {} }) =>
  new Promise((resolve) => {
    const started = Date.now();
    const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, ...env } });
    const output = [];
    child.stdout.on('data', (chunk) => output.push(chunk));
    child.stderr.on('data', (chunk) => output.push(chunk));
    child.on('close', (code) => {
      const seconds = ((Date.now() - started) / 1000).toFixed(1);
      if (code !== 0) output.forEach((chunk) => process.stdout.write(chunk));
      console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${title} (${seconds} s)`);
      resolve(code === 0);
    });
  });

const results = await Promise.all(checks.map(run));
process.exitCode = results.every(Boolean) ? 0 : 1;
