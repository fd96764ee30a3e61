import { minRequests } from '../../../../cli/src/analysis/slo/min-requests';
import {
  percentileInterval,
  shareInterval,
} from '../../../../cli/src/analysis/statistics/statistics';
import { binomialCdf } from '../../../../cli/src/analysis/statistics/distributions';

describe('the fewest requests that an SLO needs', () => {
  test.each([
    ['p50', 0.5, 6],
    ['p90', 0.9, 36],
    ['p95', 0.95, 72],
    ['p99', 0.99, 368],
    ['p99.9', 0.999, 3_688],
  ] as const)('%s', (metric, share, min) => {
    expect(minRequests(metric, 300)).toBe(min);
    // From here on the largest of n is above the true percentile with 97.5%, one fewer is not enough.
    expect(1 - binomialCdf(min - 1, min, share)).toBeLessThanOrEqual(0.025);
    expect(1 - binomialCdf(min - 2, min - 1, share)).toBeGreaterThan(0.025);
    const values = Float64Array.from({ length: min }, (_, i) => i);
    expect(percentileInterval(values, share).high).toBe(min - 1);
  });

  test.each([0.001, 0.01, 0.05, 0.5])(
    'errors<%p: as many as show it where none failed',
    (bound) => {
      const min = minRequests('errors', bound);
      expect(shareInterval(0, min).high).toBeLessThan(bound);
      expect(shareInterval(0, min - 1).high).toBeGreaterThanOrEqual(bound);
    },
  );

  test('what no request shows needs none', () => {
    expect(minRequests('backlog', 0)).toBe(1);
    expect(minRequests('errors', 0)).toBe(1);
  });
});
