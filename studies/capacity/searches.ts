// What make capacity leaves is read here: which of its runs went well, what is kept of a whole one, and searches with another
// capacity.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isTooWide } from '../../cli/src/features/find/analysis/planned-share';
import type { FindRecord } from '../../cli/src/features/find/record';

/** The names that make capacity has for them; the first is what the values are for. */
export const WORKLOADS = ['last-node', 'items'];
/** How wide an interval may come out, as a share of the capacity to either side. */
const WIDEST = 0.6;
const VERDICTS = ['found', 'rough', 'not confirmed', 'inconclusive'] as const;
/** How many of the newest whole runs are compared with each other. */
const IN_A_ROW = 5;
/** The folder that make capacity writes to, unless it is told otherwise. */
const DEFAULT_FOLDER = 'results/capacity';

/** How Helm ended that rendered the chart with the values. */
export interface Rendering {
  helm: string;
  exit: number | null;
  said?: string;
}

/** What of a run of make capacity says whether it went well. */
export interface Ended {
  exit: number | null;
  charts: readonly Pick<Rendering, 'exit'>[];
  searches: readonly {
    workload: string;
    low: number;
    high: number | null;
    /** Milliseconds; left out in runs before a search had a price. */
    cpuMs?: number | null;
    verdict?: string;
  }[];
}

/** What the intervals of several runs share, in CPU seconds per second; empty where `low` is above `high`. */
export interface Shared {
  workload: string;
  runs: number;
  low: number;
  high: number;
  pairs: number;
  overlapping: number;
  /** Searches whose answer is INCONCLUSIVE: the wider an interval, the sooner it overlaps. */
  inconclusive: number;
}

/** Compares the newest whole runs at equal price, as the rates of two speeds of the machine do not compare. */
export function sharedOf(runs: readonly (Ended & { kind: string })[]): Shared[] {
  const searches = runs
    .filter(({ kind }) => kind === 'full')
    .flatMap((run) => run.searches)
    .flatMap(({ workload, low, high, cpuMs = null, verdict }) => {
      if (cpuMs === null) return [];
      const seconds = cpuMs / 1_000;
      return [{ workload, low: low * seconds, high: (high ?? Infinity) * seconds, verdict }];
    });
  return WORKLOADS.flatMap((workload) => {
    const work = searches.filter((one) => one.workload === workload).slice(-IN_A_ROW);
    if (work.length < 2) return [];
    const low = Math.max(...work.map((one) => one.low));
    const high = Math.min(...work.map((one) => one.high));
    const pairs = work.flatMap((one, at) =>
      work.slice(at + 1).map((other) => [one, other] as const),
    );
    const overlapping = pairs.filter(([a, b]) => a.low <= b.high && b.low <= a.high).length;
    const inconclusive = work.filter(({ verdict }) => verdict === 'inconclusive').length;
    const counts = { pairs: pairs.length, overlapping, inconclusive };
    return [{ workload, runs: work.length, low, high, ...counts }];
  });
}

/** Whether no values have to be written, because the capacity of the workload that they are for is not known well enough. */
const isTooWideOf = ({ searches }: Ended): boolean =>
  searches.some((search) => search.workload === WORKLOADS[0] && isTooWide(search));

/** Whether a run refused to write values for such a capacity, and said so with its exit code. */
export const isRefused = (run: Ended): boolean =>
  isTooWideOf(run) && run.exit === 3 && run.charts.length === 0;

/** Whether a run wrote values for such a capacity all the same. */
export const isUnrefused = (run: Ended): boolean => isTooWideOf(run) && run.exit === 0;

/** Whether each Helm rendered the chart with the values; also true if no values were expected. */
export const isWell = (run: Ended): boolean => {
  const { exit, charts } = run;
  if (isTooWideOf(run)) return isRefused(run);
  return exit === 0 && charts.length > 0 && charts.every((chart) => chart.exit === 0);
};

/** make itself ends with 2 whatever its recipe ended with, and says that in its last line. */
export const exitOfRecipe = ({ exit, said }: { exit: number; said: string }): number =>
  Number(/\bError (\d+)$/.exec(said)?.[1] ?? exit);

export const searchIn = (folder: string): FindRecord =>
  JSON.parse(readFileSync(join(folder, 'find.json'), 'utf8')) as FindRecord;

/** The folders of the searches in one of make capacity. */
export const searchFoldersIn = (run: string): string[] =>
  existsSync(run)
    ? readdirSync(run)
        .map((name) => join(run, name))
        .filter((folder) => existsSync(join(folder, 'find.json')))
    : [];

/** Mulberry32: the same seed draws the same capacities everywhere. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * A recorded search as if the machine had another speed: every rate times the same factor, every latency at the capacity
 * divided by it, around a random answer. What it has found itself does not matter, only that it has an answer.
 */
export function withCapacity(
  search: FindRecord,
  ratePerSecond: number,
  random: () => number,
): FindRecord {
  const factor = ratePerSecond / search.capacity.ratePerSecond;
  const verdict = VERDICTS[Math.floor(VERDICTS.length * random())] ?? 'found';
  const isSure = verdict === 'found' || verdict === 'rough';
  const low = ratePerSecond * (1 - WIDEST * random());
  const probes = search.probes.map((probe) => ({
    ...probe,
    ...(probe.ratePerSecond === undefined ? {} : { ratePerSecond: factor * probe.ratePerSecond }),
    achievedPerSecond: factor * probe.achievedPerSecond,
  }));
  const { atCapacity: at = null } = search;
  return {
    ...search,
    capacity: {
      ratePerSecond,
      low,
      high: ratePerSecond * (1 + WIDEST * random()),
      confirmed: isSure,
    },
    advised: { share: 0.8, ratePerSecond: 0.8 * low },
    verdict,
    confirmedBy: isSure ? (search.confirmedBy ?? at?.run ?? null) : null,
    ...(at === null ? {} : { atCapacity: atOtherSpeed(at, factor) }),
    probes,
  };
}

const atOtherSpeed = (at: NonNullable<FindRecord['atCapacity']>, factor: number) => ({
  ...at,
  ratePerSecond: factor * at.ratePerSecond,
  meanLatencyMs: at.meanLatencyMs / factor,
  cpuMillisecondsPerRequest:
    at.cpuMillisecondsPerRequest === null ? null : at.cpuMillisecondsPerRequest / factor,
});

const VALUES = 'values.yaml';

/**
 * What is kept of a whole run of make capacity, by the paths of the files: the search of each workload, without its runs,
 * since it says itself what each role used at the capacity; and the values. Null where it is not whole, which includes a
 * search without an answer.
 */
export function wholeOf(run: string): Map<string, string> | null {
  const searches = new Map(
    searchFoldersIn(run).map((folder) => [searchIn(folder).workload.name, folder]),
  );
  const isWhole = WORKLOADS.every((workload) => {
    const folder = searches.get(workload);
    return folder !== undefined && searchIn(folder).capacity.ratePerSecond > 0;
  });
  if (!isWhole || !existsSync(join(run, VALUES))) return null;
  const files = [
    ...WORKLOADS.map((workload) => ({
      path: `${workload}/find.json`,
      file: join(searches.get(workload) ?? '', 'find.json'),
    })),
    { path: VALUES, file: join(run, VALUES) },
  ];
  // The folder that it was written to says nothing of what was measured.
  return new Map(
    files.map(({ path, file }) => [
      path,
      readFileSync(file, 'utf8').replaceAll(dirname(run), DEFAULT_FOLDER),
    ]),
  );
}
