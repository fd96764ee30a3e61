// Compares n8n as it comes with n8n tuned, and one topology with itself.
//   make build && node studies/comparisons/measure.mjs [name...]        all of them: about 45 minutes
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMPARISON_FILES, filesIn, recordsOf } from '../archive.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const root = path('../..');

/** Clients and times of the closed loop: work that takes 5 s needs more of both. */
const QUICK = ['--vus', '8', '--warmup', '2s', '--duration', '8s', '--pairs', '8'];
/** For a difference that may be small. */
const FINE = ['--vus', '8', '--warmup', '2s', '--duration', '15s', '--pairs', '12'];
const waiting = (clients) => [
  ...['--vus', String(clients), '--warmup', '6s', '--duration', '15s', '--pairs', '4'],
];

const comparisons = [
  ['same-regular', 'last-node', 'regular-default', 'regular-default', QUICK],
  ['last-node-regular', 'last-node', 'regular-none', 'regular-default', QUICK],
  ['last-node-queue', 'last-node', 'queue-none', 'queue-default', QUICK],
  ['expressions-regular', 'expressions', 'regular-none', 'regular-default', QUICK],
  ['expressions-queue', 'expressions', 'queue-none', 'queue-default', QUICK],
  ['items-regular', 'items', 'regular-none', 'regular-default', QUICK],
  ['items-queue', 'items', 'queue-none', 'queue-default', QUICK],
  ['wait-regular', 'wait-5s', 'regular-none', 'regular-default', waiting(100)],
  ['wait-queue', 'wait-5s', 'queue-none', 'queue-default', waiting(40)],
  ['wait-queue-io-bound', 'wait-5s', 'queue-none', 'queue-io-bound', waiting(40)],
  ['last-node-throughput', 'last-node', 'regular-none', 'regular-throughput', QUICK],
  ['queue-throughput', 'last-node', 'queue-default', 'queue-throughput', FINE],
  ['layout-webhook-queue', 'last-node', 'queue-one-worker', 'queue-webhook-processor', QUICK],
];

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !comparisons.some(([known]) => known === name));
if (unknown !== undefined) {
  console.error(
    `there is no comparison '${unknown}': it is one of ${comparisons.map(([name]) => name).join(', ')}`,
  );
  process.exit(2);
}

for (const [name, workload, a, b, load] of comparisons) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  console.log(`== ${name}`);
  const out = `results/comparisons/${name}`;
  rmSync(join(root, out), { recursive: true, force: true });
  const { status } = spawnSync(
    process.execPath,
    [
      'cli/dist/cli.js',
      ...['compare', `studies/comparisons/${a}.yaml`, `studies/comparisons/${b}.yaml`],
      ...['--workload', workload, ...load, '--out', out],
    ],
    { stdio: 'inherit', cwd: root },
  );
  if (status !== 0) process.exitCode = 1;
  const [folder] = readdirSync(join(root, out));
  const files = filesIn(join(root, out, folder), COMPARISON_FILES);
  recordsOf('comparisons').replace(`${name}/`, files);
}
