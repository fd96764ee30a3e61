/** The ratio of two sides without what a request costs them: how much more work one does, whatever the speed of its machine. */
import { isOfCpu } from '../../../analysis/limits/table';
import { median } from '../../../analysis/statistics/statistics';
import type { CompareRecord, Side } from '../record';
import { alignedPairs, compare } from './compare';

type Priced = Pick<Side, 'values' | 'cpuMs' | 'limits'>;

interface Measured {
  metric: CompareRecord['metric'];
  /** The loop of the runs; that of a search does not matter. */
  loop: 'open' | 'closed';
  maxPairs: number;
}

/**
 * A rate times what a request costs is how much CPU n8n uses at it. Of the same n8n it is the same on a slow and on a fast
 * machine; of two setups it tells what is left of a ratio besides requests that cost less. Null for what is no rate, for a
 * rate that was given, and where the CPU of a side was not seen or did not limit it: cheaper requests raise no such rate.
 */
export function atEqualPrice(
  a: Priced,
  b: Priced,
  { metric, loop, maxPairs }: Measured,
): NonNullable<CompareRecord['equalPrice']> | null {
  const followsPrice = metric === 'capacity' || (metric === 'throughput' && loop === 'closed');
  if (!followsPrice) return null;
  const [workA, workB] = [a, b].map(workOf);
  const pairs = alignedPairs(workA ?? [], workB ?? []);
  if (pairs.length === 0) return null;
  const costOf = ({ cpuMs = [] }: Priced): number =>
    median(pairs.flatMap(({ round }) => cpuMs[round - 1] ?? []));
  const { ratio } = compare(pairs, { moreIsBetter: true, maxPairs });
  return { cpuMs: { a: costOf(a), b: costOf(b) }, ratio };
}

const workOf = ({ values, cpuMs = [], limits = [] }: Priced): (number | null)[] =>
  values.map((value, index) => {
    const cost = cpuMs[index] ?? null;
    const isCpu = isOfCpu(limits[index]?.limit ?? null);
    return value === null || cost === null || !isCpu ? null : value * cost;
  });
