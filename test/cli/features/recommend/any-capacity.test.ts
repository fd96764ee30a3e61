import fc from 'fast-check';
import { parse } from 'yaml';
import {
  isEnough,
  plannedPerSecond,
} from '../../../../cli/src/features/find/analysis/planned-share';
import type { CapacityEvidence } from '../../../../cli/src/features/recommend/analysis/evidence';
import { plannedRate, recommend } from '../../../../cli/src/features/recommend/analysis/recommend';
import { valuesYaml } from '../../../../cli/src/features/recommend/values';
import { runs } from '../../../support/properties';
import { queue, regular } from './evidence';
import { formatNumber } from '../../../../cli/src/ui/numbers';
import type { Topology } from '../../../../cli/src/plan/topology';
import type { KnownFind } from '../../../../cli/src/features/recommend/read';
import { candidates, findEach } from '../../../../cli/src/features/recommend/find-each';

const capacity = fc.double({ min: 1e-3, max: 1e5, noNaN: true, minExcluded: true });

/** Searches of one layout or several, repeated or not, in any order. */
const searches: fc.Arbitrary<CapacityEvidence[]> = fc.array(
  fc.oneof(
    capacity.map((rate) => regular(rate)),
    fc.tuple(fc.integer({ min: 1, max: 8 }), capacity).map(([n, rate]) => queue(n, rate)),
  ),
  { minLength: 1, maxLength: 6 },
);

describe('whatever was recorded', () => {
  test('a recommendation without a wanted rate is made, and its values are written', () => {
    fc.assert(
      fc.property(searches, (evidence) => {
        const found = recommend(evidence, plannedRate(evidence));
        if (found === null) throw new Error('nothing is recommended');
        expect(parse(valuesYaml(found))).toHaveProperty('main.resources.requests.cpu');
      }),
      { numRuns: runs(300) },
    );
  });

  test('the planned rate of a capacity is enough, exactly and as a report shows it', () => {
    fc.assert(
      fc.property(capacity, (rate) => {
        expect(isEnough(rate, plannedPerSecond(rate))).toBe(true);
        expect(
          isEnough(rate, Number(formatNumber(plannedPerSecond(rate)).replaceAll(',', ''))),
        ).toBe(true);
        expect(isEnough(rate, 1.01 * plannedPerSecond(rate))).toBe(false);
      }),
      { numRuns: runs(10_000) },
    );
  });
});

/** Searches that find so much, by the number of workers (0: regular mode). */
async function searched(capacities: Record<number, number>, rate: number): Promise<number[]> {
  const made: number[] = [];
  await findEach(candidates(0, 4), rate, (topology) => {
    const workers = topology.mode === 'queue' ? topology.workers.count : 0;
    made.push(workers);
    const capacity = capacities[workers] ?? 0;
    const evidence = capacity > 0 ? regular(capacity) : null;
    return Promise.resolve({ evidence } as KnownFind);
  });
  return made;
}

test('one process is tried first, and is enough where it sustains the rate with 20% to spare', async () => {
  expect(await searched({ 0: 50 }, 40)).toEqual([0]);
  expect(await searched({ 0: 49, 1: 60 }, 40)).toEqual([0, 1]);
});

test('larger ones follow until one will do, or none does', async () => {
  expect(await searched({ 0: 30, 1: 40, 3: 90 }, 60)).toEqual([0, 1, 3]);
  expect(await searched({}, 60)).toEqual([0, 1, 3]);
});

test('workers keep to the cores there are; work that waits gets more slots', () => {
  const counts = (all: Topology[]): number[] =>
    all.filter(({ mode }) => mode === 'queue').map(({ workers }) => workers.count);
  expect(counts(candidates(0, 2))).toEqual([1]);
  expect(counts(candidates(0, 8))).toEqual([1, 7]);
  expect(candidates(5000, 2).map(({ tuning }) => tuning)).toEqual(['io-bound', 'io-bound']);
});
