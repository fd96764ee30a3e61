import { latencies } from '../../../../cli/src/stand-in/analysis/latency';
import type { Latency } from '../../../../cli/src/stand-in/plan';
import { seededRandom } from '../../../../loadtests/lib/random';

const drawn = (latency: Latency, count = 20_000, seed = 1): number[] => {
  const draw = latencies(latency, seededRandom(seed));
  return Array.from({ length: count }, draw).sort((one, other) => one - other);
};
const at = (values: readonly number[], share: number): number =>
  values[Math.floor(share * values.length)] ?? NaN;

test('a lognormal latency has the percentiles that were asked for', () => {
  const values = drawn({ kind: 'lognormal', p50Ms: 120, p95Ms: 900 });
  expect(at(values, 0.5) / 120).toBeCloseTo(1, 1);
  expect(at(values, 0.95) / 900).toBeCloseTo(1, 1);
});

test('quantiles are met, and nothing lies beyond the last', () => {
  const points = [
    { share: 0.5, ms: 100 },
    { share: 0.95, ms: 400 },
    { share: 0.99, ms: 2000 },
  ];
  const values = drawn({ kind: 'quantiles', points });
  for (const { share, ms } of points) expect(at(values, share - 0.005) / ms).toBeCloseTo(1, 0);
  expect([values[0], values.at(-1)]).toEqual([100, 2000]);
});

test('the same seed gives the same latencies, and another one others', () => {
  const latency: Latency = { kind: 'lognormal', p50Ms: 10, p95Ms: 20 };
  expect(drawn(latency, 50, 3)).toEqual(drawn(latency, 50, 3));
  expect(drawn(latency, 50, 4)).not.toEqual(drawn(latency, 50, 3));
});
