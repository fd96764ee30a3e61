import { exitReason } from '../../../../cli/src/targets/process/restart-delay';

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
