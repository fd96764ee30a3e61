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
