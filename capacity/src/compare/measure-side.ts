/** One value of one side of a comparison: of a run, or of a search for the capacity. */
import { CapacitySearch } from '../analysis/search/search';
import type { Settings } from '../analysis/search/types';
import { find } from '../find/find';
import { writeFindReports } from '../find/reports';
import type { Arrivals } from '../plan/profile';
import { measure, type RunOrder } from '../run/run';
import type { Running } from '../targets/target';
import type { Progress } from '../ui/progress';
import { METRICS } from '../analysis/compare-metric';
import type { CompareMetric } from '../record/compare-record';

export interface SideOrder extends RunOrder {
  metric: CompareMetric;
  /** Of each search; what a search usually has where it is left out. */
  arrivals?: Arrivals;
  /** Of each search, where the metric is the capacity. */
  search: Partial<Settings>;
}

export interface Measured {
  folder: string;
  /** Null where it was not valid, for the reason in the sentence. */
  value: number | null;
  sentence: string;
  problems: string[];
}

export async function measureSide(
  running: Running,
  order: SideOrder,
  progress: Progress,
  signal: AbortSignal,
): Promise<Measured> {
  const { of } = METRICS[order.metric];
  if (of === undefined) return search(running, order, progress, signal);
  const { data, folder, problems } = await measure(running, order, progress, signal);
  const { outcome, sentence } = data.record.verdict;
  const counts = outcome !== 'invalid' && outcome !== 'aborted';
  return { folder, value: counts ? of(data.record) : null, sentence, problems };
}

async function search(
  running: Running,
  order: SideOrder,
  progress: Progress,
  signal: AbortSignal,
): Promise<Measured> {
  const budgetSeconds = order.search.budgetSeconds ?? null;
  const { folder, record, problems } = await find(
    running,
    { ...order, search: new CapacitySearch(order.search), budgetSeconds },
    progress,
    signal,
  );
  problems.push(...writeFindReports(folder, record));
  const { verdict, sentence, capacity } = record;
  const counts = verdict === 'found' || verdict === 'not confirmed';
  return { folder, value: counts ? capacity.ratePerSecond : null, sentence, problems };
}
