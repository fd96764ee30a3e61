// Keeps of a finished sweep or study what the documents and `n8n-tuned predict` rest on, without the raw samples.
//   n8n-tuned sweep -f studies/workers.yaml && node studies/keep.mjs workers
//   n8n-tuned study cluster-loop --quick && node studies/keep.mjs cluster-loop --quick
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [name, ...flags] = process.argv.slice(2);
const isQuick = flags.includes('--quick');
const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const folder = `${name}${isQuick ? '-quick' : ''}`;
const from = [`../results/study-${folder}`, `../results/${folder}`].map(path).find(existsSync);
if (name === undefined || from === undefined) {
  console.error('say which folder of results/ to keep, for example: node studies/keep.mjs workers');
  process.exit(2);
}

const KEPT = [
  ...['study.json', 'sweep.json', 'cell.json', 'run.json', 'compare.json'],
  ...['cells.csv', 'report.md', 'reload.json', 's3.json'],
];
/** The folder of a sweep or a comparison, not that of each of its runs. */
const isWhole = (folder) =>
  ['sweep.json', 'compare.json'].some((name) => existsSync(join(folder, name)));
const isKept = (file) => {
  if (statSync(file).isDirectory())
    return !/\/(logs|plots)$/.test(file) || (file.endsWith('/plots') && isWhole(dirname(file)));
  if (/\/(plots|parts)$/.test(dirname(file))) return true;
  return (
    KEPT.includes(basename(file)) && (basename(file) !== 'report.md' || isWhole(dirname(file)))
  );
};

const to = path(`${name}/results${isQuick ? '/quick' : ''}`);
// A quick record lies within the folder of the full one, and outlives it.
const others = isQuick || !existsSync(to) ? [] : readdirSync(to).filter((one) => one !== 'quick');
if (isQuick) rmSync(to, { recursive: true, force: true });
for (const other of others) rmSync(join(to, other), { recursive: true, force: true });
cpSync(from, to, { recursive: true, filter: isKept });

// Where this repository lies says nothing of what was measured.
const root = path('..');
for (const file of readdirSync(to, { recursive: true, encoding: 'utf8' })) {
  const whole = join(to, file);
  if (!/\.(json|md|csv)$/.test(file)) continue;
  const text = readFileSync(whole, 'utf8');
  if (text.includes(root)) writeFileSync(whole, text.replaceAll(root, ''));
}

// Of the samples only the memory of servers and of n8n's processes, by pid, how many processes there are, and how many
// requests each has had.
const KEPT_SAMPLES =
  /^-?\d+,(server|main|worker|webhook|runner),[^,]*,(rssMiB|processes|webhookRequests),/;
const HEAD = 'tMs,role,instance,metric,value';
for (const file of readdirSync(from, { recursive: true, encoding: 'utf8' })) {
  if (basename(file) !== 'samples.csv') continue;
  const lines = readFileSync(join(from, file), 'utf8').split('\n');
  const memory = lines.filter((line) => KEPT_SAMPLES.test(line));
  if (memory.length > 0) {
    writeFileSync(join(to, dirname(file), 'memory.csv'), `${[HEAD, ...memory].join('\n')}\n`);
  }
}
