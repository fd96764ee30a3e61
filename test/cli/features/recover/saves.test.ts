import { NOTHING_KNOWN, saidAtStart, savesIn } from '../../../../cli/src/features/recover/saves';
import { profileOf } from '../../../../cli/src/plan/environment';
import { TUNING_NAMES } from '../../../../cli/src/plan/topology';

/** What is said when recovery begins, by what n8n saves. */

const given = (error: string, success: string, progress: string, stalled?: string) =>
  savesIn({
    EXECUTIONS_DATA_SAVE_ON_ERROR: error,
    EXECUTIONS_DATA_SAVE_ON_SUCCESS: success,
    EXECUTIONS_DATA_SAVE_ON_PROGRESS: progress,
    RECOVERY_KEEPS_STALLED: stalled,
  });

test('variables that are not set, or say something else, are not known', () => {
  expect(savesIn({})).toEqual(NOTHING_KNOWN);
  expect(given('some', '', '1')).toEqual(NOTHING_KNOWN);
  expect(given('none', 'all', 'true', 'false')).toEqual({
    ...{ failures: false, successes: true, progress: true, stalled: false },
  });
});

test.each(TUNING_NAMES)('the profile %s: recovery is possible in queue mode', (name) => {
  const { saveFailedExecutions, saveSuccessfulExecutions, saveProgress, keepStalled } =
    profileOf(name);
  const saves = given(
    String(saveFailedExecutions),
    String(saveSuccessfulExecutions),
    String(saveProgress),
    String(keepStalled),
  );
  expect(saidAtStart(saves, true)).toEqual([
    'n8n does not save progress: a retry starts at the trigger and runs every node again',
  ]);
  const inRegularMode = saidAtStart(saves, false).filter((text) => text.includes('impossible'));
  expect(inRegularMode).toHaveLength(saveSuccessfulExecutions === 'none' ? 1 : 0);
});

test('what makes it impossible, or leaves something lost, is said first', () => {
  expect(saidAtStart(given('none', 'all', 'true', 'false'), true)).toEqual([
    expect.stringMatching(/^n8n saves no failed executions .* recovery is impossible, except/),
    expect.stringContaining('without keep-stalled'),
    'n8n saves progress: a retry starts at the node that was running',
  ]);
  // In regular mode there is no job that stalls.
  expect(saidAtStart(given('all', 'all', 'true', 'false'), false)).toHaveLength(1);
});

test('that it is not known is said as well', () => {
  for (const hasQueue of [true, false]) {
    expect(saidAtStart(NOTHING_KNOWN, hasQueue)).toEqual([
      'the n8n settings for saving executions are unknown: only the workflow settings are known',
    ]);
  }
});
