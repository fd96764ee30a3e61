import type { Estimate } from './analysis/estimate';
import { PLANNED_SHARE, plannedPerSecond } from './analysis/planned-share';
import { findDoubts } from './analysis/doubts';
import { usedAt, type FindProbe, type FindRecord } from './record';
import type { FindHead, SearchEnding } from './analysis/searched';
import { limitName } from '../../analysis/limits/table';
import { workloadName } from '../../plan/chosen-workload';
import { formatNumber, percent } from '../../ui/numbers';

/** From the search's estimate and its probes to the answer. Pure. */
export function concludeFind(head: FindHead, estimate: Estimate, ending: SearchEnding): FindRecord {
  const { capacity, low, high, confirmedPerSecond, limit } = estimate;
  const verdict = verdictOf(head.probes, estimate, ending);
  const confirmedBy = confirmedPerSecond === null ? null : runAt(head.probes, confirmedPerSecond);
  const run = confirmedBy ?? highestSustained(head.probes);
  const summary = run === null ? undefined : ending.summaries.get(run);
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
    confirmedBy,
    atCapacity: run === null || summary === undefined ? null : usedAt(run, summary),
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

function highestSustained(probes: readonly FindProbe[]): string | null {
  const held = probes
    .filter(({ result, ratePerSecond }) => result === 'sustained' && ratePerSecond !== undefined)
    .sort((a, b) => (a.ratePerSecond ?? 0) - (b.ratePerSecond ?? 0));
  return held.at(-1)?.run ?? null;
}

/** The answer in one sentence that a manager can read. */
function findSentence(
  { workload, slo, probes, target }: FindHead,
  verdict: FindRecord['verdict'],
  { capacity, low, high, confirmedPerSecond, limit }: Estimate,
): string {
  const what = workloadName(workload);
  const loaded = target.kind === 'server' ? 'The server' : 'n8n';
  const wanted = slo.map(({ text }) => text).join(', ');
  if (verdict === 'invalid') {
    const isEarly = probes.some(({ result }) => result !== 'invalid');
    return `Nothing can be said about ${what}: ${isEarly ? 'the search ended too early' : 'no probe was valid'}.`;
  }
  if (verdict === 'nothing sustained') {
    return `${loaded} did not sustain ${what} with ${wanted} at any rate that was tried.`;
  }
  const answer = `${formatNumber(capacity)} req/s of ${what} with ${wanted}`;
  const limited = limit === null ? '' : `, limited by the ${limitName(limit)}`;
  if (!Number.isFinite(high)) {
    return `${loaded} sustains at least ${formatNumber(low)} req/s of ${what} with ${wanted}${limited}; how much more was not seen.`;
  }
  const range = `between ${formatNumber(low)} and ${formatNumber(high)}`;
  if (verdict === 'inconclusive') {
    const width = percent((high - low) / capacity);
    return `${loaded} sustains about ${answer}, ${range}${limited}: an interval of ${width} is too wide for an answer.`;
  }
  return confirmedPerSecond === null
    ? `${loaded} seems to sustain ${answer} (${range})${limited}; ${unconfirmed(probes, capacity)}.`
    : `${loaded} sustains ${answer} (${range})${limited}; a run of full length sustained ${formatNumber(confirmedPerSecond)}.`;
}

/** What the run of full length nearest to the answer has shown instead. */
function unconfirmed(probes: readonly FindProbe[], capacity: number): string {
  const away = ({ ratePerSecond = 0 }: FindProbe): number => Math.abs(ratePerSecond - capacity);
  const [nearest] = probes
    .filter(({ kind, result }) => kind === 'confirm' && result !== 'invalid')
    .sort((a, b) => away(a) - away(b));
  if (nearest === undefined) return 'no run of full length was made to confirm it';
  const { ratePerSecond = 0, result, missed = null } = nearest;
  const seen = missed === null ? '' : ` (${missed})`;
  return `no run of full length has confirmed it: at ${formatNumber(ratePerSecond)} it was ${result}${seen}`;
}
