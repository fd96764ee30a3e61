#!/usr/bin/env node
// Writes every file that follows from others; with --check it only says which are out of date.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const generators = [
  'lab/generate/workloads.mjs',
  'lab/generate/k6-scripts.mjs',
  'lab/generate/reference.mjs',
  'lab/generate/times.mjs',
  'lab/generate/results.mjs',
  'lab/generate/scale.mjs',
  'lab/generate/readme.mjs',
  'lab/generate/terminals.mjs',
  'charts/n8n-tuned/tools/generate.mjs',
  'monitoring/generate.mjs',
];

let failed = false;
for (const generator of generators) {
  const { status } = spawnSync(process.execPath, [generator, ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
  });
  failed ||= status !== 0;
}
process.exitCode = failed ? 1 : 0;
