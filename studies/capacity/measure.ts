// `make capacity` ten times in a row: does it end with 0 each time, with values that the chart accepts, or does its last command
// end with 3, and so make with 2, where the interval is too wide for values? Two whole runs, and eight from the recorded searches with random capacities, which need no n8n: what follows the search is the same.
//
// One record has the runs of all parts. Of the newest whole run there are also the searches, which the documents quote and
// the eight start from.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { priceOf } from '../../cli/src/features/find/analysis/price';
import type { FindRecord } from '../../cli/src/features/find/record';
import {
  NotMeasured,
  type Measuring,
  type Part,
  type Study,
} from '../../cli/src/features/study/study';
import { labPaths } from '../../cli/src/lab/paths';
import { thisMachine } from '../../cli/src/targets/machine';
import {
  exitOfRecipe,
  isWell,
  randomOf,
  searchFoldersIn,
  searchIn,
  wholeOf,
  withCapacity,
  WORKLOADS,
  type Rendering,
} from './searches';

const ROOT = join(import.meta.dirname, '../..');
const ID = 'ten-times';
const RECORDED_RUNS = 8;
const SEED = 1;
/** Requests a second: from a workload of minutes to an empty one on a large machine. */
const CAPACITY = { from: 0.02, to: 5_000 };

interface Run {
  kind: 'full' | 'recorded';
  exit: number | null;
  charts: Rendering[];
  searches: ReturnType<typeof told>[];
  [key: string]: unknown;
}
interface TenTimes {
  runs: Run[];
  well: number;
  seed?: number | undefined;
  /** The values that the newest whole run wrote. */
  values?: string | undefined;
}

const parts: Part[] = [
  { name: 'recorded', seconds: 60 },
  { name: 'full', seconds: 750 },
];

async function run(
  program: string,
  args: string[],
  signal: AbortSignal,
): Promise<{ exit: number; said: string }> {
  try {
    await promisify(execFile)(program, args, { cwd: ROOT, maxBuffer: 1e9, signal });
    return { exit: 0, said: '' };
  } catch (error) {
    const { code, stderr } = error as { code: unknown; stderr?: string };
    if (typeof code !== 'number') throw error;
    return { exit: code, said: (stderr ?? '').trim() };
  }
}

/** Whether the chart renders with these values and nothing else, under each Helm. */
async function accepted(values: string, signal: AbortSignal): Promise<Rendering[]> {
  const { helm3, helm4 } = labPaths();
  const renderings: Rendering[] = [];
  for (const helm of [helm3, helm4]) {
    const words = ['template', 'n8n', 'charts/n8n-tuned', '--values', values];
    const { exit, said } = await run(helm, words, signal);
    renderings.push({ helm: basename(helm), exit, ...(exit === 0 ? {} : { said }) });
  }
  return renderings;
}

const told = (search: FindRecord) => ({
  workload: search.workload.name,
  verdict: search.verdict,
  ...search.capacity,
  /** Milliseconds per request, so that runs compare at equal price. */
  cpuMs: priceOf(search)?.cpuMs ?? null,
});

async function recordedOnce(
  folder: string,
  random: () => number,
  { records, show, signal }: Measuring,
): Promise<Run> {
  const searches = WORKLOADS.map((workload) => {
    const ratePerSecond = CAPACITY.from * (CAPACITY.to / CAPACITY.from) ** random();
    const recorded = records.read(`${workload}/find`) as FindRecord;
    const search = withCapacity(recorded, ratePerSecond, random);
    mkdirSync(join(folder, workload), { recursive: true });
    writeFileSync(join(folder, workload, 'find.json'), JSON.stringify(search));
    return search;
  });
  const values = join(folder, 'values.yaml');
  // The last line of make capacity does the same.
  const exit = await show([
    ...['recommend', '--from', folder, '--workload', WORKLOADS[0] ?? '', '--write', values],
  ]);
  const charts = exit === 0 ? await accepted(values, signal) : [];
  return { kind: 'recorded', searches: searches.map(told), exit, charts };
}

async function fullOnce({ scratch, isShort, signal }: Measuring) {
  const startedAt = new Date();
  // Records name it like this, wherever the folder of temporary files leads.
  const results = realpathSync(scratch);
  const short = isShort ? ['BUDGET=30s'] : [];
  const ended = await run('make', ['capacity', `RESULTS=${results}`, ...short], signal);
  const exit = exitOfRecipe(ended);
  const latest = join(results, 'latest');
  const values = join(latest, 'values.yaml');
  const charts = existsSync(values) ? await accepted(values, signal) : [];
  const made: Run = {
    ...{ kind: 'full', startedAt: startedAt.toISOString(), machine: thisMachine() },
    seconds: Math.round((Date.now() - startedAt.getTime()) / 1000),
    searches: searchFoldersIn(latest).map((folder) => told(searchIn(folder))),
    ...{ exit, charts, ...(exit === 0 ? {} : { said: ended.said.split('\n').slice(-3) }) },
  };
  return { made, whole: exit === 0 ? wholeOf(latest) : null };
}

async function measured({ name }: Part, measuring: Measuring) {
  const { records, scratch, isShort, signal, tell } = measuring;
  const before = (records.read(ID) as TenTimes | undefined) ?? { runs: [], well: 0 };
  // When and on which machine is said of the newest part alone.
  const record: TenTimes = { runs: before.runs, well: 0, seed: before.seed, values: before.values };
  if (name === 'full') {
    const { made, whole } = await fullOnce(measuring);
    record.runs = [...before.runs, made];
    for (const workload of whole === null ? [] : WORKLOADS) {
      records.write(`${workload}/find`, JSON.parse(whole?.get(`${workload}/find.json`) ?? ''));
    }
    if (whole === null) tell('no search is kept of it: it is not whole, or one has no answer');
    else record.values = whole.get('values.yaml') ?? '';
  } else {
    const random = randomOf(SEED);
    // Eight new ones replace those before; whole runs stay.
    record.runs = before.runs.filter(({ kind }) => kind === 'full');
    for (let i = 0; i < (isShort ? 1 : RECORDED_RUNS); i += 1) {
      if (signal.aborted) throw new NotMeasured('it was interrupted');
      record.runs.push(await recordedOnce(join(scratch, String(i)), random, measuring));
    }
    record.seed = SEED;
  }
  record.well = record.runs.filter(isWell).length;
  const [well, all] = [record.well, record.runs.length];
  return {
    id: ID,
    record: { command: 'n8n-tuned study capacity', ...record },
    sentence: `${String(well)} of ${String(all)} runs ended well: the chart accepted their values, or the interval was too wide for any`,
  };
}

export default {
  parts,
  whyNot: ({ name }, records) =>
    name === 'recorded' && records.read(`${WORKLOADS[0] ?? ''}/find`) === undefined
      ? 'it starts from the searches of a whole run, of which there is none'
      : null,
  isDone: ({ name }, records) =>
    ((records.read(ID) as TenTimes | undefined)?.runs ?? []).some(({ kind }) => kind === name),
  measured,
} satisfies Study;
