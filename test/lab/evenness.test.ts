// How evenly requests are spread, as the page on balancing says it.
import { coefficientOfVariation, gini as giniOf } from '../../lab/generate/studies/balancing';

const evennessOf = (all: number[][]): { variation: number; gini: number }[] =>
  all.map((one) => ({ variation: coefficientOfVariation(one), gini: giniOf(one) }));

test.each([
  ['as many for each', [25, 25, 25, 25], 0, 0],
  ['all for one of four', [0, 100, 0, 0], Math.sqrt(3), 3 / 4],
  ['one of two gets a third', [100, 200], 1 / 3, 1 / 6],
  ['a single process', [7], 0, 0],
])('%s', (_, counts, variation, gini) => {
  const [seen] = evennessOf([counts]);
  expect(seen?.variation).toBeCloseTo(variation, 12);
  expect(seen?.gini).toBeCloseTo(gini, 12);
});

test('neither the order of the processes nor how many requests there were matters', () => {
  const [first, ...others] = evennessOf([
    [10, 20, 70],
    [70, 10, 20],
    [1000, 2000, 7000],
  ]);
  for (const other of others) {
    expect(other.variation).toBeCloseTo(first?.variation ?? NaN, 12);
    expect(other.gini).toBeCloseTo(first?.gini ?? NaN, 12);
  }
});
