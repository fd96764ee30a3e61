import type { Estimate } from '../analysis/search/estimate';
import { PLANNED_SHARE, plannedPerSecond } from '../analysis/planned-share';
import { figures } from '../analysis/figures';
import type { FindProbe, FindRecord } from '../record/find-record';

/** V8 keeps some of what it once had; this much more at rest is worth a word. */
const GROWN = 1.5;

export type FindHead = Omit<
  FindRecord,
  'capacity' | 'advised' | 'limit' | 'verdict' | 'sentence' | 'confirmedBy' | 'doubts'
>;

export interface SearchEnding {
  interrupted: boolean;
  /** Why no further probe could be made; null where none failed to be made. */
  failure: string | null;
  /** Probes before which the system did not come to rest. */
  restless: string[];
  /** Before each probe. */
  memoryAtRestMiB: number[];
}

/** From the search's estimate and its probes to the answer. Pure. */
export function concludeSearch(
  head: FindHead,
  estimate: Estimate,
  ending: SearchEnding,
): FindRecord {
  const { capacity, low, high, confirmed } = estimate;
  const limit = estimate.limit ?? limitAbove(head.probes, capacity) ?? 'unknown';
  const verdict = verdictOf(head.probes, estimate);
  const advised = { share: PLANNED_SHARE, ratePerSecond: plannedPerSecond(capacity) };
  return {
    ...head,
    capacity: {
      ratePerSecond: capacity,
      low,
      high: Number.isFinite(high) ? high : null,
      confirmed,
    },
    advised,
    limit,
    verdict,
    sentence: sentenceOf(head, verdict, estimate, limit),
    confirmedBy: confirmed ? confirmingRun(head.probes, capacity) : null,
    doubts: doubtsOf(head, ending, estimate),
  };
}

function verdictOf(
  probes: readonly FindProbe[],
  { capacity, confirmed }: Estimate,
): FindRecord['verdict'] {
  if (probes.length > 0 && probes.every(({ result }) => result === 'invalid')) return 'invalid';
  if (!(capacity > 0)) return probes.length === 0 ? 'invalid' : 'nothing sustained';
  return confirmed ? 'found' : 'not confirmed';
}

/** What limited the lowest level that failed above the capacity. */
function limitAbove(probes: readonly FindProbe[], capacity: number): string | null {
  const failed = probes
    .filter((probe) => probe.result === 'not sustained' && (probe.ratePerSecond ?? 0) > capacity)
    .sort((a, b) => (a.ratePerSecond ?? 0) - (b.ratePerSecond ?? 0));
  const named = failed.find(({ limitedBy }) => limitedBy !== 'nothing' && limitedBy !== 'unknown');
  return named?.limitedBy ?? null;
}

function confirmingRun(probes: readonly FindProbe[], capacity: number): string | null {
  const held = probes.filter(
    (probe) =>
      probe.kind === 'confirm' && probe.result === 'sustained' && probe.ratePerSecond === capacity,
  );
  return held.at(-1)?.run ?? null;
}

function sentenceOf(
  { workload, slo }: FindHead,
  verdict: FindRecord['verdict'],
  { capacity, low, high }: Estimate,
  limit: string,
): string {
  const wanted = slo.map(({ text }) => text).join(', ');
  if (verdict === 'invalid') {
    return `Nothing can be said about ${workload.title}: no probe was valid.`;
  }
  if (verdict === 'nothing sustained')
    return `${workload.title} sustained no rate that was tried with ${wanted}.`;
  const range = Number.isFinite(high)
    ? `between ${figures(low)} and ${figures(high)}`
    : `at least ${figures(low)}`;
  const limited = limit === 'unknown' ? '' : `, limited by the ${limit}`.replace('the the', 'the');
  return verdict === 'found'
    ? `n8n sustains ${figures(capacity)} req/s of ${workload.title} with ${wanted} (${range})${limited}.`
    : `n8n seems to sustain ${figures(capacity)} req/s of ${workload.title} with ${wanted} (${range}); no run of full length has confirmed it.`;
}

function doubtsOf(head: FindHead, ending: SearchEnding, { confirmed }: Estimate): string[] {
  const doubts: string[] = [];
  if (ending.interrupted) doubts.push('The search was stopped before its end.');
  else if (ending.failure !== null) {
    doubts.push(`The search ended early, as the next probe could not be made: ${ending.failure}`);
  } else if (!confirmed && head.budgetSeconds !== null) {
    doubts.push(
      `The budget of ${figures(head.budgetSeconds)} s ended before a run of full length had confirmed the answer: give a larger --budget.`,
    );
  }
  if (ending.restless.length > 0) {
    doubts.push(`n8n had not come to rest before the probe at ${ending.restless.join(', ')}.`);
  }
  const [atFirst] = ending.memoryAtRestMiB;
  const atLast = ending.memoryAtRestMiB.at(-1);
  if (atFirst !== undefined && atLast !== undefined && atLast > GROWN * atFirst) {
    doubts.push(
      `n8n at rest took ${figures(atFirst)} MiB before the first probe and ${figures(atLast)} MiB before the last: it may leak, and then holds less for long.`,
    );
  }
  const invalid = head.probes.filter(({ result }) => result === 'invalid').length;
  if (invalid > 0) {
    doubts.push(
      `The load generator, not n8n, was the limit in ${String(invalid)} of ${String(head.probes.length)} probes; they do not count.`,
    );
  }
  return doubts;
}
