// What each patch is worth: the default profile without it and with it, side by side, in turns. The names say what
// differs; `N8N_TUNED_WITHOUT` switches patches off. README.md lists the records.
//   make build && node studies/patches/measure.mjs [name...]        all of them: about 40 minutes
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { sidesOf } from './figures.mjs';
import { COMPARISON_FILES, filesIn, recordsOf } from '../archive.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const root = path('../..');

const EXPRESSIONS = 'lazy-character-map,warm-expressions,zone-once';
const SLOW_DATABASE = `--require=${path('slow-database.cjs')}`;

const regular = (env = {}) => ({ mode: 'regular', env });
const queue = (env = {}) => ({ mode: 'queue', workers: { count: 1 }, env });
const database = (milliseconds, env = {}) =>
  queue({ NODE_OPTIONS: SLOW_DATABASE, DATABASE_ROUND_TRIP_MS: String(milliseconds), ...env });
const without = (patches) => ({ N8N_TUNED_WITHOUT: patches });

/** name: [workload, clients, [name of A, topology], [name of B, topology]] */
const comparisons = {
  'expressions-regular': [
    ...['expressions', 8],
    ['regular-unpatched', regular(without(EXPRESSIONS))],
    ['regular-patched', regular()],
  ],
  'expressions-queue': [
    ...['expressions', 8],
    ['queue-unpatched', queue(without(EXPRESSIONS))],
    ['queue-patched', queue()],
  ],
  'lazy-map-alone': [
    ...['expressions', 8],
    ['regular-unpatched', regular(without(EXPRESSIONS))],
    ['regular-lazy-map', regular(without('warm-expressions,zone-once'))],
  ],
  'warm-on-top': [
    ...['expressions', 8],
    ['regular-without-warm-expressions', regular(without('warm-expressions'))],
    ['regular-patched', regular()],
  ],
  'zone-once-regular': [
    ...['expressions', 8],
    ['regular-unpatched', regular(without('zone-once'))],
    ['regular-zone-once', regular()],
  ],
  'zone-once-queue': [
    ...['expressions', 8],
    ['queue-unpatched', queue(without('zone-once'))],
    ['queue-zone-once', queue()],
  ],
  ...Object.fromEntries(
    [0, 0.5, 1, 3].map((milliseconds) => [
      `session-once-${milliseconds}ms`,
      [
        ...['last-node', 16],
        [
          `queue-database-at-${milliseconds}ms-unpatched`,
          database(milliseconds, without('session-once')),
        ],
        [`queue-database-at-${milliseconds}ms-session-once`, database(milliseconds)],
      ],
    ]),
  ),
  'untraced-sqlite-regular': [
    ...['last-node', 8],
    ['throughput-traced', { ...regular(without('untraced-sqlite')), tuning: 'throughput' }],
    ['throughput-untraced', { ...regular(), tuning: 'throughput' }],
  ],
  'read-once-regular': [
    ...['last-node', 16],
    ['regular-unpatched', regular(without('read-once'))],
    ['regular-read-once', regular()],
  ],
  'read-once-queue': [
    ...['last-node', 16],
    ['queue-unpatched', queue(without('read-once'))],
    ['queue-read-once', queue()],
  ],
  'read-once-1ms': [
    ...['last-node', 16],
    ['queue-database-at-1ms-unpatched', database(1, without('read-once'))],
    ['queue-database-at-1ms-read-once', database(1)],
  ],
};

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !(name in comparisons));
if (unknown !== undefined) {
  console.error(
    `there is no comparison '${unknown}': it is one of ${Object.keys(comparisons).join(', ')}`,
  );
  process.exit(2);
}

const plans = mkdtempSync(join(tmpdir(), 'n8n-tuned-patches-'));
for (const [name, [workload, clients, ...sides]] of Object.entries(comparisons)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  console.log(`== ${name}`);
  const files = sides.map(([side, topology]) => {
    const file = join(plans, `${side}.yaml`);
    writeFileSync(file, stringify(topology));
    return file;
  });
  const out = `results/patches/${name}`;
  rmSync(join(root, out), { recursive: true, force: true });
  const { status } = spawnSync(
    process.execPath,
    [
      ...['cli/dist/cli.js', 'compare', ...files, '--workload', workload],
      ...['--vus', String(clients), '--warmup', '2s', '--duration', '8s', '--pairs', '6'],
      ...['--out', out],
    ],
    { stdio: 'inherit', cwd: root },
  );
  if (status !== 0) process.exitCode = 1;
  const [folder] = readdirSync(join(root, out));
  if (folder === undefined) continue;
  const record = JSON.parse(readFileSync(join(root, out, folder, 'compare.json'), 'utf8'));
  const figures = sidesOf(record, join(root, out, folder));
  // Where this repository and the files of a moment lie says nothing of n8n.
  const kept = filesIn(join(root, out, folder), COMPARISON_FILES, [root, `${plans}/`]);
  recordsOf('patches').replace(`${name}/`, kept.set('sides.json', JSON.stringify(figures)));
}
rmSync(plans, { recursive: true });
