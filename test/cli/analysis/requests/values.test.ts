import fc from 'fast-check';
import { seededRandom } from '../../../../cli/src/analysis/statistics/random';
import { Histogram, RELATIVE_ERROR } from '../../../../cli/src/analysis/requests/histogram';
import { Values } from '../../../../cli/src/analysis/requests/values';
import {
  mean,
  percentile,
  percentileInterval,
  sorted,
  standardDeviation,
} from '../../../../cli/src/analysis/statistics/statistics';
import { keptIn } from '../../../support/kept';

/** Milliseconds, from less than k6 can tell apart to days. */
const latency = fc.double({ min: 0, max: 3e8, noNaN: true });
const SHARES = [0, 0.01, 0.5, 0.9, 0.95, 0.99, 0.999, 1];

const valuesOf = (all: readonly number[], exactUpTo?: number): Values => {
  const values = new Values(exactUpTo);
  for (const value of all) values.add(value);
  return values;
};

describe('values whose order is asked for at the end', () => {
  it('are exact up to the bound, to the last bit', () => {
    fc.assert(
      fc.property(fc.array(latency, { minLength: 2, maxLength: 600 }), (all) => {
        const order = sorted(all);
        const kept = valuesOf(all, 600).ordered();
        expect(Array.from({ length: all.length }, (_, i) => kept.at(i))).toEqual([...order]);
        expect(kept.mean).toBe(mean(order));
        expect(kept.standardDeviation).toBe(standardDeviation(order));
      }),
    );
  });

  it('are off by no more than the stated error beyond it, at every rank', () => {
    fc.assert(
      fc.property(fc.array(latency, { minLength: 30, maxLength: 300 }), (all) => {
        const order = sorted(all);
        const counted = valuesOf(all, 20).ordered();
        expect(counted.length).toBe(all.length);
        for (const [i, exact] of order.entries()) {
          const off = Math.abs((counted.at(i) ?? NaN) - exact);
          // A microsecond, below which all counts as 0.
          expect(off).toBeLessThanOrEqual(Math.max(0.001, exact * RELATIVE_ERROR * (1 + 1e-9)));
        }
        expect(counted.at(0)).toBe(order[0]);
        expect(counted.at(all.length - 1)).toBe(order.at(-1));
        expect(counted.mean).toBeCloseTo(mean(order), 3);
        const deviation = standardDeviation(order);
        expect(Math.abs(counted.standardDeviation / deviation - 1) || 0).toBeLessThan(1e-6);
      }),
    );
  });

  it('have their percentiles and intervals within that error', () => {
    const random = seededRandom(11);
    const all = Array.from({ length: 20_000 }, () => 20 - 80 * Math.log(1 - random()));
    const order = sorted(all);
    const counted = valuesOf(all, 1000).ordered();
    for (const share of SHARES) {
      const exact = percentileInterval(order, share);
      const close = percentileInterval(counted, share);
      expect(percentile(counted, share)).toBe(close.value);
      for (const end of ['value', 'low', 'high'] as const) {
        if (!Number.isFinite(exact[end])) expect(close[end]).toBe(exact[end]);
        else expect(Math.abs(close[end] / exact[end] - 1)).toBeLessThanOrEqual(RELATIVE_ERROR);
      }
    }
  });

  it('of a histogram need no more room for ten times as many', () => {
    const random = seededRandom(3);
    const histogram = new Histogram();
    const add = (count: number): number => {
      for (let i = 0; i < count; i += 1) histogram.add(0.001 * 1e10 ** random());
      return keptIn(histogram);
    };
    const few = add(20_000);
    expect(add(200_000)).toBeLessThanOrEqual(few + 512);
    expect(histogram.buckets).toBeLessThan(13_000);
  });
});
