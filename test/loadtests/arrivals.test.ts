import fc from 'fast-check';
import { dueTimes, lanesOf } from '../../loadtests/lib/arrivals';
import { ARRIVALS, type Arrivals } from '../../loadtests/lib/profile';
import { dueBetween } from '../../loadtests/lib/due';
import {
  lengthSeconds,
  planOf,
  type LoadPlan,
  type ProfileName,
} from '../../loadtests/lib/profile';
import { runs } from '../support/properties';

const OPEN = ['smoke', 'load', 'stress', 'spike', 'soak', 'breakpoint'] as const;

function timesOf(plan: LoadPlan, seed = 1, lanes = 1): number[] {
  const all: number[] = [];
  for (let lane = 0; lane < lanes; lane += 1) {
    const next = dueTimes(plan, seed, lane, lanes);
    for (let due = next(); due !== null; due = next()) all.push(due);
  }
  return all.sort((a, b) => a - b);
}

const planned = (name: ProfileName, ratePerSecond: number, seconds: number, arrivals: Arrivals) =>
  planOf(name, { ratePerSecond, durationSeconds: seconds, warmupSeconds: 3, arrivals });

describe('due times', () => {
  it('of even arrivals are as many as the plan says up to any time, however many lanes share them', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...OPEN),
        fc.double({ min: 0.5, max: 300, noNaN: true }),
        fc.integer({ min: 2, max: 20 }),
        fc.integer({ min: 1, max: 16 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (name, rate, seconds, lanes, share) => {
          const plan = planned(name, rate, seconds, 'even');
          const times = timesOf(plan, 1, lanes);
          const upTo = share * lengthSeconds(plan);
          const seen = times.filter((ms) => ms < upTo * 1000).length;
          expect(Math.abs(seen - dueBetween(plan, 0, upTo))).toBeLessThanOrEqual(1.001);
        },
      ),
      { numRuns: runs(200) },
    );
  });

  it('of a steady rate are exactly one gap apart', () => {
    const times = timesOf(planned('load', 40, 10, 'even'), 1, 3);
    expect(times).toHaveLength(520);
    times.forEach((ms, index) => {
      expect(ms).toBeCloseTo(25 * index, 6);
    });
  });

  it.each(ARRIVALS)(
    'of %s arrivals lie within the run, in order, and repeat with the seed',
    (kind) => {
      fc.assert(
        fc.property(fc.constantFrom(...OPEN), fc.nat(), fc.nat(15), (name, seed, lane) => {
          const plan = planned(name, 50, 5, kind);
          const draw = (): number[] => {
            const next = dueTimes(plan, seed, lane, 16);
            const times: number[] = [];
            for (let due = next(); due !== null; due = next()) times.push(due);
            return times;
          };
          const times = draw();
          expect(draw()).toEqual(times);
          times.forEach((ms, index) => {
            expect(ms).toBeGreaterThanOrEqual(times[index - 1] ?? 0);
            expect(ms).toBeLessThan(1000 * lengthSeconds(plan));
          });
        }),
        { numRuns: runs(60) },
      );
    },
  );

  it('of random arrivals have exponential gaps with the rate of the plan', () => {
    const times = timesOf(
      planOf('load', {
        ratePerSecond: 100,
        durationSeconds: 200,
        warmupSeconds: 0,
        arrivals: 'random',
      }),
      7,
      4,
    );
    const gaps = times.slice(1).map((ms, index) => ms - (times[index] ?? 0));
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    // In an exponential distribution the standard deviation is the mean, and exp(-1) of all are longer.
    const deviation = Math.sqrt(
      gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length,
    );
    expect(Math.abs(mean - 10)).toBeLessThan(0.3);
    expect(Math.abs(deviation - 10)).toBeLessThan(0.5);
    const longer = gaps.filter((gap) => gap > mean).length / gaps.length;
    expect(Math.abs(longer - Math.exp(-1))).toBeLessThan(0.015);
  });

  it('of random arrivals follow a growing rate', () => {
    const times = timesOf(
      planOf('breakpoint', { ratePerSecond: 200, durationSeconds: 100, arrivals: 'random' }),
      3,
      2,
    );
    // 10,000 in all, a quarter of them in the first half; one standard deviation is 100 and 50.
    expect(Math.abs(times.length - 10_000)).toBeLessThan(400);
    const early = times.filter((ms) => ms < 50_000).length;
    expect(Math.abs(early - 2500)).toBeLessThan(200);
  });

  it('of two lanes with the same seed are not shifted copies of each other', () => {
    const plan = planOf('load', { ratePerSecond: 10, durationSeconds: 60, arrivals: 'random' });
    const gapsOf = (lane: number): number[] => {
      const next = dueTimes(plan, 5, lane, 2);
      return Array.from({ length: 40 }, () => next() ?? 0).map(
        (ms, i, all) => ms - (all[i - 1] ?? 0),
      );
    };
    const first = new Set(gapsOf(0).map((gap) => gap.toFixed(6)));
    expect(gapsOf(1).filter((gap) => first.has(gap.toFixed(6)))).toEqual([]);
  });
});

test('lanes are few, and grow with the rate', () => {
  expect(lanesOf(planOf('smoke'))).toBe(2);
  expect(lanesOf(planOf('load', { ratePerSecond: 1000 }))).toBe(5);
  expect(lanesOf(planOf('load', { ratePerSecond: 100_000 }))).toBe(16);
});
