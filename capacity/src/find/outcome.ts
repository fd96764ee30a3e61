import { pressure } from '../analysis/slo';
import type { Outcome } from '../analysis/search/types';
import type { RunRecord } from '../record/record';

/** What one probe's run tells the search. */
export function outcomeOf(record: RunRecord): Outcome {
  const { outcome, limitedBy } = record.verdict;
  return {
    result: outcome === 'aborted' ? 'invalid' : outcome,
    achievedPerSecond: record.summary.achieved.ratePerSecond,
    pressure: pressure(record.slo, record.summary),
    limit: limitedBy.name === 'nothing' ? null : limitedBy.name,
  };
}
