// The pieces by which processes of n8n are watched, ended and started again.
import { exitReason, restartAfter } from '../../../../cli/src/targets/process/restart-delay';
import { graceMsOf } from '../../../../cli/src/targets/process/layout';
import { sqliteDatabase } from '../../../../cli/src/targets/process/database';

describe('why a process ended', () => {
  const ABORTED = `n8n ready
<--- Last few GCs --->

FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory
----- Native stack trace -----

 1: 0xed1050  [node]
`;

  test('quotes what V8 wrote before it aborted', () => {
    expect(exitReason(null, 'SIGABRT', false, ABORTED)).toBe(
      'it aborted, as V8 does when its heap is full (FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory)',
    );
  });

  test('says no more than is known where the log says nothing', () => {
    expect(exitReason(134, null, false, 'n8n ready\n')).toBe(
      'it aborted, as V8 does when its heap is full',
    );
  });

  test('names the kernel first, whatever the log says', () => {
    expect(exitReason(null, 'SIGKILL', true, ABORTED)).toBe(
      'the kernel killed it for exceeding its memory limit',
    );
  });

  test('is the exit code or the signal otherwise', () => {
    expect([exitReason(1, null, false, ABORTED), exitReason(null, 'SIGKILL', false, '')]).toEqual([
      'exit code 1',
      'signal SIGKILL',
    ]);
  });
});

describe('a process that ended by itself is started again', () => {
  function delays(ranMs: readonly number[]): number[] {
    let restarts = 0;
    return ranMs.map((ran) => {
      const next = restartAfter(restarts, ran);
      restarts = next.restarts;
      return next.delayMs / 1000;
    });
  }

  test('later each time, up to 10 s, where it ends soon after its start', () => {
    expect(delays(Array(7).fill(500))).toEqual([1, 2, 4, 8, 10, 10, 10]);
  });

  test('as at first once it has run for long, however often a drill kills it', () => {
    expect(delays([60_000, 50_000, 59_000, 500, 60_000])).toEqual([1, 1, 1, 2, 1]);
    expect(delays([500, 20_000, 20_001])).toEqual([1, 2, 1]);
  });
});

test.each([
  [{}, 45],
  [{ N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '300' }, 315],
  // n8n below 1.27 knows only this one.
  [{ QUEUE_WORKER_TIMEOUT: '60' }, 75],
  [{ N8N_GRACEFUL_SHUTDOWN_TIMEOUT: 'soon' }, 45],
])('with %j a worker gets %i s to end, as from the chart', (env, seconds) => {
  expect(graceMsOf(env)).toBe(1000 * seconds);
});

test('a query may take what is left of a time, which is no whole number of milliseconds', async () => {
  const database = sqliteDatabase(['/bin/sh', '-c', `echo '[{"newest":1}]'`], 'database.sqlite');
  expect(await database.query('SELECT 1', 29_896.6)).toEqual([{ newest: 1 }]);
});
