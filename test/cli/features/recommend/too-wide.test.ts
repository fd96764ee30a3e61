import fc from 'fast-check';
import { evidenceOf } from '../../../../cli/src/features/recommend/analysis/evidence';
import { isTooWide } from '../../../../cli/src/features/find/analysis/planned-share';
import { sureOnes } from '../../../../cli/src/features/recommend/analysis/choose-evidence';
import type { FindRecord } from '../../../../cli/src/features/find/record';
import { Failure } from '../../../../cli/src/ui/exit';
import { runs } from '../../../support/properties';
import { sampleSearch } from '../../../support/sample-find';
import { sampleRun } from '../../../support/sample-run';
import { plannedRate } from '../../../../cli/src/features/recommend/analysis/recommend';

const { record: run } = sampleRun();

const search = (
  id: string,
  verdict: FindRecord['verdict'],
  low: number,
  high: number | null,
): FindRecord => ({
  ...{ ...sampleSearch(), id, verdict, topology: run.topology },
  capacity: { ratePerSecond: high === null ? low : (low + high) / 2, low, high, confirmed: true },
});

const used = (...searches: FindRecord[]): string[] => {
  const evidence = searches.map(evidenceOf).filter((one) => one !== null);
  return sureOnes(evidence, searches).map(({ source }) => source);
};

describe('a capacity whose interval is wider than a factor of two', () => {
  it('gets no values, whatever its verdict, and a narrower one does', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<FindRecord['verdict']>('found', 'not confirmed', 'inconclusive'),
        fc.double({ min: 0.1, max: 1_000, noNaN: true }),
        fc.double({ min: 1, max: 10, noNaN: true }),
        (verdict, low, ratio) => {
          const one = search('one', verdict, low, low * ratio);
          if (isTooWide(one.capacity)) expect(() => used(one)).toThrow(Failure);
          else expect(used(one)).toEqual(['one']);
        },
      ),
      { numRuns: runs(200) },
    );
  });

  it.each([
    [10, 20, false],
    [10, 20.1, true],
    [3.1, 41, true],
    [0, 5, true],
    // Nobody knows how much more it sustains.
    [10, null, true],
  ])('is one from %p to %p: %p', (low, high, isWide) => {
    expect(isTooWide({ low, high })).toBe(isWide);
  });

  it('is named, with what to do', () => {
    expect(() => used(search('one', 'inconclusive', 3.1, 41))).toThrow(
      /^no values were written: the capacity of .* is between 3.1 and 41\/s, and this interval is wider than a factor of two\. Search longer \(n8n-tuned find --continue FOLDER --budget 10m\), or on a quiet machine/,
    );
  });

  it('is named too if it has no upper end, where a search is INCONCLUSIVE', () => {
    expect(() => used(search('one', 'inconclusive', 86, null))).toThrow(
      /^no values were written: the capacity of .* is at least 86\/s, and the search found no upper end\. Search longer \(n8n-tuned find --continue FOLDER --budget 10m\), or on a quiet machine/,
    );
  });

  it('is left out where another search is surer', () => {
    const [wide, narrow] = [search('a', 'inconclusive', 3, 41), search('b', 'found', 30, 36)];
    expect(used(wide, narrow)).toEqual(['b']);
  });
});

test.each<FindRecord['verdict']>(['not confirmed', 'inconclusive'])(
  'of an answer that is %s no more is planned with than the search advises',
  (verdict) => {
    const capacity = { ratePerSecond: 98.3, low: 47.3, high: 115, confirmed: true };
    const advised = { share: 0.8, ratePerSecond: 0.8 * 47.3 };
    const search = { ...sampleSearch(), topology: run.topology, verdict, capacity, advised };
    const evidence = evidenceOf(search);
    if (evidence === null) throw new Error('the search says nothing');
    expect(plannedRate([evidence])).toBeCloseTo(advised.ratePerSecond, 6);
  },
);
