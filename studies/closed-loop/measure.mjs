// The published experiment on every topology: 8 clients, one minute, a function of 5 s; keeps run.json, the
// report as Markdown and its plots.
//   make build && node studies/closed-loop/measure.mjs [topology...]        about 6 minutes
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesIn, recordsOf, RUN_FILES } from '../archive.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const root = path('../..');

const every = {
  regular: [],
  queue: ['--mode', 'queue', '--workers', '2'],
  'legacy-main': ['--n8n', '0.221.2', '--process', 'main'],
  'legacy-own': ['--n8n', '0.221.2', '--process', 'own'],
};

const asked = process.argv.slice(2);
const topologies = Object.fromEntries(
  Object.entries(every).filter(([name]) => asked.length === 0 || asked.includes(name)),
);

for (const [name, topology] of Object.entries(topologies)) {
  console.log(`== ${name}`);
  const out = `results/closed-loop/${name}`;
  rmSync(join(root, out), { recursive: true, force: true });
  const load = ['--workload', 'wait-5s', '--profile', 'closed', '--vus', '8', '--duration', '1m'];
  const { status } = spawnSync(
    process.execPath,
    ['cli/dist/cli.js', ...['run', '--target', 'process', ...topology, ...load, '--out', out]],
    { stdio: 'inherit', cwd: root },
  );
  if (status !== 0) process.exitCode = 1;
  const [folder] = readdirSync(join(root, out));
  recordsOf('closed-loop').replace(`${name}/`, filesIn(join(root, out, folder), RUN_FILES));
}
