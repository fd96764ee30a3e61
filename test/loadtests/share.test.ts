// Several load generators make one schedule: each request is due at one of them, at the time at which one would send it.
import fc from 'fast-check';
import { dueTimes, lanesOf } from '../../loadtests/lib/arrivals';
import type { Arrivals } from '../../loadtests/lib/profile';
import { planOf } from '../../loadtests/lib/profile';
import { allLanes, clientsOf, laneOf, parseShare } from '../../loadtests/lib/share';

const SEED = 7;

function timesOf(plan: ReturnType<typeof planOf>, share: { index: number; of: number }): number[] {
  const times: number[] = [];
  for (let own = 0; own < lanesOf(plan, share.of); own += 1) {
    const next = dueTimes(plan, SEED, laneOf(own, share), allLanes(plan, share.of));
    for (let due = next(); due !== null; due = next()) times.push(due);
  }
  return times;
}

const order = (times: readonly number[]): number[] => [...times].sort((a, b) => a - b);

test('the shares of even arrivals are together the schedule of one generator', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      fc.double({ min: 1, max: 200, noNaN: true }),
      fc.constantFrom('load', 'stress', 'spike'),
      (of, ratePerSecond, profile) => {
        const plan = planOf(profile, { ratePerSecond, durationSeconds: 3, warmupSeconds: 0 });
        const shares = Array.from({ length: of }, (_, index) => timesOf(plan, { index, of }));
        const whole = order(timesOf(plan, { index: 0, of: 1 }));
        const all = order(shares.flat());
        expect(all).toHaveLength(whole.length);
        all.forEach((due, index) => expect(due).toBeCloseTo(whole[index] ?? NaN, 6));
        const counts = shares.map(({ length }) => length);
        // They are as even as lanes in turns can be.
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(
          Math.ceil(allLanes(plan, of) / of),
        );
      },
    ),
  );
});

test('the shares of random arrivals have the rate of the plan together, and no two the same times', () => {
  const plan = planOf('load', {
    ...{ ratePerSecond: 300, durationSeconds: 30, warmupSeconds: 0 },
    arrivals: 'random' satisfies Arrivals,
  });
  const shares = [0, 1, 2].map((index) => timesOf(plan, { index, of: 3 }));
  const all = shares.flat();
  // 9,000 are due in the mean, with a standard deviation of 95.
  expect(Math.abs(all.length - 9_000)).toBeLessThan(5 * 95);
  expect(new Set(all).size).toBe(all.length);
});

test('clients are dealt out whole, and all of them', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 500 }), (of, more) => {
      const clients = of + more;
      const each = Array.from({ length: of }, (_, index) => clientsOf({ clients }, { index, of }));
      expect(each.reduce((sum, count) => sum + count, 0)).toBe(clients);
      expect(Math.min(...each)).toBeGreaterThanOrEqual(1);
    }),
  );
  expect(() => clientsOf({ clients: 2 }, { index: 0, of: 3 })).toThrow(
    /^2 clients cannot be shared among 3 generators: use at least as many clients/,
  );
});

test('a share is written as one of several', () => {
  expect(parseShare('2/3')).toEqual({ index: 1, of: 3 });
  for (const wrong of ['0/3', '4/3', '1', 'a/b', '']) {
    expect(() => parseShare(wrong)).toThrow(/^SHARE is '.*': use a form such as 2\/3/);
  }
});
