import type { Outcome } from '../analysis/search/types';
import type { Slo } from '../plan/slo';
import type { LatencySummary, RunRecord, Summary } from '../record/record';

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

/** The worst of measured over bound; SLOs without a scale, such as backlog=0, have no say. */
function pressure(slos: readonly Slo[], summary: Summary): number | null {
  const values = slos.map((slo) => pressureOf(slo, summary)).filter((value) => value !== null);
  return values.length > 0 ? Math.max(...values) : null;
}

function pressureOf({ metric, bound }: Slo, summary: Summary): number | null {
  if (!(bound > 0)) return null;
  if (metric === 'backlog') return null;
  if (metric === 'errors') return summary.errors.share / bound;
  if (metric === 'throughput') {
    return bound < 1 ? (1 - summary.achieved.shareOfOffered) / (1 - bound) : null;
  }
  const name: keyof LatencySummary = metric === 'p99.9' ? 'p999' : metric;
  const measured = summary.latencyMs?.[name];
  return measured === undefined ? null : measured / bound;
}
