import fc from 'fast-check';
import { carriedTo } from '../../../../../cli/src/features/find/analysis/carried';
import { priceOf, wholePriceOf } from '../../../../../cli/src/features/find/analysis/price';
import type { FindRecord } from '../../../../../cli/src/features/find/record';
import { sampleSearch } from '../../../../support/sample-find';

const search = sampleSearch();
const { ratePerSecond, low, high, confirmed } = search.capacity;
const passAndMiss: FindRecord = {
  ...search,
  capacity: { ratePerSecond, low, high, confirmed },
};

/** The capacity of one server with random arrivals and random service: the rate at which p95 meets its bound. */
const rateOfQueue = (cpuMs: number, boundMs: number): number =>
  (1_000 * (1 - (Math.log(20) * cpuMs) / boundMs)) / cpuMs;

function searched(cpuMs: number, boundMs: number, width: number): FindRecord {
  const rate = rateOfQueue(cpuMs, boundMs);
  const near = { ratePerSecond: rate, achievedPerSecond: rate };
  return {
    ...search,
    probes: search.probes.map((probe) =>
      probe.kind === 'confirm' ? { ...probe, ...near } : probe,
    ),
    capacity: {
      ...{
        ratePerSecond: rate,
        low: rate * (1 - width),
        high: rate * (1 + width),
        confirmed: true,
      },
      at: {
        ...{ cpuMs, slowestMs: cpuMs, takenShare: 0, cores: 1 },
        of: { role: 'main', resource: 'event loop' },
      },
    },
  };
}

describe('a capacity that is carried to another machine', () => {
  test('is what it was where a request costs the same', () => {
    const there = carriedTo(24.5, search);
    expect(there?.ratePerSecond).toBeCloseTo(40, 6);
    expect([there?.low, there?.high]).toEqual([expect.closeTo(38, 6), expect.closeTo(44, 6)]);
  });

  test('holds in its range what a queue sustains there, which waits for CPU alone', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 4, max: 20, noNaN: true }),
        fc.double({ min: 0.5, max: 2, noNaN: true }),
        fc.double({ min: 200, max: 2_000, noNaN: true }),
        (cpuMs, dearer, boundMs) => {
          const record = searched(cpuMs, boundMs, 0.05);
          const there = carriedTo((wholePriceOf(record) ?? NaN) * dearer, record);
          const truth = rateOfQueue(cpuMs * dearer, boundMs);
          expect(there?.low).toBeLessThanOrEqual(truth);
          expect(there?.high).toBeGreaterThanOrEqual(truth);
        },
      ),
    );
  });

  test('holds in its range the rate at which n8n is as busy as it was', () => {
    fc.assert(
      fc.property(fc.double({ min: 4, max: 60, noNaN: true }), (cpuMs) => {
        const there = carriedTo(cpuMs, search);
        expect(there?.low).toBeLessThanOrEqual((40 * 24.5) / cpuMs);
        expect(there?.high).toBeGreaterThanOrEqual((40 * 24.5) / cpuMs);
        expect(there?.ratePerSecond).toBeGreaterThanOrEqual(there?.low ?? Infinity);
        expect(there?.ratePerSecond).toBeLessThanOrEqual(there?.high ?? 0);
      }),
    );
  });

  test('has a lower end alone where the search saw no upper one', () => {
    const open = { ...search, capacity: { ...search.capacity, high: null } };
    const low = carriedTo(12.25, search)?.low;
    expect(carriedTo(12.25, open)).toEqual(
      expect.objectContaining({ ratePerSecond: null, low, high: null }),
    );
  });

  test('is wider by the prices that were seen where nobody knows at which of them the answer holds', () => {
    const probes = search.probes.map((probe, index) =>
      probe.kind === 'confirm' || probe.ratePerSecond === 60
        ? {
            ...{ ...probe, ratePerSecond: 40, achievedPerSecond: 40 },
            cpuPerRequest: {
              allMs: 20,
              roles: [{ role: 'main' as const, instances: 1, ms: index === 3 ? 20 : 12 }],
            },
          }
        : probe,
    );
    const record = { ...passAndMiss, probes };
    expect(priceOf(record)).toEqual({ cpuMs: 16, fastestMs: 12, slowestMs: 20, of: 'main' });
    // In the middle of the probes near it all of n8n took 20 ms.
    expect(carriedTo(40, record)).toMatchObject({
      ...{ ratePerSecond: 20, low: (0.75 * 38) / 2, high: (1.25 * 44) / 2 },
    });
  });

  test('follows the CPU of all of n8n, as a run shows it, though the replay has it of one role', () => {
    const probes = search.probes.map((probe) => ({
      ...probe,
      cpuPerRequest: {
        allMs: 40,
        roles: [
          { role: 'main' as const, instances: 1, ms: 16 },
          { role: 'runner' as const, instances: 1, ms: 24 },
        ],
      },
    }));
    for (const { capacity } of [search, passAndMiss]) {
      const there = carriedTo(40, { ...search, capacity, probes });
      expect(there).toMatchObject({ cpuMs: 40, fromMs: 40 });
      expect(there?.ratePerSecond).toBeCloseTo(40, 6);
    }
    expect(carriedTo(20, { ...search, probes })?.ratePerSecond).toBeCloseTo(
      carriedTo(12.25, search)?.ratePerSecond ?? NaN,
      6,
    );
  });

  test('is none where no CPU was seen', () => {
    const probes = search.probes.map((probe) => ({ ...probe, cpuPerRequest: null }));
    expect(priceOf({ ...passAndMiss, probes })).toBeNull();
    expect(carriedTo(8, { ...passAndMiss, probes })).toBeNull();
  });
});

test('the price of an answer is that of its replay, with the speeds that were seen', () => {
  expect(priceOf(search)).toEqual({ cpuMs: 16, fastestMs: 16, slowestMs: 20, of: 'main' });
});
