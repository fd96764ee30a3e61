import type { Estimate } from '../analysis/search/estimate';
import { figures } from '../analysis/figures';
import type { FindRecord } from '../record/find-record';
import type { FindHead } from './conclude';

/** The answer in one sentence that a manager can read. */
export function findSentence(
  { workload, slo, probes }: FindHead,
  verdict: FindRecord['verdict'],
  { capacity, low, high, confirmedPerSecond }: Estimate,
  limit: string,
): string {
  const what = workload.title;
  const wanted = slo.map(({ text }) => text).join(', ');
  if (verdict === 'invalid') {
    const isEarly = probes.some(({ result }) => result !== 'invalid');
    return `Nothing can be said about ${what}: ${isEarly ? 'the search ended too early' : 'no probe was valid'}.`;
  }
  if (verdict === 'nothing sustained') {
    return `n8n sustained ${what} with ${wanted} at no rate that was tried.`;
  }
  const answer = `${figures(capacity)} req/s of ${what} with ${wanted}`;
  const limited = limit === 'unknown' ? '' : `, limited by the ${limit}`.replace('the the', 'the');
  if (!Number.isFinite(high)) {
    return `n8n sustains at least ${figures(low)} req/s of ${what} with ${wanted}${limited}; how much more was not seen.`;
  }
  const range = `between ${figures(low)} and ${figures(high)}`;
  if (verdict === 'inconclusive') {
    const width = figures((100 * (high - low)) / capacity);
    return `n8n sustains about ${answer}, ${range}${limited}: an interval of ${width} % is too wide for an answer.`;
  }
  return confirmedPerSecond === null
    ? `n8n seems to sustain ${answer} (${range})${limited}; no run of full length has confirmed it.`
    : `n8n sustains ${answer} (${range})${limited}; a run of full length sustained ${figures(confirmedPerSecond)}.`;
}
