import type { Estimate } from './analysis/estimate';
import { PLANNED_SHARE, plannedPerSecond } from './analysis/planned-share';
import { findDoubts } from './analysis/doubts';
import { findSentence } from './analysis/sentence';
import type { FindProbe, FindRecord } from './record';
import type { FindHead, SearchEnding } from './analysis/searched';

/** From the search's estimate and its probes to the answer. Pure. */
export function concludeSearch(
  head: FindHead,
  estimate: Estimate,
  ending: SearchEnding,
): FindRecord {
  const { capacity, low, high, confirmedPerSecond, limit } = estimate;
  const verdict = verdictOf(head.probes, estimate, ending);
  return {
    ...head,
    capacity: {
      ratePerSecond: capacity,
      low,
      high: Number.isFinite(high) ? high : null,
      confirmed: confirmedPerSecond !== null,
    },
    advised: {
      share: PLANNED_SHARE,
      ratePerSecond: plannedPerSecond(verdict === 'found' ? capacity : low),
    },
    limit,
    verdict,
    sentence: findSentence(head, verdict, estimate),
    confirmedBy: confirmedPerSecond === null ? null : runAt(head.probes, confirmedPerSecond),
    doubts: findDoubts(head, estimate, ending),
  };
}

function verdictOf(
  probes: readonly FindProbe[],
  { capacity, conclusive, confirmedPerSecond }: Estimate,
  { stoppedBy, failure }: SearchEnding,
): FindRecord['verdict'] {
  if (probes.every(({ result }) => result === 'invalid')) return 'invalid';
  // Only a search that went to its end has looked for a rate that is sustained.
  if (!(capacity > 0))
    return stoppedBy !== null || failure !== null ? 'invalid' : 'nothing sustained';
  if (!conclusive) return 'inconclusive';
  return confirmedPerSecond === null ? 'not confirmed' : 'found';
}

function runAt(probes: readonly FindProbe[], ratePerSecond: number): string | null {
  const sustained = probes.filter(
    (probe) =>
      probe.kind === 'confirm' &&
      probe.result === 'sustained' &&
      probe.ratePerSecond === ratePerSecond,
  );
  return sustained.at(-1)?.run ?? null;
}
