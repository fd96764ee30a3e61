// Keeps of a finished sweep or study what the documents and `n8n-tuned predict` rest on, without the raw samples.
//   n8n-tuned sweep -f studies/workers.yaml && node studies/keep.mjs workers
//   n8n-tuned study cluster-loop --quick && node studies/keep.mjs cluster-loop --quick
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { COMPARISON_FILES, filesIn, recordsOf } from './archive.mjs';

const [name, ...flags] = process.argv.slice(2);
const isQuick = flags.includes('--quick');
const root = join(import.meta.dirname, '..');
const folder = `${name}${isQuick ? '-quick' : ''}`;
const from = [`results/study-${folder}`, `results/${folder}`]
  .map((path) => join(root, path))
  .find(existsSync);
if (name === undefined || from === undefined) {
  console.error('say which folder of results/ to keep, for example: node studies/keep.mjs workers');
  process.exit(2);
}

const RECORDS = ['study.json', 'sweep.json', 'cell.json', 'run.json', 'reload.json', 's3.json'];
/** Of the samples only the memory of servers and n8n, by pid, how many processes there are, and the requests of each. */
const SAMPLES =
  /^-?\d+,(server|main|worker|webhook|runner),[^,]*,(rssMiB|processes|webhookRequests),/;
const HEAD = 'tMs,role,instance,metric,value';

const files = new Map();
for (const path of readdirSync(from, { recursive: true, encoding: 'utf8' })) {
  const [at, file] = [dirname(path), basename(path)];
  // Where this repository lies says nothing of what was measured.
  const keep = (names) => {
    for (const [each, text] of filesIn(join(from, at), names, [`${root}/`])) {
      files.set(join(at, each), text);
    }
  };
  if (RECORDS.includes(file) || basename(at) === 'parts') keep([file]);
  if (file === 'compare.json') keep(COMPARISON_FILES);
  if (file === 'samples.csv') {
    const lines = readFileSync(join(from, path), 'utf8').split('\n');
    const kept = lines.filter((line) => SAMPLES.test(line));
    if (kept.length > 0) files.set(join(at, 'memory.csv'), `${[HEAD, ...kept].join('\n')}\n`);
  }
}
// A quick record outlives the full one.
const records = recordsOf(name);
if (isQuick) records.replace('quick/', files);
else records.replace('', files, (id) => !id.startsWith('quick/'));
