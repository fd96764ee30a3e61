/** Reads the runs and searches beneath a comparison again, for its report. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { costOf, costOfRun, type Cost } from '../../analysis/cost';
import { percentile } from '../../analysis/statistics/statistics';
import type { CompareRecord, Side } from './record';
import { REQUESTS_FILE } from '../../record/folder';
import { isComplete, readRun } from '../../record/read-run';
import { FIND_FILE } from '../../record/find-records';
import { readFind } from '../find/read';
import { SLOWER_SHARES, type ComparedRuns, type SideSeen } from './report/seen';
import { seenAgain } from '../../run/read';

export const comparedRuns = async (
  folder: string,
  { a, b }: Pick<CompareRecord, 'a' | 'b'>,
): Promise<ComparedRuns> => ({ a: await seenOf(folder, a), b: await seenOf(folder, b) });

/** `folder` is empty where the runs name their own. */
export const comparedCosts = (
  folder: string,
  { a, b }: Pick<CompareRecord, 'a' | 'b'>,
): ComparedRuns => ({
  a: { costs: costsOf(folder, a), slower: [] },
  b: { costs: costsOf(folder, b), slower: [] },
});

/** Reads what exists; records may be kept without their requests or their runs. */
async function seenOf(folder: string, side: Side): Promise<SideSeen> {
  const slower: (number | null)[][] = [];
  for (const path of countedIn(folder, side)) {
    if (isComplete(path) && existsSync(join(path, REQUESTS_FILE))) {
      slower.push(await slowerIn(path, readRun(path)));
    }
  }
  return { costs: costsOf(folder, side), slower };
}

/** Some of its runs are no longer there, or their requests are not: what is drawn of requests has less to show. */
export const withoutRequests = (
  folder: string,
  { a, b }: Pick<CompareRecord, 'a' | 'b'>,
): boolean =>
  [a, b]
    .flatMap((side) => countedIn(folder, side))
    // The requests of a search lie with its probes, and are not drawn.
    .filter((path) => !existsSync(join(path, FIND_FILE)))
    .some((path) => !existsSync(join(path, REQUESTS_FILE)));

const costsOf = (folder: string, side: Side): Cost[] =>
  countedIn(folder, side)
    .map((path) => {
      if (existsSync(join(path, FIND_FILE))) return costOf(readFind(path));
      return isComplete(path) ? costOfRun(readRun(path)) : null;
    })
    .filter((cost) => cost !== null);

/** One that was not valid does not count. */
const countedIn = (folder: string, { runs, values }: Side): string[] =>
  runs.filter((_, index) => values[index] != null).map((run) => join(folder, run));

async function slowerIn(
  path: string,
  record: Parameters<typeof seenAgain>[1],
): Promise<(number | null)[]> {
  const latencies = (await seenAgain(path, record)).timeline.latenciesMs();
  return SLOWER_SHARES.map((share) =>
    share * latencies.length >= 1 ? percentile(latencies, 1 - share) : null,
  );
}
