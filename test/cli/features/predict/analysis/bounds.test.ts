import {
  cpuBound,
  predict,
  slotsBound,
} from '../../../../../cli/src/features/predict/analysis/bounds';
import { normal, seededRandom } from '../../../../../cli/src/analysis/statistics/random';
import {
  fitUsl,
  predictUsl,
  uslRate,
  type UslFit,
} from '../../../../../cli/src/features/predict/analysis/usl';
import { runs } from '../../../../support/properties';

const truth = { g: 40, a: 0.06, b: 0.002 };
const sizes = [1, 2, 4, 6, 8, 12];

function fitted(noise: number, seed = 1, coefficients = truth): UslFit {
  const random = seededRandom(seed);
  const points = sizes.map((n) => ({
    n,
    ratePerSecond: uslRate(coefficients, n) * Math.exp(noise * normal(random)),
  }));
  const fit = fitUsl(points, random);
  if (typeof fit === 'string') throw new Error(fit);
  return fit;
}

describe('scalability law', () => {
  test('gives back the coefficients that made the points', () => {
    const fit = fitted(0);
    expect(fit.g.value).toBeCloseTo(40, 6);
    expect(fit.a.value).toBeCloseTo(0.06, 6);
    expect(fit.b.value).toBeCloseTo(0.002, 6);
    expect(fit.peak).toBeCloseTo(Math.sqrt(0.94 / 0.002), 4);
    expect(Math.max(...fit.leaveOneOut.map(({ error }) => Math.abs(error)))).toBeLessThan(1e-6);
  });

  test.each([
    ['straight', { g: 10, a: 0, b: 0 }],
    ['only contention', { g: 10, a: 0.2, b: 0 }],
    ['only coherency', { g: 10, a: 0, b: 0.01 }],
  ])('stays within its bounds: %s', (_, coefficients) => {
    const fit = fitted(0.03, 4, coefficients);
    expect(fit.a.value).toBeGreaterThanOrEqual(0);
    expect(fit.b.value).toBeGreaterThanOrEqual(0);
    expect(fit.g.value).toBeGreaterThan(9);
    expect(fit.g.value).toBeLessThan(11);
  });

  test('its intervals hold the true rate about as often as they say, also beyond the points', () => {
    let held = 0;
    const all = runs(100);
    for (let seed = 0; seed < all; seed += 1) {
      const predicted = predictUsl(fitted(0.03, seed), 16);
      if (typeof predicted === 'string') throw new Error(predicted);
      const actual = uslRate(truth, 16);
      if (predicted.low <= actual && actual <= predicted.high) held += 1;
    }
    expect(held / all).toBeGreaterThanOrEqual(0.93);
  });

  test('a size left out is predicted within 10% under 3% noise', () => {
    const errors = fitted(0.03, 2).leaveOneOut.map(({ error }) => Math.abs(error));
    expect(errors).toHaveLength(6);
    expect(Math.max(...errors)).toBeLessThan(0.1);
  });

  test('refuses more than three times the measured range', () => {
    expect(predictUsl(fitted(0.01), 36)).toMatchObject({ value: expect.any(Number) as number });
    expect(predictUsl(fitted(0.01), 37)).toContain(
      'more than 3 times the largest size measured (12)',
    );
  });

  test('refuses three sizes, however often each was measured', () => {
    const points = [1, 1, 2, 2, 4, 4].map((n) => ({ n, ratePerSecond: 10 * n }));
    expect(fitUsl(points, seededRandom(1))).toBe(
      'a scalability fit needs 4 different sizes, but there are only 3',
    );
  });
});

describe('bounds', () => {
  const exactly = (value: number) => ({ value, low: value, high: value });

  test('a bound by slots is their number over the time that one is held', () => {
    expect(
      slotsBound({ name: 'worker slots', count: 10, heldSeconds: exactly(5) }).ratePerSecond.value,
    ).toBe(2);
  });

  test('a CPU bound is cores over CPU per request, with the interval turned round', () => {
    const bound = cpuBound({
      name: 'CPU',
      cores: 2,
      millisecondsPerRequest: { value: 40, low: 32, high: 50 },
    });
    expect(bound.ratePerSecond).toEqual({ value: 50, low: 40, high: 62.5 });
  });

  test('the lowest is the answer, and named', () => {
    const { lowest, bounds } = predict({
      slots: { name: 'worker slots', count: 20, heldSeconds: exactly(5) },
      cpu: [{ name: 'CPU', cores: 2, millisecondsPerRequest: exactly(40) }],
      scaling: { fit: fitted(0.01), n: 4, of: 'workers' },
    });
    expect(bounds.map(({ name }) => name)).toEqual(['worker slots', 'CPU', 'scaling']);
    expect(lowest).toMatchObject({ name: 'worker slots', evidence: '20 slots, each held for 5 s' });
  });

  test('what cannot be predicted is refused, not guessed', () => {
    const prediction = predict({ scaling: { fit: fitted(0.01), n: 100, of: 'workers' } });
    expect(prediction.lowest).toBeNull();
    expect(prediction.refused).toHaveLength(1);
  });
});
