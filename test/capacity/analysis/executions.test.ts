import { executionFindings } from '../../../capacity/src/analysis/executions';

const counted = (
  given: Partial<
    Record<'succeeded' | 'failed' | 'unfinished' | 'requests' | 'rightReplies', number>
  >,
) => ({
  ...{ succeeded: 100, failed: 0, unfinished: 0, source: 'database' },
  ...{ requests: 100, rightReplies: 100 },
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
      counted({ succeeded: 90, failed: 10, rightReplies: 90 }),
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
    expect(executionFindings(executions, promised)).toEqual({ breaches: [], doubts: [] });
  });

  test('a request answered at once whose execution never succeeded is lost work', () => {
    const { breaches } = executionFindings(
      counted({ succeeded: 95, failed: 3, unfinished: 2 }),
      atOnce,
    );
    expect(breaches).toEqual([
      {
        slo: 'what is accepted is executed',
        measured: 5,
        text: '5 of 100 requests that n8n had accepted have no execution that succeeded (3 failed, 2 had not ended)',
      },
    ]);
  });

  test('a right reply at the end proves its execution: a lower count is doubted, not the reply', () => {
    expect(executionFindings(counted({ succeeded: 97 }), whenDone)).toEqual({
      breaches: [],
      doubts: ['n8n counted 97 executions that succeeded for 100 right replies'],
    });
  });

  test('an execution whose caller got nothing is named', () => {
    expect(executionFindings(counted({ rightReplies: 93 }), whenDone).doubts).toEqual([
      '7 executions succeeded whose callers got no right answer',
    ]);
  });

  test('more executions than requests are not those of this run', () => {
    expect(executionFindings(counted({ succeeded: 130 }), atOnce).doubts).toEqual([
      'n8n ran 30 executions more than 100 requests make: something else used it during the run',
    ]);
  });
});
