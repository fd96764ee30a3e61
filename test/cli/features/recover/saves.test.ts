import {
  keptStalled,
  lagIn,
  NOTHING_KNOWN,
  saidAtStart,
  savesIn,
} from '../../../../cli/src/features/recover/saves';
import { profileOf } from '../../../../cli/src/plan/environment';
import { TUNING_NAMES } from '../../../../cli/src/plan/topology';

/** What is said when recovery begins, by what n8n saves. */

const given = (error: string, success: string, progress: string) =>
  savesIn({
    EXECUTIONS_DATA_SAVE_ON_ERROR: error,
    EXECUTIONS_DATA_SAVE_ON_SUCCESS: success,
    EXECUTIONS_DATA_SAVE_ON_PROGRESS: progress,
  });

test('variables that are not set, or say something else, are not known', () => {
  expect(savesIn({})).toEqual(NOTHING_KNOWN);
  expect(given('some', '', '1')).toEqual(NOTHING_KNOWN);
  expect(given('none', 'all', 'true')).toEqual({
    ...{ failures: false, successes: true, progress: true },
  });
});

test.each(TUNING_NAMES)('the profile %s: recovery is possible in queue mode', (name) => {
  const { saveFailedExecutions, saveSuccessfulExecutions, saveProgress } = profileOf(name);
  const saves = given(
    String(saveFailedExecutions),
    String(saveSuccessfulExecutions),
    String(saveProgress),
  );
  expect(saidAtStart(saves, true)).toEqual([
    'n8n does not save progress: a retry starts at the trigger and runs every node again',
  ]);
  const inRegularMode = saidAtStart(saves, false).filter((text) => text.includes('impossible'));
  expect(inRegularMode).toHaveLength(saveSuccessfulExecutions === 'none' ? 1 : 0);
});

test('only the profile throughput gives up the record of successful executions', () => {
  const without = TUNING_NAMES.filter(
    (name) => profileOf(name).saveSuccessfulExecutions === 'none',
  );
  expect(without).toEqual(['throughput']);
});

test('what makes it impossible, or leaves something lost, is said first', () => {
  expect(saidAtStart(given('none', 'all', 'true'), true)).toEqual([
    expect.stringMatching(/^n8n saves no failed executions .* recovery is impossible, except/),
    'n8n saves progress: a retry starts at the node that was running',
  ]);
});

test('settings that are not known are said to be unknown', () => {
  for (const hasQueue of [true, false]) {
    expect(saidAtStart(NOTHING_KNOWN, hasQueue)).toEqual([
      'the n8n settings for saving executions are unknown: only the workflow settings are known',
    ]);
  }
});

/** At /metrics of a process, with keep-stalled in this state; null: the patch is not loaded. */
const shown = (state: string | null): string =>
  [
    '# HELP n8n_tuned_patch_in_force 1 for each patch',
    'n8n_tuned_patch_in_force{patch="read-once",state="known"} 1',
    ...(state === null
      ? []
      : [`n8n_tuned_patch_in_force{patch="keep-stalled",state="${state}"} 1`]),
  ].join('\n');
const worker = (text: string | null, url = 'http://w:1/metrics') => ({ url, isWorker: true, text });
const main = (text: string | null) => ({ url: 'http://m:1/metrics', isWorker: false, text });

test.each([
  ['in force', [main(null), worker(shown('known'))], 'in force in the worker'],
  ['in force', [main(shown('waiting')), worker(shown('known')), worker(shown('proven'))], 'all 2'],
  ['not in force', [main(null), worker(shown('unknown'))], 'http://w:1/metrics (unknown)'],
  ['not in force', [main(null), worker(shown('known')), worker(shown('failed'))], '(failed)'],
  ['not in force', [main(shown('off')), worker(null)], 'http://m:1/metrics (off)'],
  ['not in force', [main(null), worker(shown(null))], '(not loaded)'],
  ['not known', [main(null)], 'no metrics of a worker show the state of the patch'],
  ['not known', [main(shown('known'))], 'no metrics of a worker show the state of the patch'],
  [
    'not known',
    [worker(shown('known')), worker(null, 'http://v:1/')],
    'http://v:1/ cannot be read',
  ],
  ['not known', [worker(shown('waiting'))], 'no metrics of a worker show the state of the patch'],
])('keep-stalled is %s by what the processes show: %j', (state, seen, text) => {
  const kept = keptStalled(seen);
  expect(kept).toEqual({ state, text: expect.stringContaining(text) as string });
  expect(/(?:cannot|may not) recover executions/.test(kept.text)).toBe(state !== 'in force');
});

test('the lag of the event loops is the longest that a process shows', () => {
  const seen = (text: string | null) => ({ url: 'http://n8n', isWorker: false, text });
  const shows = (seconds: string, name = 'n8n_nodejs_eventloop_lag_p99_seconds'): string =>
    `# HELP ${name} 99th percentile\n${name} ${seconds}\n`;
  expect(lagIn([seen(shows('0.012')), seen(null), seen(shows('0.7'))])).toBe(0.7);
  expect(lagIn([seen(shows('0.02', 'nodejs_eventloop_lag_p99_seconds'))])).toBe(0.02);
  expect(lagIn([seen(shows('Nan')), seen('# HELP other x\nother 9\n')])).toBeNull();
});
