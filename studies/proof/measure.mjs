// Recommends values for a rate, proves them, then proves the same values with too little CPU: PROVEN and
// REFUTED. Keeps the values, the verdicts and the records of the proving runs in its archive.
//   make build && node studies/proof/measure.mjs        about 6 minutes
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseDocument } from 'yaml';
import { filesIn, recordsOf, RUN_FILES } from '../archive.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const STARVED_CPU = '200m';
const QUESTION = [
  ...['--workload', 'last-node', '--rate', '30', '--slo', 'p95<1s', '--slo', 'errors<1%'],
  ...['--prove', '--duration', '40s', '--json'],
];
const root = path('../..');
const out = 'results/proof';

function recommend(name, values, ...args) {
  const { stdout } = spawnSync(
    process.execPath,
    ['cli/dist/cli.js', 'recommend', ...QUESTION, '--out', out, ...args],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], cwd: root },
  );
  const { verdict, attempts } = JSON.parse(stdout);
  const { run, sentence } = attempts.at(-1);
  console.log(`${verdict}: ${sentence}`);
  const proof = { verdict, sentence, attempts: attempts.length };
  const files = filesIn(join(root, run), RUN_FILES)
    .set('proof.json', JSON.stringify(proof))
    .set('values.yaml', readFileSync(join(root, values), 'utf8'));
  recordsOf('proof').replace(`${name}/`, files);
}

rmSync(join(root, out), { recursive: true, force: true });
const recommended = join(out, 'values.yaml');
mkdirSync(join(root, out), { recursive: true });
recommend('recommended', recommended, '--search-budget', '2m', '--write', recommended);
const starved = join(out, 'starved.yaml');
const values = parseDocument(readFileSync(join(root, recommended), 'utf8'));
for (const kind of ['limits', 'requests']) {
  values.setIn(['main', 'resources', kind, 'cpu'], STARVED_CPU);
}
writeFileSync(join(root, starved), values.toString());
recommend('starved', starved, '--values', starved);
