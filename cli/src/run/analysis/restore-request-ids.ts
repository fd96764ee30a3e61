import type { RequestSample } from '../../record/run-record';
import type { TracedExecution } from '../../analysis/traced-execution';

/**
 * When a worker dies, n8n fails its executions and writes what it says about that over their data, the
 * id of the request included. Executions are listed in the order in which they were begun (or its
 * reverse), so their neighbours tell about when each was due: it belongs to the nearest request
 * that failed and has no execution.
 */
export function restoreRequestIds(
  requests: readonly RequestSample[],
  executions: readonly TracedExecution[],
): readonly TracedExecution[] {
  if (!executions.some(isNameless)) return executions;
  const dueMs = new Map(requests.map(({ id, tMs }) => [id, tMs]));
  const named = new Set(executions.flatMap(({ loadId }) => loadId ?? []));
  const left = requests.filter(({ ok, id }) => !ok && !named.has(id));
  const known = executions.map(({ loadId }) => (loadId === null ? undefined : dueMs.get(loadId)));
  const before = carried(known);
  const after = carried([...known].reverse()).reverse();
  return executions.map((execution, index) => {
    if (!isNameless(execution)) return execution;
    const [one, other] = [before[index], after[index]];
    const aboutMs = ((one ?? other ?? 0) + (other ?? one ?? 0)) / 2;
    const nearest = left.reduce<RequestSample | undefined>(
      (best, each) =>
        best === undefined || Math.abs(each.tMs - aboutMs) < Math.abs(best.tMs - aboutMs)
          ? each
          : best,
      undefined,
    );
    if (nearest === undefined) return execution;
    left.splice(left.indexOf(nearest), 1);
    return { ...execution, loadId: nearest.id };
  });
}

const isNameless = ({ loadId, isOverwritten, outcome }: TracedExecution): boolean =>
  loadId === null && isOverwritten === true && outcome === 'failed';

/** Each gap filled with the value before it. */
function carried(values: readonly (number | undefined)[]): (number | undefined)[] {
  let last: number | undefined;
  return values.map((value) => {
    last = value ?? last;
    return last;
  });
}
