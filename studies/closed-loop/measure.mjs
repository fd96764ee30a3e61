// The published experiment on every topology: 8 clients, one minute, a function of 5 s; keeps run.json, the
// report as Markdown and its plots in results/.
//   make build && node studies/closed-loop/measure.mjs        about 6 minutes
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

const topologies = {
  regular: [],
  queue: ['--mode', 'queue', '--workers', '2'],
  'legacy-main': ['--n8n', '0.221.2', '--process', 'main'],
  'legacy-own': ['--n8n', '0.221.2', '--process', 'own'],
};

for (const [name, topology] of Object.entries(topologies)) {
  const out = mkdtempSync(join(tmpdir(), 'closed-loop-'));
  try {
    console.log(`== ${name}`);
    const load = ['--workload', 'wait-5s', '--profile', 'closed', '--vus', '8', '--duration', '1m'];
    const { status } = spawnSync(
      process.execPath,
      [
        path('../../capacity/dist/cli.js'),
        ...['run', '--target', 'process', ...topology, ...load, '--out', out],
      ],
      { stdio: 'inherit' },
    );
    if (status !== 0) process.exitCode = 1;
    const [folder] = readdirSync(out);
    for (const kept of ['run.json', 'report.md', 'plots']) {
      cpSync(join(out, folder, kept), path(`results/${name}/${kept}`), { recursive: true });
    }
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}
