// What it costs the command to merge the lines of up to 100 load generators, and how far its percentiles are then off.
// A simulation without network: lines as k6 prints them, streams that lag behind each other, one generator in ten far
// away. It is the command's own code that reads and counts them; see steps.ts.
//   node studies/generators/measure.mjs        about 3 minutes
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { recordsOf } from '../archive.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
/** Generators, requests per second, seconds, and by how much a stream lags at the most, in milliseconds. */
const CASES = [
  [1, 1_000, 60, 0],
  [10, 1_000, 60, 500],
  [100, 1_000, 60, 500],
  [100, 10_000, 60, 500],
  [100, 10_000, 60, 5_000],
  [100, 10_000, 180, 500],
];

// Inside the repository, so that what is bundled finds its packages.
const folder = mkdtempSync(path('./.steps-'));
try {
  const outfile = join(folder, 'steps.cjs');
  buildSync({ entryPoints: [path('./steps.ts')], bundle: true, platform: 'node', outfile });
  const rows = CASES.map((numbers) => {
    const { stdout, status } = spawnSync(process.execPath, [outfile, ...numbers.map(String)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (status !== 0) throw new Error(`the case ${numbers.join(' ')} ended with ${status}`);
    const row = JSON.parse(stdout);
    console.log(
      `${row.generators} generators, ${row.ratePerSecond}/s for ${row.seconds} s, lag ${row.lagMs} ms: ${row.cpuUsPerRequest.toFixed(1)} us per request, ${row.rssPeakMiB.toFixed(0)} MiB`,
    );
    return row;
  });
  const record = {
    ...{ at: new Date().toISOString(), cpu: cpus()[0]?.model, node: process.version },
    // CPU is that of the process alone, so that others on the machine matter little.
    loadAverage: loadavg()[0],
    rows,
  };
  recordsOf('generators').write('record', record);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
