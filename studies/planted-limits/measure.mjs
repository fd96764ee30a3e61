// Plants one limit after the other in a real n8n and keeps what each run was put down to.
//   node studies/planted-limits/measure.mjs ['one runner slot' ...]      about 15 minutes (make lab first)
// With names of stages, only those are measured again and the others stay as they are in the record.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { compiled } from '../../lab/generate/compiled.mjs';
import { recordsOf } from '../archive.mjs';

const { limitName } = compiled("export { limitName } from './analysis/limits/table';");
const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const records = recordsOf('planted-limits');
const stages = process.argv.slice(2);

// Inside the repository, so that what is bundled finds its packages.
const folder = mkdtempSync(path('../../test/process/.planted-'));
try {
  const outfile = join(folder, 'main.cjs');
  buildSync({
    entryPoints: [path('../../test/process/planted-limits/main.ts')],
    bundle: true,
    platform: 'node',
    external: ['pg-native'],
    outfile,
  });
  const child = spawn(process.execPath, [outfile, ...stages], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const before = records.read('record')?.cases ?? [];
  const cases = stages.length === 0 ? [] : before.filter(({ stage }) => !stages.includes(stage));
  let rows = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const found = JSON.parse(line);
    if (found.rows !== undefined) {
      ({ rows } = found);
      continue;
    }
    const { limitedBy, ...rest } = found;
    const { ranked = [], ...limited } = limitedBy;
    cases.push({
      when: new Date().toISOString(),
      ...rest,
      limitedBy: limited,
      ranked: ranked.slice(0, 4),
    });
    console.log(
      `${found.isRight ? 'right' : 'WRONG'}: ${limitName(found.limit)}: ${limitName(limited.limit)}: ${limited.evidence}`,
    );
    const machine = {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      memoryMiB: Math.round(totalmem() / 1024 / 1024),
    };
    records.write('record', { machine, rows, cases });
  }
  process.exitCode = cases.every(({ isRight }) => isRight) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
