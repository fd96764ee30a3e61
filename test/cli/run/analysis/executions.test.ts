import { executionFindings } from '../../../../cli/src/run/analysis/executions';
import { textOf } from '../../../../cli/src/record/summary';
import type { MatchedExecutions } from '../../../../cli/src/record/run-record';

const counted = (
  given: Partial<
    Record<'succeeded' | 'failed' | 'unfinished' | 'requests' | 'expectedResponses', number>
  >,
) => ({
  ...{ succeeded: 100, failed: 0, unfinished: 0, source: 'database' },
  ...{ requests: 100, expectedResponses: 100 },
  ...given,
});
const atOnce = { answers: 'at-once', executionsPerRequest: 1 } as const;
const whenDone = { answers: 'when-done', executionsPerRequest: 1 } as const;

describe('executions against replies', () => {
  test.each([
    ['a run in which all is well', whenDone, counted({})],
    [
      'a workload that calls another',
      { ...whenDone, executionsPerRequest: 2 },
      counted({ succeeded: 200 }),
    ],
    [
      'errors with their failed executions',
      whenDone,
      counted({ succeeded: 90, failed: 10, expectedResponses: 90 }),
    ],
    [
      "the user's own workflow that calls others",
      { ...whenDone, executionsPerRequest: null },
      counted({ succeeded: 300 }),
    ],
    ['n8n that could not be asked', whenDone, null],
    [
      'a record made before they were compared',
      whenDone,
      { succeeded: 1, failed: 0, unfinished: 0, source: 'database' },
    ],
  ])('say nothing about %s', (_, promised, executions) => {
    expect(executionFindings({ executions }, promised)).toEqual({ breaches: [], doubts: [] });
  });

  test('a request answered at once whose execution never succeeded is lost work', () => {
    const { breaches } = executionFindings(
      { executions: counted({ succeeded: 95, failed: 3, unfinished: 2 }) },
      atOnce,
    );
    expect(breaches).toEqual([
      {
        slo: 'what is accepted is executed',
        measured: 5,
        text: '5 of 100 requests that n8n accepted have no successful execution (3 failed, 2 had not ended)',
      },
    ]);
  });

  test('an expected response at the end proves its execution: a lower count is doubted, not the reply', () => {
    expect(executionFindings({ executions: counted({ succeeded: 97 }) }, whenDone)).toEqual({
      breaches: [],
      doubts: [
        {
          kind: 'no execution',
          text: 'n8n counted 97 successful executions, but callers got 100 expected responses',
        },
      ],
    });
  });

  test('an execution whose caller got nothing is named', () => {
    expect(
      executionFindings({ executions: counted({ expectedResponses: 93 }) }, whenDone).doubts.map(
        textOf,
      ),
    ).toEqual(['7 executions succeeded, but their callers did not get the expected response']);
  });

  test('callers that the early end of a load cut off are no doubt', () => {
    const executions = counted({ expectedResponses: 93 });
    expect(executionFindings({ executions }, { ...whenDone, areCutOff: true }).doubts).toEqual([]);
  });

  test('more executions than requests are not those of this run', () => {
    const { doubts } = executionFindings({ executions: counted({ succeeded: 130 }) }, atOnce);
    expect(doubts.map(textOf)).toEqual([
      'n8n ran 30 more executions than 100 requests explain: another client used n8n during the run',
    ]);
  });
});

describe('requests matched one by one', () => {
  const none = { requests: 0, ids: [] };
  const matched = (given: Partial<MatchedExecutions>): MatchedExecutions => ({
    ...{ source: 'database', executions: 100, notKept: 0 },
    ...{ withoutExecution: none, notSucceeded: none, withoutResponse: none, repeated: none },
    ...given,
  });

  test('fail a run that lost work, though as many executions succeeded as were accepted', () => {
    const lost = { requests: 2, ids: ['x-7', 'x-9'] };
    const failed = { requests: 1, ids: ['x-3'] };
    const found = executionFindings(
      {
        executions: counted({ succeeded: 100 }),
        matched: matched({ withoutExecution: lost, notSucceeded: failed }),
      },
      atOnce,
    );
    expect(found.breaches).toEqual([
      {
        slo: 'what is accepted is executed',
        measured: 3,
        text: '3 requests that n8n accepted have no successful execution (2 without any execution, 1 failed or had not ended); the first is x-7',
      },
    ]);
  });

  test('overrule counts that came late', () => {
    const late = { executions: counted({ succeeded: 97 }), matched: matched({}) };
    expect(executionFindings(late, atOnce)).toEqual({ breaches: [], doubts: [] });
    expect(executionFindings(late, whenDone)).toEqual({ breaches: [], doubts: [] });
  });

  test('leave failures to the counts where outcomes were thrown away', () => {
    const { breaches } = executionFindings(
      { executions: counted({ succeeded: 97, failed: 3 }), matched: matched({ notKept: 100 }) },
      atOnce,
    );
    expect(breaches.map(({ measured }) => measured)).toEqual([3]);
  });

  test("name answers that did not come, also of the user's own workflow", () => {
    const withoutResponse = { requests: 1, ids: ['x-5'] };
    const repeated = { requests: 2, ids: ['x-1', 'x-2'] };
    const { doubts } = executionFindings(
      { executions: null, matched: matched({ withoutResponse, repeated }) },
      { ...whenDone, executionsPerRequest: null },
    );
    expect(doubts.map(textOf)).toEqual([
      '1 request was executed, but its caller did not get the expected response; the first is x-5',
      '2 requests were executed more than once; the first is x-1',
    ]);
  });

  test('doubt an expected response without an execution: something else may have answered', () => {
    const { breaches, doubts } = executionFindings(
      {
        executions: counted({}),
        matched: matched({ withoutExecution: { requests: 4, ids: ['x-1'] } }),
      },
      whenDone,
    );
    expect(breaches).toEqual([]);
    expect(doubts.map(textOf)).toEqual([
      '4 expected responses have no execution in n8n; the first is x-1',
    ]);
  });

  test('fall back to the counts where they could not be matched', () => {
    const { doubts } = executionFindings(
      {
        executions: counted({ expectedResponses: 93 }),
        matched: { skipped: 'n8n has deleted some' },
      },
      whenDone,
    );
    expect(doubts.map(textOf)).toEqual([
      '7 executions succeeded, but their callers did not get the expected response',
    ]);
  });
});
