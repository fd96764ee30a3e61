/** Reads the runs and searches beneath a comparison again, for its report. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { costOf, costOfRun, type Cost } from '../analysis/cost';
import { percentile } from '../analysis/statistics';
import type { CompareRecord, Side } from '../record/compare-record';
import { REQUESTS_FILE } from '../record/folder';
import { isComplete, readRun } from '../record/read';
import { FIND_FILE, readSearch } from '../record/read-find';
import { SLOWER_SHARES, type ComparedRuns, type SideSeen } from '../report/compare/seen';
import { seenAgain } from '../run/read';

export const comparedRuns = async (
  folder: string,
  { a, b }: Pick<CompareRecord, 'a' | 'b'>,
): Promise<ComparedRuns> => ({ a: await seenOf(folder, a), b: await seenOf(folder, b) });

/** Of what is there: records are kept without their requests, or without their runs. */
async function seenOf(folder: string, { runs, values }: Side): Promise<SideSeen> {
  const costs: (Cost | null)[] = [];
  const slower: (number | null)[][] = [];
  for (const [index, run] of runs.entries()) {
    const path = join(folder, run);
    // One that was not valid does not count.
    if (values[index] == null) continue;
    if (existsSync(join(path, FIND_FILE))) costs.push(costOf(readSearch(path)));
    if (!isComplete(path)) continue;
    const record = readRun(path);
    costs.push(costOfRun(record));
    if (existsSync(join(path, REQUESTS_FILE))) slower.push(await slowerIn(path, record));
  }
  return { costs: costs.filter((cost) => cost !== null), slower };
}

async function slowerIn(
  path: string,
  record: Parameters<typeof seenAgain>[1],
): Promise<(number | null)[]> {
  const latencies = (await seenAgain(path, record)).timeline.latenciesMs();
  return SLOWER_SHARES.map((share) =>
    share * latencies.length >= 1 ? percentile(latencies, 1 - share) : null,
  );
}
