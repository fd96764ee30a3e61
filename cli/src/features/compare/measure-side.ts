/** One value of one side of a comparison: of a run, or of a search for the capacity. */
import { CapacitySearch } from '../find/analysis/search';
import type { SearchSettings } from '../find/analysis/types';
import { wholePriceOf } from '../find/analysis/price';
import { find } from '../find/find';
import { limitOfRun, limitOfFind } from '../../analysis/limits/limit-seen';
import { resultOf, sentenceOf } from '../find/analysis/outcome';
import { capacityOf, type BeforeSearch } from '../find/record';
import type { Arrivals } from '../../../../loadtests/lib/profile';
import type { RunOrder } from '../../run/order';
import { measure } from '../../run/run';
import type { Running } from '../../targets/target';
import type { Progress } from '../../ui/progress';
import { COMPARE_METRICS, valueOfRun } from './analysis/metric';
import type { CompareMetric } from './record';
import type { Doubt, LimitSeen, RunRecord } from '../../record/run-record';
import { reportFiles } from '../../report/files';
import { findDocument } from '../find/report/document';
import { writeBeside } from '../../record/write-beside';

export interface SideOrder extends RunOrder {
  metric: CompareMetric;
  /** Arrivals of each search; by default those of any search. */
  arrivals?: Arrivals;
  /** Settings of each search, if the metric is the capacity. */
  search: Partial<SearchSettings>;
  /** What was seen of this machine before; left out where nothing is measured on it. */
  before?: BeforeSearch;
}

export interface Measured {
  folder: string;
  /** Null where it was not valid, for the reason in the sentence. */
  value: number | null;
  sentence: string;
  /** Outcome of the run or of the search. */
  outcome: string;
  /** Share of requests that got the expected response; null of a search. */
  goodShare: number | null;
  /** CPU per request in milliseconds; null where it was not seen. */
  cpuMs: number | null;
  /** Null where it failed before anything was measured. */
  limit: LimitSeen | null;
  /** What n8n told of itself; null where nothing was measured. */
  told: Pick<RunRecord, 'versions' | 'patches'> | null;
  /** Those of a run; none of a search. */
  doubts: Doubt[];
  problems: string[];
}

export async function measureSide(
  running: Running,
  order: SideOrder,
  progress: Progress,
  signal: AbortSignal,
): Promise<Measured> {
  if (COMPARE_METRICS[order.metric].of === undefined)
    return search(running, order, progress, signal);
  const { data, folder, problems } = await measure(running, order, progress, signal);
  const { verdict, summary } = data.record;
  const { doubts } = verdict;
  const goodShare = 1 - summary.errors.share;
  const value = valueOfRun(data.record, order.metric);
  const limit = limitOfRun(verdict);
  const cpuMs = summary.cpuMillisecondsPerRequest;
  return {
    ...{ folder, value, goodShare, cpuMs, limit, problems, doubts },
    ...{ outcome: resultOf(data.record), sentence: sentenceOf(data.record) },
    told: data.record,
  };
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
  problems.push(...writeBeside(folder, reportFiles(findDocument(record))));
  const { verdict, sentence } = record;
  return {
    ...{ folder, sentence, problems, limit: limitOfFind(record), doubts: [] },
    ...{ value: capacityOf(record), outcome: verdict, goodShare: null },
    cpuMs: wholePriceOf(record),
    told: record,
  };
}
