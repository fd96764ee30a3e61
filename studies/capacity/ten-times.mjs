// `make capacity` ten times in a row: does it end with 0 each time, with values that the chart accepts? Two whole runs,
// and eight from the recorded searches with random capacities, which need no n8n: what follows the search is the same.
//   make build && lab/install.sh helm3 helm4
//   node studies/capacity/ten-times.mjs recorded       eight, about a minute
//   node studies/capacity/ten-times.mjs full           one whole run, about 12 minutes, with the machine for itself; twice
// Each run is in the record when it has ended, whatever comes after it. SEED=n draws other capacities. Of the newest whole
// run the archive has the searches and the values: the documents quote them, and the eight start from them.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cache } from '../../lab/cache.mjs';
import { thisMachine } from '../head.mjs';
import {
  isWell,
  wholeOf,
  randomOf,
  searchFoldersIn,
  searchIn,
  withCapacity,
  WORKLOADS,
} from './searches.mjs';
import { recordsOf } from '../archive.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const root = path('../..');
const bin = join(cache, 'bin');
const records = recordsOf('capacity');

const RECORDED_RUNS = 8;
/** Requests a second: from a workload of minutes to an empty one on a large machine. */
const CAPACITY = { from: 0.02, to: 5_000 };

const [kind] = process.argv.slice(2);
if (kind !== 'recorded' && kind !== 'full') {
  console.error('say recorded (eight from recorded searches) or full (one whole make capacity)');
  process.exit(2);
}

const helms = ['helm3', 'helm4'].map((name) => join(bin, name));
const missing = helms.find((helm) => !existsSync(helm));
if (missing !== undefined) {
  console.error(`${missing} is missing: lab/install.sh helm3 helm4`);
  process.exit(2);
}

function run(program, args) {
  const { status, stderr, error } = spawnSync(program, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1e9,
    stdio: ['ignore', 'pipe', kind === 'full' ? 'inherit' : 'pipe'],
  });
  return { exit: status, said: error?.message ?? stderr ?? '' };
}

const write = (record) => records.write('ten-times', record);

/** Whether the chart renders with these values and nothing else, under each Helm. */
function accepted(values) {
  return helms.map((helm) => {
    const { exit, said } = run(helm, ['template', 'n8n', 'charts/n8n-tuned', '--values', values]);
    return { helm: helm.split('/').at(-1), exit, ...(exit === 0 ? {} : { said: said.trim() }) };
  });
}

function keep(record, entry) {
  record.runs.push(entry);
  record.well = record.runs.filter(isWell).length;
  write(record);
  const capacities = entry.searches
    .map(
      ({ workload, verdict, ratePerSecond }) =>
        `${workload} ${verdict} ${ratePerSecond.toPrecision(3)}/s`,
    )
    .join(', ');
  console.log(
    `${entry.kind}: ${capacities}: exit ${entry.exit}, ${isWell(entry) ? 'values accepted' : 'NOT WELL'}`,
  );
}

const told = ({ workload, verdict, capacity }) => ({
  workload: workload.name,
  verdict,
  ...capacity,
});

function recordedOnce(random, scratch, index) {
  const folder = join(scratch, String(index));
  const searches = WORKLOADS.map((workload) => {
    const ratePerSecond = CAPACITY.from * (CAPACITY.to / CAPACITY.from) ** random();
    const search = withCapacity(records.read(`${workload}/find`), ratePerSecond, random);
    mkdirSync(join(folder, workload), { recursive: true });
    writeFileSync(join(folder, workload, 'find.json'), JSON.stringify(search));
    return search;
  });
  const values = join(folder, 'values.yaml');
  // As the last line of make capacity.
  const { exit, said } = run(process.execPath, [
    ...['cli/dist/cli.js', 'recommend', '--from', folder],
    ...['--workload', WORKLOADS[0], '--write', values],
  ]);
  const entry = { kind: 'recorded', searches: searches.map(told), exit };
  if (exit !== 0) return { ...entry, said: said.trim(), charts: [] };
  return { ...entry, charts: accepted(values) };
}

function fullOnce(scratch) {
  const startedAt = new Date();
  const { exit } = run('make', ['capacity', `RESULTS=${scratch}`]);
  const latest = join(scratch, 'latest');
  const values = join(latest, 'values.yaml');
  return {
    ...{ kind: 'full', startedAt: startedAt.toISOString(), machine: thisMachine() },
    seconds: Math.round((Date.now() - startedAt.getTime()) / 1000),
    searches: searchFoldersIn(latest).map((folder) => told(searchIn(folder))),
    exit,
    charts: existsSync(values)
      ? accepted(values)
      : [{ helm: 'none', exit: null, said: 'no values' }],
  };
}

/** The searches and the values, where it ended with 0 and is whole. */
function keepResults({ exit }, scratch) {
  const whole = exit === 0 ? wholeOf(join(scratch, 'latest')) : null;
  if (whole !== null) {
    const record = JSON.stringify(records.read('ten-times'));
    records.replace('', whole.set('ten-times.json', record));
  }
  console.log(
    whole !== null
      ? 'its searches and values are kept in studies/capacity/results.jsonl.gz: npm run generate'
      : 'nothing else is kept of it: it is not whole, or a search has no answer',
  );
}

// As records name it, wherever the folder of temporary files leads.
const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'n8n-tuned-ten-times-')));
const record = records.read('ten-times') ?? {
  about: 'Written by studies/capacity/ten-times.mjs',
  runs: [],
  well: 0,
};
try {
  if (kind === 'full') {
    const entry = fullOnce(scratch);
    keep(record, entry);
    keepResults(entry, scratch);
  } else {
    const seed = Number(process.env.SEED ?? 1);
    record.seed = seed;
    // Eight new ones replace those before; whole runs stay.
    record.runs = record.runs.filter((one) => one.kind === 'full');
    const random = randomOf(seed);
    for (let i = 0; i < RECORDED_RUNS; i += 1) keep(record, recordedOnce(random, scratch, i));
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
process.exitCode = record.runs.every(isWell) ? 0 : 1;
