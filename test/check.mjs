#!/usr/bin/env node
// Lint, types and pure tests side by side, for `make check`: within half a minute, without a tool of the lab.
// ESLint and TypeScript remember what they have seen in node_modules/.cache.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const CACHE = 'node_modules/.cache/check';
const bin = (path) => `node_modules/${path}`;
const checks = [
  {
    title: 'pure tests',
    args: [bin('jest/bin/jest.js'), '--selectProjects', 'pure', '--maxWorkers=2', '--silent'],
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
  {
    title: 'types',
    args: [
      ...[bin('typescript/bin/tsc'), '-p', 'tsconfig.json', '--noEmit'],
      ...['--incremental', '--tsBuildInfoFile', `${CACHE}/types.tsbuildinfo`],
    ],
  },
  {
    title: 'types of the k6 scripts',
    args: [bin('typescript/bin/tsc'), '-p', 'loadtests/tsconfig.json', '--noEmit'],
  },
  {
    title: 'types of the dashboards',
    args: [bin('typescript/bin/tsc'), '-p', 'monitoring/tsconfig.json', '--noEmit'],
  },
];

const run = ({ title, args }) =>
  new Promise((resolve) => {
    const started = Date.now();
    const child = spawn(process.execPath, args, { cwd: root });
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
