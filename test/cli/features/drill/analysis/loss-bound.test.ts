import fc from 'fast-check';
import { lossBound } from '../../../../../cli/src/features/drill/analysis/ledger-summary';

test('after no loss in N it is the rule of three', () => {
  for (const requests of [100, 1_000, 100_000]) {
    const bound = lossBound(0, requests);
    expect(bound * requests).toBeGreaterThan(2.9);
    expect(bound).toBeLessThan(3 / requests);
    expect(bound).toBeCloseTo(1 - 0.05 ** (1 / requests), 9);
  }
});

test('the bound of losses lies above what was seen, and falls with more requests', () => {
  fc.assert(
    fc.property(fc.nat(50), fc.integer({ min: 51, max: 5_000 }), (lost, requests) => {
      const bound = lossBound(lost, requests);
      expect(bound).toBeGreaterThan(lost / requests);
      expect(lossBound(lost, 2 * requests)).toBeLessThan(bound);
      expect(lossBound(lost + 1, requests)).toBeGreaterThan(bound);
    }),
  );
});

test('the bound of losses is 1 where nothing was sent, or all was lost', () => {
  expect([lossBound(0, 0), lossBound(3, 3)]).toEqual([1, 1]);
});
