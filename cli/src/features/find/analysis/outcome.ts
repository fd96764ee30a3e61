import { lostGenerators } from '../../../analysis/generator';
import { busiestCost } from './machine-speed';
import { pressure } from '../../../analysis/slo/slo';
import { stallCostSeconds } from '../../../run/analysis/stalls';
import type { ProbeOutcome } from './types';
import type { RunRecord, Verdict } from '../../../record/run-record';

/** What one probe's run tells the search. */
export function outcomeOf(record: RunRecord): ProbeOutcome {
  const { achieved } = record.summary;
  // What was left of the load is not the rate that was asked for.
  const isWhole = lostGenerators(record.summary.generator).length === 0;
  return {
    result: isWhole ? resultOf(record.verdict) : 'invalid',
    decided: record.verdict.outcome !== 'inconclusive',
    achievedPerSecond: Math.min(
      achieved.ratePerSecond,
      record.summary.completions?.ratePerSecond ?? Infinity,
    ),
    pressure: pressure(record.slo, record.summary),
    cpuMs: busiestCost(record.summary),
    stallCostsSeconds: (record.summary.stallsMs ?? []).map((ms) =>
      stallCostSeconds(ms, record.slo),
    ),
    limit: record.verdict.limitedBy.limit,
  };
}

/** A search weighs what it saw: a run too short for a verdict still leans to one side. */
function resultOf({ outcome, undecided }: Verdict): ProbeOutcome['result'] {
  if (outcome === 'sustained' || outcome === 'not sustained') return outcome;
  if (outcome !== 'inconclusive') return 'invalid';
  return undecided.every(({ seemsMet }) => seemsMet) ? 'sustained' : 'not sustained';
}
