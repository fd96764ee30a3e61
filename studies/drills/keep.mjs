// Keeps the records of drills, of which docs/results/drills.md is made; without the requests, which take megabytes.
//   n8n-tuned drill all --workers 2 --out results/drills && node studies/drills/keep.mjs results/drills
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folders = process.argv.slice(2);
if (folders.length === 0) {
  console.error('say which folders of results have the drills, for example: results/drills');
  process.exit(2);
}
const kept = join(import.meta.dirname, 'results');
mkdirSync(kept, { recursive: true });
for (const folder of folders) {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name, 'drill.json');
    if (!existsSync(file)) continue;
    const record = JSON.parse(readFileSync(file, 'utf8'));
    const { command } = record;
    const out = command.indexOf('--out');
    // A folder of one machine says nothing to another.
    const repeatable = out === -1 ? command : command.toSpliced(out, 2);
    writeFileSync(
      join(kept, `${record.id}.json`),
      `${JSON.stringify({ ...record, command: repeatable }, null, 2)}\n`,
    );
    console.log(`${record.id}: ${record.verdict.outcome}`);
  }
}
