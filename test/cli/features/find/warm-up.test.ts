import fc from 'fast-check';
import { isWarm, roundOf, type WarmUpRound } from '../../../../cli/src/features/find/find';
import { sampleRun } from '../../../support/sample-run';

const rounds = (...costs: (number | null)[]): WarmUpRound[] =>
  costs.map((cpuMs) => ({ cpuMs, latencyMs: null, requests: 200 }));

/** How many rounds are made where round i costs this much. */
function made(costOf: (i: number) => number | null, budget: number | null, requests = 200): number {
  const so: WarmUpRound[] = [];
  do so.push({ cpuMs: costOf(so.length), latencyMs: null, requests });
  while (!isWarm(so, budget));
  return so.length;
}

describe('a search begins', () => {
  it('once two rounds in a row were no cheaper than those before them', () => {
    expect(isWarm(rounds(40, 30, 25), null)).toBe(false);
    expect(isWarm(rounds(40, 30, 25, 24.5), null)).toBe(false);
    expect(isWarm(rounds(40, 30, 25, 24.5, 25.5), null)).toBe(true);
  });

  it('no sooner where requests only take less time, at the same CPU or where that is not seen', () => {
    const rounds = [120, 60, 31, 30, 32].map((latencyMs) => ({ latencyMs, requests: 200 }));
    for (const cpuMs of [20, null]) {
      const seen = rounds.map((round) => ({ ...round, cpuMs }));
      expect(isWarm(seen.slice(0, 3), null)).toBe(false);
      expect(isWarm(seen.slice(0, 4), null)).toBe(false);
      expect(isWarm(seen, null)).toBe(true);
    }
  });

  it('at the fourth round at the latest of a system that is warm after its first', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.98, max: 1.02, noNaN: true }), { minLength: 8, maxLength: 8 }),
        fc.double({ min: 0.1, max: 100, noNaN: true }),
        (noise, ms) => {
          expect(made((i) => ms * (noise[i] ?? 1), null)).toBeLessThanOrEqual(4);
        },
      ),
    );
  });

  it.each([
    [null, 8],
    [480, 6],
    [300, 3],
    [100, 1],
    [40, 1],
  ])(
    'with a budget of %p s after at most %p rounds, however much cheaper they become',
    (budget, most) => {
      expect(made((i) => 100 / 2 ** i, budget)).toBe(most);
    },
  );

  it('after one round where neither is seen, or they tell nothing', () => {
    expect(made(() => null, null)).toBe(1);
    expect(made((i) => 100 / 2 ** i, null, 6)).toBe(1);
  });
});

test('a round is known by the role that works most and by its requests', () => {
  const { summary } = sampleRun().record;
  const { cpuMs, latencyMs, requests } = roundOf(summary);
  expect(latencyMs).toBe(summary.latencyMs?.mean);
  expect(requests).toBeCloseTo(8 * summary.achieved.ratePerSecond, 9);
  expect(cpuMs).toBeGreaterThan(0);
});
