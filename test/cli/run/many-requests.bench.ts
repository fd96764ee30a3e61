// Memory and time of a run of 100 thousand, 1 million and 10 million requests, and of its report made again.
// For an idle machine, without a tool of the lab; writes docs/records/many-requests.json and ends with 1 when ten
// times as many requests take half as much memory again, or when a figure is further off than it may be.
//   npx tsx test/cli/run/many-requests.bench.ts [most requests]      about 5 minutes, 350 MB of disk
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const COUNTS = [100_000, 1_000_000, 10_000_000];
const HIGHEST = Math.max(...COUNTS);
/** Beyond a million requests, where no more of them is kept. */
const MAX_GROWTH = 1.5;
const MAX_ERROR = 0.002;

const max = Number(process.argv[2] ?? HIGHEST);
const loadAverageAtStart = loadavg()[0];
// Inside the repository, so that what is bundled finds its packages.
const folder = mkdtempSync(path('./.many-requests-'));
const out = mkdtempSync(join(tmpdir(), 'many-requests-'));

interface Step {
  seconds: number;
  rssPeakMiB: number;
}
interface Recorded extends Step {
  folder: string;
  p95: { measured: number; exact: number };
}

function step<Told extends Step>(name: string, ...args: string[]): Told {
  const { stdout, status } = spawnSync(
    process.execPath,
    [join(folder, 'steps.cjs'), name, ...args],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: 900_000,
    },
  );
  if (status !== 0) throw new Error(`${name} ended with ${String(status)}`);
  return JSON.parse(stdout) as Told;
}

try {
  buildSync({
    entryPoints: [path('./many-requests/steps.ts')],
    bundle: true,
    platform: 'node',
    external: ['pg-native'],
    outfile: join(folder, 'steps.cjs'),
  });
  const rows: { requests: number; recorded: Omit<Recorded, 'folder'>; reported: Step }[] = [];
  for (const requests of COUNTS.filter((count) => count <= max)) {
    const { folder: run, ...recorded } = step<Recorded>(
      'record',
      out,
      path('./many-requests/k6.mjs'),
      String(requests),
    );
    const reported = step('report', run);
    rmSync(run, { recursive: true, force: true });
    rows.push({ requests, recorded, reported });
    const { seconds, rssPeakMiB, p95 } = recorded;
    console.log(
      `${String(requests)} requests: ${seconds.toFixed(1)} s, at most ${rssPeakMiB.toFixed(0)} MiB, p95 ${String(p95.measured)} ms of ${String(p95.exact)} ms; its report again: ${reported.seconds.toFixed(1)} s, ${reported.rssPeakMiB.toFixed(0)} MiB`,
    );
  }
  const node = process.version;
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node };
  const record = { when: new Date().toISOString(), loadAverageAtStart, machine, rows };
  if (max >= HIGHEST) {
    const file = path('../../../docs/records/many-requests.json');
    writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`);
  }
  const [before, last] = rows.slice(-2);
  const grown =
    before === undefined || last === undefined
      ? 1
      : last.recorded.rssPeakMiB / before.recorded.rssPeakMiB;
  const off = rows.map(({ recorded: { p95 } }) => Math.abs(p95.measured / p95.exact - 1));
  process.exitCode = grown > MAX_GROWTH || Math.max(...off) > MAX_ERROR ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
  rmSync(out, { recursive: true, force: true });
}
