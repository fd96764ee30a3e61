// The delay of the studies' proxies: never early, in order, and fractions of a millisecond count.
import { join } from 'node:path';
import { eventually, pause } from '../support/wait';

let later: (work: () => void, delayMs: number) => void;
beforeAll(async () => {
  ({ later } = (await import(join(__dirname, '../../studies/later.cjs'))) as {
    later: typeof later;
  });
});

test('without a delay, work is done at once', () => {
  let isDone = false;
  later(() => (isDone = true), 0);
  expect(isDone).toBe(true);
});

test.each([0.5, 1, 3])(
  'work is done in the order in which it was asked for, never early: %d ms',
  async (delayMs) => {
    const done: { n: number; afterMs: number }[] = [];
    for (let n = 0; n < 50; n += 1) {
      const askedMs = performance.now();
      later(() => done.push({ n, afterMs: performance.now() - askedMs }), delayMs);
      if (n % 10 === 0) await pause(2, 'some are asked for later than others');
    }
    await eventually(() => done.length >= 50);
    expect(done.map(({ n }) => n)).toEqual([...Array(50).keys()]);
    expect(Math.min(...done.map(({ afterMs }) => afterMs))).toBeGreaterThanOrEqual(delayMs);
  },
);

test('of different delays, the shorter one is done first', async () => {
  const done: number[] = [];
  for (const delayMs of [30, 20, 10, 20]) later(() => done.push(delayMs), delayMs);
  await eventually(() => done.length >= 4);
  expect(done).toEqual([10, 20, 20, 30]);
});
