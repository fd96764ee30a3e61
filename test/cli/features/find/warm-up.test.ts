import fc from 'fast-check';
import { isWarm, roundOf, type WarmUpRound } from '../../../../cli/src/features/find/find';
import { exponential } from '../../../../cli/src/analysis/statistics/random';
import { CapacitySearch } from '../../../../cli/src/features/find/analysis/search';
import { prober } from './analysis/simulated/drive';
import type { System } from './analysis/simulated/systems';
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
    const rounds = [120, 60, 31, 30, 32, 31].map((latencyMs) => ({ latencyMs, requests: 200 }));
    for (const cpuMs of [20, null]) {
      const seen = rounds.map((round) => ({ ...round, cpuMs }));
      expect(isWarm(seen.slice(0, 3), null)).toBe(false);
      expect(isWarm(seen.slice(0, 5), null)).toBe(false);
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
    [300, 7],
    [200, 5],
    [100, 2],
    [40, 1],
  ])(
    'with a budget of %p s after at most %p rounds, however much cheaper they become',
    (budget, max) => {
      expect(made((i) => 100 / 2 ** i, budget)).toBe(max);
    },
  );

  it('after one round where neither is seen, or they tell nothing', () => {
    expect(made(() => null, null)).toBe(1);
    expect(made((i) => 100 / 2 ** i, null, 6)).toBe(1);
  });
});

describe('a server that is four times slower for its first 1,200 requests', () => {
  const BUDGET = 300;
  const P95_SECONDS = 0.2;
  const cold = (workSeconds: number): System => ({
    ...{ name: 'cold', family: 'warm-up', p95Seconds: P95_SECONDS, steady: true },
    model: {
      ...{ servers: 1, arrivals: 'poisson' },
      service: ({ random, servedEver }) =>
        exponential(random, workSeconds) * (1 + 3 * Math.max(0, 1 - servedEver / 1_200)),
    },
  });

  /** The rounds as the command makes them, and then the search. */
  function searched(workSeconds: number, isSeen: boolean) {
    const probe = prober(cold(workSeconds), 11);
    const so: WarmUpRound[] = [];
    do {
      const { achievedPerSecond, cpuMs } = probe({ clients: 4 }, 8);
      const latencyMs = 4_000 / achievedPerSecond;
      so.push({ cpuMs: isSeen ? cpuMs : null, latencyMs, requests: 8 * achievedPerSecond });
    } while (!isWarm(so, BUDGET));
    const search = new CapacitySearch({ budgetSeconds: BUDGET, fullSeconds: 50 });
    for (let next = search.next(); next !== null; next = search.next()) {
      const load =
        next.kind === 'ladder' ? { clients: next.clients } : { ratePerSecond: next.ratePerSecond };
      search.record(probe(load, next.durationSeconds));
    }
    return { so, found: search.estimate() };
  }

  it.each([
    [0.006, true],
    [0.012, true],
    [0.012, false],
    [0.02, false],
  ])('of %p s is found to do what it does once it is warm, its CPU seen: %p', (work, isSeen) => {
    const { so, found } = searched(work, isSeen);
    // It may take as long as it may, and be nearly there.
    const slower = (so.at(-1)?.latencyMs ?? NaN) / (4_000 * work);
    expect(slower).toBeLessThan(so.length < 7 ? 1.15 : 2);
    // M/M/1: p95 is log 20 over what the server could do beyond the rate.
    const truth = 1 / work - Math.log(20) / P95_SECONDS;
    expect(Math.abs(found.capacity / truth - 1)).toBeLessThan(0.1);
    expect(found.low).toBeLessThan(truth);
    expect(found.high).toBeGreaterThan(truth);
  });
});

test('a round is known by the role that works most and by its requests', () => {
  const { summary } = sampleRun().record;
  const { cpuMs, latencyMs, requests } = roundOf(summary);
  expect(latencyMs).toBe(summary.latencyMs?.mean);
  expect(requests).toBeCloseTo(8 * summary.achieved.ratePerSecond, 9);
  expect(cpuMs).toBeGreaterThan(0);
});
