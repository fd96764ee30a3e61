import type { Doubt, MatchedExecutions, NamedRequests, Summary } from '../../record/run-record';
import type { RecordedWorkload } from '../../plan/recorded';
import { counted } from '../../ui/numbers';
import type { Breach } from '../../analysis/slo/slo';

export interface Promised {
  answers: RecordedWorkload['answers'];
  /** Null where it is not known, as with the user's own workflow. */
  executionsPerRequest: number | null;
  /** The load was ended early, and callers without a response were cut off. */
  areCutOff?: boolean;
}

interface Findings {
  breaches: Breach[];
  doubts: Doubt[];
}

const ACCEPTED = 'what is accepted is executed';

/**
 * Responses against executions, over the whole run, warm-up included: one by one where they could be
 * matched, else by their counts. A response at once is a promise: an execution that does not follow is lost
 * work. A response when done proves its execution; there the other direction matters: executions whose
 * callers never got their answer.
 */
export function executionFindings(
  { executions, matched }: Pick<Summary, 'executions' | 'matched'>,
  promised: Promised,
): Findings {
  const byCounts = countedFindings(executions, promised);
  if (matched === undefined || 'skipped' in matched) return byCounts;
  const exact = matchedFindings(matched, promised);
  // For executions whose outcome was not kept, only the counts tell how many failed.
  const breaches =
    exact.breaches.length > 0 || matched.notKept === 0 ? exact.breaches : byCounts.breaches;
  return {
    breaches,
    doubts: [...exact.doubts, ...surplusDoubts(executions, promised)],
  };
}

function matchedFindings(
  { withoutExecution, notSucceeded, withoutResponse, repeated }: MatchedExecutions,
  { answers }: Promised,
): Findings {
  const found: Findings = { breaches: [], doubts: [] };
  const lost = withoutExecution.requests + notSucceeded.requests;
  if (lost > 0 && answers === 'at-once') {
    found.breaches.push({
      slo: ACCEPTED,
      measured: lost,
      text: `${counted(lost, 'request')} that n8n accepted ${has(lost)} no successful execution (${String(withoutExecution.requests)} without any execution, ${String(notSucceeded.requests)} failed or had not ended)${first(withoutExecution, notSucceeded)}`,
    });
  }
  if (answers === 'when-done') {
    const { requests } = withoutExecution;
    if (requests > 0) {
      found.doubts.push({
        kind: 'no execution',
        text: `${counted(requests, 'expected response')} ${has(requests)} no execution in n8n${first(withoutExecution)}`,
      });
    }
    if (notSucceeded.requests > 0) {
      found.doubts.push({
        kind: 'no success',
        text: `${counted(notSucceeded.requests, 'expected response')} came from executions that did not succeed${first(notSucceeded)}`,
      });
    }
  }
  if (withoutResponse.requests > 0) {
    found.doubts.push({
      kind: 'no response',
      text: `${counted(withoutResponse.requests, 'request')} ${withoutResponse.requests === 1 ? 'was' : 'were'} executed, but ${withoutResponse.requests === 1 ? 'its caller' : 'their callers'} did not get the expected response${first(withoutResponse)}`,
    });
  }
  if (repeated.requests > 0) {
    found.doubts.push({
      kind: 'repeated',
      text: `${counted(repeated.requests, 'request')} ${repeated.requests === 1 ? 'was' : 'were'} executed more than once${first(repeated)}`,
    });
  }
  return found;
}

function countedFindings(executions: Summary['executions'], promised: Promised): Findings {
  const found: Findings = { breaches: [], doubts: [] };
  if (executions?.expectedResponses === undefined) return found;
  const { answers, executionsPerRequest, areCutOff = false } = promised;
  const { succeeded, failed, unfinished, expectedResponses } = executions;
  const each = executionsPerRequest ?? 1;
  const missing = Math.ceil((expectedResponses * each - succeeded) / each);
  if (missing > 0 && answers === 'at-once') {
    found.breaches.push({
      slo: ACCEPTED,
      measured: missing,
      text: `${String(missing)} of ${String(expectedResponses)} requests that n8n accepted have no successful execution (${String(failed)} failed, ${String(unfinished)} had not ended)`,
    });
  }
  if (missing > 0 && answers === 'when-done') {
    found.doubts.push({
      kind: 'no execution',
      text: `n8n counted ${String(succeeded)} successful executions, but callers got ${String(expectedResponses)} expected responses`,
    });
  }
  const surplus = surplusDoubts(executions, promised);
  found.doubts.push(...surplus);
  const withoutResponse = Math.floor(succeeded / each) - expectedResponses;
  if (
    executionsPerRequest !== null &&
    surplus.length === 0 &&
    withoutResponse > 0 &&
    !areCutOff &&
    answers === 'when-done'
  ) {
    found.doubts.push({
      kind: 'no response',
      text: `${String(withoutResponse)} executions succeeded, but their callers did not get the expected response`,
    });
  }
  return found;
}

function surplusDoubts(
  executions: Summary['executions'],
  { executionsPerRequest }: Promised,
): Doubt[] {
  if (executions?.expectedResponses === undefined || executionsPerRequest === null) return [];
  const { succeeded, failed, unfinished, requests = 0 } = executions;
  const surplus = succeeded + failed + unfinished - requests * executionsPerRequest;
  return surplus > 0
    ? [
        {
          kind: 'another client',
          text: `n8n ran ${String(surplus)} more executions than ${String(requests)} requests explain: another client used n8n during the run`,
        },
      ]
    : [];
}

const has = (count: number): string => (count === 1 ? 'has' : 'have');

/** The record names more of them. */
function first(...lists: NamedRequests[]): string {
  const [id] = lists.flatMap(({ ids }) => ids);
  return id === undefined ? '' : `; the first is ${id}`;
}
