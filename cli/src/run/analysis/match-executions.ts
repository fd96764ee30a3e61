import { restoreRequestIds } from './restore-request-ids';
import type { MatchedExecutions, NamedRequests, RequestSample } from '../../record/run-record';
import type { TracedExecution, TracedExecutions } from '../../analysis/traced-execution';

/** Number of ids in a record. */
const NAMED = 20;

/** Had no response when the load ended. */
const UNANSWERED = 'unanswered';

/** The end of a load that was ended early cut the request off. */
export const isCutOff = ({ errorKind }: RequestSample): boolean => errorKind === UNANSWERED;

/**
 * Each request against the executions that carry its id. `areCutOff`: the load was ended early, and what had no response
 * then is left out.
 */
export function matchExecutions(
  all: readonly RequestSample[],
  traced: TracedExecutions,
  { areCutOff = false }: { areCutOff?: boolean } = {},
): MatchedExecutions | { skipped: string } {
  if ('skipped' in traced) return traced;
  const outcomes = outcomesById(restoreRequestIds(all, traced.executions));
  const gap = gapIn(all, traced);
  const requests = areCutOff ? all.filter((request) => !isCutOff(request)) : all;
  if (gap !== null) return { skipped: gap };
  const having = (
    is: (request: RequestSample, of: readonly ExecutionOutcome[]) => boolean,
  ): NamedRequests =>
    named(requests.filter((request) => is(request, outcomes.get(request.id) ?? [])));
  const carrying = [...outcomes.values()].flat();
  const ended = (as: ExecutionOutcome): number =>
    carrying.filter((outcome) => outcome === as).length;
  return {
    source: traced.source,
    executions: carrying.length,
    notKept: ended('not kept'),
    failed: ended('failed'),
    unfinished: ended('unfinished'),
    // Each request that counts is in exactly one of these six.
    succeeded: having(({ ok }, of) => ok && of.some(mayHaveSucceeded)).requests,
    withoutExecution: having(({ ok }, of) => ok && of.length === 0),
    notSucceeded: having(({ ok }, of) => ok && of.length > 0 && !of.some(mayHaveSucceeded)),
    withoutResponse: having(({ ok }, of) => !ok && of.some(mayHaveSucceeded)),
    failedBoth: having(({ ok }, of) => !ok && of.length > 0 && !of.some(mayHaveSucceeded)),
    notExecuted: having(({ ok }, of) => !ok && of.length === 0),
    repeated: having((_, of) => of.length > 1),
  };
}

type ExecutionOutcome = TracedExecution['outcome'];

const mayHaveSucceeded = (outcome: ExecutionOutcome): boolean =>
  outcome === 'succeeded' || outcome === 'not kept';

function outcomesById(executions: readonly TracedExecution[]): Map<string, ExecutionOutcome[]> {
  const outcomes = new Map<string, ExecutionOutcome[]>();
  for (const { loadId, outcome } of executions) {
    if (loadId === null) continue;
    const sameId = outcomes.get(loadId);
    if (sameId === undefined) outcomes.set(loadId, [outcome]);
    else sameId.push(outcome);
  }
  return outcomes;
}

/** Why a request without an execution proves nothing; null: it does. */
export function gapIn(
  requests: readonly RequestSample[],
  { executions, made }: { executions: readonly TracedExecution[]; made: number | null },
): string | null {
  const outcomes = outcomesById(executions);
  if (made !== null) {
    return executions.length < made
      ? `n8n ran ${String(made)} executions, but kept only ${String(executions.length)} of them`
      : null;
  }
  // A workflow of which no success is seen may be one whose successes n8n does not save.
  const right = requests.filter(({ ok }) => ok);
  const seen = new Set(
    right
      .filter(({ id }) => outcomes.get(id)?.some(mayHaveSucceeded))
      .map(({ workload }) => workload),
  );
  const unseen = right.find(({ id, workload }) => !outcomes.has(id) && !seen.has(workload));
  return unseen === undefined
    ? null
    : `n8n has no successful execution of ${unseen.workload}, possibly because n8n does not save successful executions`;
}

const named = (requests: readonly RequestSample[]): NamedRequests => ({
  requests: requests.length,
  ids: requests.slice(0, NAMED).map(({ id }) => id),
});
