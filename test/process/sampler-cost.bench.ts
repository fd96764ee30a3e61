// What sampling costs. For an idle machine; writes docs/records/sampler-cost.json and ends with 1 when
// all samplers together take more than 2% of one core.
//   npx tsx test/process/sampler-cost.bench.ts     (make lab first)
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const records = fileURLToPath(new URL('../../docs/records/', import.meta.url));
const MAX_OF_A_CORE = 0.02;

const loadAverageAtStart = loadavg()[0];
// Inside the repository, so that what is bundled finds its packages.
const folder = mkdtempSync(join(here, '.sampler-cost-'));
try {
  const outfile = join(folder, 'measure.cjs');
  buildSync({
    entryPoints: [join(here, 'sampler-cost.ts')],
    bundle: true,
    platform: 'node',
    external: ['pg-native'],
    outfile,
  });
  const said = execFileSync(process.execPath, [outfile], { encoding: 'utf8', timeout: 600_000 });
  const measured = JSON.parse(said) as { coreShare: number; rows: unknown };
  const record = { when: new Date().toISOString(), loadAverageAtStart, ...measured };
  mkdirSync(records, { recursive: true });
  writeFileSync(join(records, 'sampler-cost.json'), `${JSON.stringify(record, null, 2)}\n`);
  console.log(`all samplers together: ${(100 * record.coreShare).toFixed(2)}% of one core`);
  console.table(record.rows);
  process.exitCode = record.coreShare > MAX_OF_A_CORE ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
