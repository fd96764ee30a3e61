// Keeps of a finished sweep what the documents and `n8n-tuned predict` rest on, without the raw samples.
//   n8n-tuned sweep -f studies/workers.yaml && node studies/keep.mjs workers
import { cpSync, existsSync, rmSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

const [name] = process.argv.slice(2);
const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const from = path(`../results/${name}`);
if (name === undefined || !existsSync(from)) {
  console.error('say which sweep of results/ to keep, for example: node studies/keep.mjs workers');
  process.exit(2);
}

const KEPT = ['sweep.json', 'cell.json', 'run.json', 'cells.csv', 'report.md'];
const isPlotOfSweep = (file) => file.startsWith(`${from}/plots/`);
const isKept = (file) =>
  statSync(file).isDirectory()
    ? !/\/(logs|plots)$/.test(file) || file === `${from}/plots`
    : isPlotOfSweep(file) || (KEPT.includes(basename(file)) && !/-\w{4}\/report\.md$/.test(file));

const to = path(`${name}/results`);
rmSync(to, { recursive: true, force: true });
cpSync(from, to, { recursive: true, filter: isKept });
