import { restartAfter } from '../../../../cli/src/targets/process/restart-delay';

/** What ends by itself is started again: soon, unless it does so again and again. */

function delays(ranMs: readonly number[]): number[] {
  let restarts = 0;
  return ranMs.map((ran) => {
    const next = restartAfter(restarts, ran);
    restarts = next.restarts;
    return next.delayMs / 1000;
  });
}

test('each time later, up to 10 s, where it ends soon after its start', () => {
  expect(delays(Array(7).fill(500))).toEqual([1, 2, 4, 8, 10, 10, 10]);
});

test('as at first once it has run for long, however often a drill kills it', () => {
  expect(delays([60_000, 50_000, 59_000, 500, 60_000])).toEqual([1, 1, 1, 2, 1]);
  expect(delays([500, 20_000, 20_001])).toEqual([1, 2, 1]);
});
