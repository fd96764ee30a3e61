import { atEqualPrice } from '../../../../../cli/src/features/compare/analysis/equal-price';

const side = (values: (number | null)[], cpuMs: (number | null)[]) => ({ values, cpuMs });
const order = { metric: 'throughput', maxPairs: 10 } as const;

describe('the ratio at equal price', () => {
  test('of one n8n on a fast and on a slow machine is 1', () => {
    const fast = side([100, 102, 98, 100], [10, 10, 10, 10]);
    const slow = side([50, 51, 49, 50], [20, 20, 20, 20]);
    expect(atEqualPrice(fast, slow, order)).toMatchObject({
      cpuMs: { a: 10, b: 20 },
      ratio: { value: expect.closeTo(1, 9) },
    });
  });

  test('follows each pair, so that a machine that slows down for one run changes nothing', () => {
    const a = side([100, 50, 100, 100], [10, 20, 10, 10]);
    const b = side([200, 200, 100, 200], [10, 10, 20, 10]);
    const found = atEqualPrice(a, b, order);
    expect(found?.ratio.value).toBeCloseTo(2, 9);
    expect(found?.ratio.low).toBeCloseTo(2, 9);
  });

  test('leaves out pairs of which one run was not valid, or whose CPU was not seen', () => {
    const a = side([100, null, 100], [10, 10, null]);
    const b = side([100, 100, 100], [10, 10, 10]);
    expect(atEqualPrice(a, b, order)).toMatchObject({ cpuMs: { a: 10, b: 10 } });
    expect(atEqualPrice(side([null, 1], [1, null]), b, order)).toBeNull();
    expect(atEqualPrice({ values: [100] }, b, order)).toBeNull();
  });

  test.each(['p95', 'memory', 'cpu-per-request'] as const)('is none of %s', (metric) => {
    const both = side([100, 100], [10, 10]);
    expect(atEqualPrice(both, both, { ...order, metric })).toBeNull();
  });
});
