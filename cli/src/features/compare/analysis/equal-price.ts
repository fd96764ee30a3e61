/** The ratio of two sides without what a request costs them: how much more work one does, whatever the speed of its machine. */
import { median } from '../../../analysis/statistics/statistics';
import type { CompareRecord, Side } from '../record';
import { alignedPairs, compare } from './compare';
import { COMPARE_METRICS } from './metric';

type Priced = Pick<Side, 'values' | 'cpuMs'>;

/**
 * A rate times what a request costs is how much CPU n8n uses at it. Of the same n8n it is the same on a slow and on a fast
 * machine; of two setups it tells what is left of a ratio besides requests that cost less. Null for what is no rate, or
 * where the CPU of a side was not seen.
 */
export function atEqualPrice(
  a: Priced,
  b: Priced,
  { metric, maxPairs }: { metric: CompareRecord['metric']; maxPairs: number },
): NonNullable<CompareRecord['equalPrice']> | null {
  if (COMPARE_METRICS[metric].unit !== '/s') return null;
  const [workA, workB] = [a, b].map(workOf);
  const pairs = alignedPairs(workA ?? [], workB ?? []);
  if (pairs.length === 0) return null;
  const costOf = ({ cpuMs = [] }: Priced): number =>
    median(pairs.flatMap(({ round }) => cpuMs[round - 1] ?? []));
  const { ratio } = compare(pairs, { moreIsBetter: true, maxPairs });
  return { cpuMs: { a: costOf(a), b: costOf(b) }, ratio };
}

const workOf = ({ values, cpuMs = [] }: Priced): (number | null)[] =>
  values.map((value, index) => {
    const cost = cpuMs[index] ?? null;
    return value === null || cost === null ? null : value * cost;
  });
