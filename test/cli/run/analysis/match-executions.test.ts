import fc from 'fast-check';
import { matchExecutions } from '../../../../cli/src/run/analysis/match-executions';
import type { TracedExecution } from '../../../../cli/src/analysis/traced-execution';
import type { RequestSample } from '../../../../cli/src/record/run-record';

const request = (id: string, errorKind = '', workload = 'last-node'): RequestSample => ({
  ...{ tMs: 0, durationMs: 20, status: errorKind === '' ? 200 : 0, ok: errorKind === '' },
  ...{ errorKind, id, workload, ranBy: '' },
});
const execution = (
  loadId: string | null,
  outcome: TracedExecution['outcome'] = 'succeeded',
): TracedExecution => ({ loadId, outcome });
const none = { requests: 0, ids: [] };
const database = { source: 'database', made: null };

describe('requests and the executions that carry their ids', () => {
  test('fit one to one', () => {
    const matched = matchExecutions([request('a'), request('b')], {
      source: 'database',
      made: 3,
      executions: [execution('b'), execution('a'), execution(null)],
    });
    expect(matched).toEqual({
      ...{ source: 'database', executions: 2, notKept: 0, failed: 0, unfinished: 0, succeeded: 2 },
      ...{ withoutExecution: none, notSucceeded: none, withoutResponse: none, repeated: none },
      ...{ failedBoth: none, notExecuted: none },
    });
  });

  // The counts alone would say that all is well: three requests, three executions.
  test('name one lost, one withoutResponse and one run twice, though as many were executed as were sent', () => {
    const matched = matchExecutions([request('a'), request('b'), request('c', 'reset')], {
      ...database,
      executions: [execution('b'), execution('b'), execution('c')],
    });
    expect(matched).toMatchObject({
      withoutExecution: { requests: 1, ids: ['a'] },
      notSucceeded: none,
      withoutResponse: { requests: 1, ids: ['c'] },
      repeated: { requests: 1, ids: ['b'] },
    });
  });

  test('tell an execution that failed or never ended from one that ended and was not kept', () => {
    const matched = matchExecutions(
      ['a', 'b', 'c', 'd'].map((id) => request(id)),
      {
        source: 'database',
        made: 5,
        executions: [
          execution('a', 'failed'),
          execution('b', 'unfinished'),
          execution('c', 'not kept'),
          // A second attempt that succeeded makes up for the first.
          ...[execution('d', 'failed'), execution('d')],
        ],
      },
    );
    expect(matched).toMatchObject({
      notKept: 1,
      withoutExecution: none,
      notSucceeded: { requests: 2, ids: ['a', 'b'] },
      repeated: { requests: 1, ids: ['d'] },
    });
  });

  test('a request that failed together with its execution is listed as that', () => {
    const matched = matchExecutions([request('a', 'status 500'), request('b')], {
      ...database,
      executions: [execution('a', 'failed'), execution('b')],
    });
    expect(matched).toMatchObject({
      ...{ withoutResponse: none, notSucceeded: none, failed: 1 },
      failedBoth: { requests: 1, ids: ['a'] },
    });
  });

  test('what was cut off by the early end of a load is in no list', () => {
    const requests = [request('a'), request('b', 'unanswered'), request('c', 'reset')];
    const executions = ['a', 'b', 'c'].map((id) => execution(id));
    const matched = matchExecutions(requests, { ...database, executions }, { areCutOff: true });
    expect(matched).toMatchObject({
      ...{ executions: 3, succeeded: 1, notExecuted: none },
      withoutResponse: { requests: 1, ids: ['c'] },
    });
    expect(matchExecutions(requests, { ...database, executions })).toMatchObject({
      withoutResponse: { requests: 2, ids: ['b', 'c'] },
    });
  });

  test('every request is in exactly one list, whatever happened', () => {
    const fate = fc.record({
      ok: fc.boolean(),
      ends: fc.array(
        fc.constantFrom<TracedExecution['outcome']>(
          ...(['succeeded', 'failed', 'unfinished', 'not kept'] as const),
        ),
        { maxLength: 3 },
      ),
    });
    fc.assert(
      fc.property(fc.array(fate, { maxLength: 40 }), (fates) => {
        const requests = fates.map(({ ok }, i) => request(`r-${String(i)}`, ok ? '' : 'reset'));
        const executions = fates.flatMap(({ ends }, i) =>
          ends.map((outcome) => execution(`r-${String(i)}`, outcome)),
        );
        const made = executions.length;
        const matched = matchExecutions(requests, { source: 'database', made, executions });
        if ('skipped' in matched) throw new Error(matched.skipped);
        const { withoutExecution, notSucceeded, withoutResponse, failedBoth, notExecuted } =
          matched;
        const lists = [withoutExecution, notSucceeded, withoutResponse, failedBoth, notExecuted];
        const listed = lists.reduce((sum, one) => sum + (one?.requests ?? 0), 0);
        expect(listed + (matched.succeeded ?? 0)).toBe(requests.length);
        expect(matched.executions).toBe(made);
      }),
    );
  });

  test('what n8n overwrote when a worker died is given back to the requests that failed then', () => {
    const at = (id: string, tMs: number, errorKind = ''): RequestSample => ({
      ...request(id, errorKind),
      tMs,
    });
    const overwritten = { ...execution(null, 'failed'), isOverwritten: true };
    const matched = matchExecutions(
      [
        ...[at('a', 0), at('b', 1000, 'status 500'), at('c', 2000), at('d', 3000, 'status 500')],
        ...[at('e', 4000), at('f', 9000, 'refused')],
      ],
      {
        ...{ source: 'database', made: 6 },
        executions: [
          ...[execution('a'), overwritten, execution('c'), overwritten, execution('e')],
          // Not of ours: a workflow that another one called.
          execution(null),
        ],
      },
    );
    expect(matched).toMatchObject({
      ...{ executions: 5, failed: 2, succeeded: 3 },
      failedBoth: { requests: 2, ids: ['b', 'd'] },
      notExecuted: { requests: 1, ids: ['f'] },
    });
  });

  test('twenty are named, all are counted', () => {
    const requests = Array.from({ length: 33 }, (_, index) => request(`r-${String(index)}`));
    const matched = matchExecutions(requests, { source: 'database', made: 0, executions: [] });
    expect(matched).toMatchObject({
      withoutExecution: { requests: 33, ids: requests.slice(0, 20).map(({ id }) => id) },
    });
  });

  test('prove nothing where n8n has begun to delete', () => {
    const seen = { source: 'database', made: 3, executions: [execution('b'), execution(null)] };
    expect(matchExecutions([request('a'), request('b')], seen)).toEqual({
      skipped: 'n8n ran 3 executions, but kept only 2 of them',
    });
  });

  test('prove nothing where it is not known whether n8n saves successes, workload by workload', () => {
    const requests = [request('a'), request('b', '', 'chain'), request('c', 'status 500', 'chain')];
    const seen = { ...database, executions: [execution('a'), execution('c', 'failed')] };
    expect(matchExecutions(requests, seen)).toEqual({
      skipped:
        'n8n has no successful execution of chain, possibly because n8n does not save successful executions',
    });
  });

  test('say why there are none', () => {
    expect(matchExecutions([request('a')], { skipped: 'no key' })).toEqual({ skipped: 'no key' });
  });
});
