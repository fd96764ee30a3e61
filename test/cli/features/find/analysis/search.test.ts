import { GENERATOR } from '../../../../../cli/src/analysis/limits/generator';
import { CapacitySearch } from '../../../../../cli/src/features/find/analysis/search';
import { isNarrow } from '../../../../../cli/src/features/find/analysis/levels';
import { estimate } from '../../../../../cli/src/features/find/analysis/estimate';
import { defaultLengths } from '../../../../../cli/src/features/find/settings';
import {
  withDefaults,
  type ProbeOutcome,
  type Probe,
  type SearchSettings,
  type Trial,
} from '../../../../../cli/src/features/find/analysis/types';
import { seededRandom } from '../../../../../cli/src/analysis/statistics/random';
import { probeOfOneServer } from './virtual-queue/one-server';
import { drawn } from '../../../../support/properties';

const UNTRACED = { spentSeconds: null, trace: null } as const;
const SLOTS = { role: 'worker', resource: 'slots' } as const;
const MEMORY = { role: 'main', resource: 'memory' } as const;

/** A system that answers everything up to its limit, with a latency that grows as it nears it. */
function system(limit: number, capacity: number) {
  return (probe: Probe): ProbeOutcome => {
    const rate =
      probe.kind === 'ladder' ? limit * Math.min(1, probe.clients / 10) : probe.ratePerSecond;
    const achievedPerSecond = Math.min(rate, limit);
    const pressure = rate >= limit ? 20 : (limit - capacity) / (limit - rate);
    const failed = probe.kind !== 'ladder' && pressure >= 1;
    return {
      result: failed ? 'not sustained' : 'sustained',
      decided: true,
      achievedPerSecond,
      pressure,
      cpuMs: null,
      stallCostsSeconds: [],
      limit: failed ? SLOTS : null,
      ...UNTRACED,
    };
  };
}

/** The lengths that the command chooses. */
function lengths(budgetSeconds: number | null): Partial<SearchSettings> {
  const { shortSeconds, fullSeconds } = defaultLengths(budgetSeconds);
  return { shortSeconds, fullSeconds, ladderSeconds: shortSeconds / 2 };
}

function run(
  measure: (probe: Probe, i: number) => ProbeOutcome,
  settings: Partial<SearchSettings> = {},
) {
  const search = new CapacitySearch(settings);
  const probes: Probe[] = [];
  for (let probe = search.next(); probe !== null; probe = search.next()) {
    search.record(measure(probe, probes.length));
    probes.push(probe);
    if (probes.length > 100) throw new Error('the search does not end');
  }
  const rates = probes.map((probe) => (probe.kind === 'ladder' ? 0 : probe.ratePerSecond));
  const seconds = probes.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0);
  return { estimate: search.estimate(), probes, rates, seconds };
}

describe('a search', () => {
  test('works out how far it is once after each probe, however often it is asked', () => {
    const search = new CapacitySearch();
    const measure = system(100, 85);
    let before: unknown = null;
    for (let probe = search.next(); probe !== null; probe = search.next()) {
      search.record(measure(probe));
      const now = search.soFar();
      expect(search.soFar()).toBe(now);
      expect(now).not.toBe(before);
      before = now;
    }
    search.retrace([]);
    expect(search.soFar()).not.toBe(before);
    expect(search.soFar()).toEqual(before);
  });

  test.each([
    [100, 85],
    [100, 40],
    [2, 1.9],
    [5_000, 4_950],
    [0.5, 0.4],
  ])('finds the capacity of a system of limit %p and capacity %p', (limit, capacity) => {
    const { estimate } = run(system(limit, capacity));
    expect(isNarrow(estimate)).toBe(true);
    expect(estimate.confirmedPerSecond).toBeLessThanOrEqual(capacity);
    expect(estimate.confirmedPerSecond).toBeGreaterThanOrEqual(0.9 * capacity);
    expect(Math.abs(estimate.capacity / capacity - 1)).toBeLessThan(0.03);
    expect(estimate.low).toBeLessThanOrEqual(capacity);
    expect(estimate.high).toBeGreaterThanOrEqual(capacity);
    expect(estimate.limit).toEqual(SLOTS);
    expect(estimate.contradicting).toEqual([]);
  });

  test('climbs the ladder to the knee, goes on with short probes, and ends with several of full length', () => {
    const { probes } = run(system(100, 85));
    const kinds = probes.map(({ kind }) => kind);
    expect(kinds.slice(0, 5)).toEqual(['ladder', 'ladder', 'ladder', 'ladder', 'growth']);
    for (const probe of probes) {
      if (probe.kind === 'confirm') expect(probe.durationSeconds).toBe(60);
      else expect(probe.durationSeconds).toBeLessThanOrEqual(10);
    }
    expect(kinds.slice(-3)).toEqual(['confirm', 'confirm', 'confirm']);
  });

  test.each([
    ['makes an invalid rung of the ladder again, and goes on with it', 2, [1, 1, 1, 4, 16, 64]],
    ['begins the growth at what was achieved where every rung is invalid', Infinity, [1, 1, 1]],
  ])('%s', (_, disturbed, clients) => {
    const honest = system(100, 85);
    const { estimate, probes, rates } = run((probe, i) =>
      probe.kind === 'ladder' && i < disturbed
        ? { ...honest(probe), achievedPerSecond: 8, result: 'invalid', limit: null }
        : honest(probe),
    );
    expect(probes.flatMap((probe) => (probe.kind === 'ladder' ? probe.clients : []))).toEqual(
      clients,
    );
    expect(rates[clients.length]).toBe(disturbed === 2 ? 85 : 6.8);
    expect(Math.abs(estimate.capacity / 85 - 1)).toBeLessThan(0.05);
  });

  test('grows far beyond a ladder that misled it', () => {
    const honest = system(1_000, 900);
    const { estimate } = run((probe) =>
      probe.kind === 'ladder' ? { ...honest(probe), achievedPerSecond: 20 } : honest(probe),
    );
    expect(estimate.capacity).toBeGreaterThan(860);
  });

  test('ends earlier where less precision is asked for, and later for more', () => {
    const secondsOfOne = (seed: number, precision: number): number => {
      const random = seededRandom(seed);
      const scattered = (probe: Probe): ProbeOutcome => {
        const { pressure, ...rest } = system(100, 85)(probe);
        const seen = (pressure ?? 1) * Math.exp(0.3 * (random() - 0.5));
        return { ...rest, pressure: seen, result: seen < 1 ? 'sustained' : 'not sustained' };
      };
      return run(scattered, { precision }).seconds;
    };
    const secondsAt = (precision: number): number =>
      [1, 2, 3, 4].reduce((sum, seed) => sum + secondsOfOne(seed, precision), 0);
    expect(secondsAt(0.4)).toBeLessThan(secondsAt(0.1));
    expect(secondsAt(0.02)).toBeGreaterThan(secondsAt(0.1));
  });

  test('makes no probe above 95% of its estimate where it is to be gentle', () => {
    const search = new CapacitySearch({ isGentle: true });
    const measure = system(100, 85);
    let [gentle, all] = [0, 0];
    for (let probe = search.next(); probe !== null; probe = search.next()) {
      const { capacity, high } = search.estimate();
      if (probe.kind !== 'ladder' && Number.isFinite(high) && capacity > 0) {
        all += 1;
        if (probe.ratePerSecond <= 0.9501 * capacity) gentle += 1;
      }
      search.record(measure(probe));
    }
    expect(all).toBeGreaterThan(2);
    expect(gentle).toBe(all);
    expect(search.estimate().capacity).toBeGreaterThan(70);
  });

  test('answers the same while a probe is under way, and wants it recorded', () => {
    const search = new CapacitySearch();
    expect(() =>
      search.record({
        result: 'sustained',
        decided: true,
        achievedPerSecond: 1,
        pressure: 0.1,
        cpuMs: null,
        stallCostsSeconds: [],
        limit: null,
        ...UNTRACED,
      }),
    ).toThrow('without a probe');
    expect(search.next()).toEqual(search.next());
  });
});

describe('which CPU decides', () => {
  test('may show only in a later probe: the probes before it then get other traces', () => {
    const search = new CapacitySearch({ percentile: { p: 0.95, boundSeconds: 0.3 } });
    const probe = search.next();
    if (probe !== null) search.record(system(100, 85)(probe));
    expect(search.estimate().whyNoPrice).toBe('the CPU time of each second was not recorded');
    search.retrace([probeOfOneServer(seededRandom(1), { clients: 1 }, 5, () => 0.01)]);
    expect(search.estimate().whyNoPrice).toBe('no probe at a fixed rate had enough requests');
  });
});

describe('noise', () => {
  const honest = system(100, 85);
  const stalled = (probe: Probe): ProbeOutcome => ({
    ...honest(probe),
    result: 'not sustained',
    pressure: 5,
  });
  const lucky = (probe: Probe): ProbeOutcome => ({
    ...honest(probe),
    result: 'sustained',
    pressure: 0.4,
    limit: null,
  });

  /** The answer where the probe of that index went wrong. */
  const struckAt = (struck: number, wrong: typeof honest, settings: Partial<SearchSettings>) =>
    run(
      (probe, i) => (i === struck && probe.kind !== 'ladder' ? wrong(probe) : honest(probe)),
      settings,
    ).estimate;

  describe.each([null, 600, 300, 240, 100])('under a budget of %p s', (budgetSeconds) => {
    const settings = { budgetSeconds, ...lengths(budgetSeconds) };
    const total = run(honest, settings).probes.length;

    test.each([
      ['breach', stalled],
      ['success', lucky],
    ])('one wrong %s, wherever it strikes, does not move the answer far', (_, wrong) => {
      for (const struck of drawn(total)) {
        const { capacity, low, high } = struckAt(struck, wrong, settings);
        expect(capacity).toBeGreaterThan(0.9 * 85);
        expect(capacity).toBeLessThan(1.1 * 85);
        expect(low).toBeLessThanOrEqual(85);
        expect(high).toBeGreaterThanOrEqual(85);
      }
    });
  });

  test('a stall in the first probe of full length is not answered with half the rate', () => {
    // This was seen on n8n: 79.7 and 80.7/s sustained, 83.8/s not; one probe at 80.05/s missed by a stall.
    const n8n = system(84, 82);
    let stalls = 1;
    const { estimate, rates } = run(
      (probe) => {
        const outcome = n8n(probe);
        if (probe.kind !== 'confirm' || stalls === 0) return outcome;
        stalls -= 1;
        return { ...outcome, result: 'not sustained', pressure: 1.6, limit: null };
      },
      { budgetSeconds: 240, ...lengths(240) },
    );
    expect(estimate.capacity).toBeGreaterThan(78);
    expect(estimate.capacity).toBeLessThan(84);
    expect(estimate.low).toBeGreaterThan(70);
    expect(Math.min(...rates.slice(-3))).toBeGreaterThan(70);
  });

  test('on a machine whose speed changed the interval takes in the speeds that were seen', () => {
    const measure =
      (ms: (i: number) => number | null) =>
      (probe: Probe, i: number): ProbeOutcome => ({ ...honest(probe), cpuMs: ms(i) });
    const width = ({ low, high }: { low: number; high: number }) => high / low;
    const unseen = run(measure(() => null)).estimate;
    const steady = run(measure((i) => 10 + 0.3 * (i % 2))).estimate;
    const drifting = run(measure((i) => 10 + 3 * (i % 2))).estimate;
    expect(steady).toEqual(unseen);
    expect(drifting.capacity).toBe(unseen.capacity);
    expect(width(drifting)).toBeGreaterThan(1.2 * width(unseen));
    expect(isNarrow(drifting)).toBe(false);
  });

  test('stalls count by how often they came: the interval takes in what they may cost, and what a run without one shows', () => {
    // One of 1.6 s with p95<300ms costs 26 s; the system does 100/s at the most.
    const stalling = (every: number) =>
      run((probe, i) => ({ ...honest(probe), stallCostsSeconds: i % every === 0 ? [26] : [] }));
    const unseen = run(honest);
    const often = stalling(2);
    // Only the interval is another one.
    expect(often.rates).toEqual(unseen.rates);
    expect(often.estimate.capacity).toBe(unseen.estimate.capacity);
    const events = often.probes.filter((_, i) => i % 2 === 0).length;
    expect(often.estimate.low).toBeLessThan(100 * (1 - (26 * events) / often.seconds));
    expect(often.estimate.low).toBeGreaterThan(0);
    expect(often.estimate.high).toBeGreaterThanOrEqual(unseen.estimate.high);
    expect(isNarrow(often.estimate)).toBe(false);
    // So short that they cost next to nothing: nothing changes.
    const short = run((probe) => ({ ...honest(probe), stallCostsSeconds: [0.01] }));
    expect(short.estimate).toEqual(unseen.estimate);
  });

  test('probes that contradict the answer are named', () => {
    const trial = (ratePerSecond: number, sustained: boolean, pressure: number): Trial => ({
      probe: { kind: 'confirm', ratePerSecond, durationSeconds: 60 },
      outcome: {
        result: sustained ? 'sustained' : 'not sustained',
        decided: true,
        achievedPerSecond: ratePerSecond,
        pressure,
        cpuMs: null,
        stallCostsSeconds: [],
        limit: null,
        ...UNTRACED,
      },
    });
    const around = [58, 59, 59.5].map((rate) => trial(rate, true, 0.9));
    const above = [61, 62, 63].map((rate) => trial(rate, false, 1.4));
    const { contradicting } = estimate(
      [...around, ...above, trial(95, true, 0.5)],
      withDefaults({}),
    );
    expect(contradicting).toEqual([{ ratePerSecond: 95, sustained: true }]);
  });
});

describe('where there is no plain answer', () => {
  test('nothing holds: capacity 0, and it says what failed', () => {
    const { estimate, probes } = run((probe) => ({
      result: 'not sustained',
      decided: true,
      achievedPerSecond: probe.kind === 'ladder' ? 50 : 0,
      pressure: 9,
      cpuMs: null,
      stallCostsSeconds: [],
      limit: MEMORY,
      ...UNTRACED,
    }));
    expect(estimate).toMatchObject({ capacity: 0, confirmedPerSecond: null, limit: MEMORY });
    expect(probes.length).toBeLessThan(20);
  });

  test('SLOs without a scale are searched by their verdicts alone', () => {
    const honest = system(100, 90);
    const { estimate } = run((probe) => ({ ...honest(probe), pressure: null }));
    expect(estimate.capacity).toBeGreaterThan(84);
    expect(estimate.capacity).toBeLessThanOrEqual(92);
  });

  test('a saturated generator is no breach: the answer is what held below it', () => {
    const honest = system(1_000, 900);
    const { estimate } = run((probe) =>
      probe.kind !== 'ladder' && probe.ratePerSecond > 300
        ? {
            result: 'invalid',
            decided: true,
            achievedPerSecond: 300,
            pressure: 3,
            cpuMs: null,
            stallCostsSeconds: [],
            limit: GENERATOR,
            ...UNTRACED,
          }
        : honest(probe.kind === 'ladder' ? { ...probe, clients: 1 } : probe),
    );
    expect(estimate.limit).toEqual(GENERATOR);
    expect(isNarrow(estimate)).toBe(false);
    expect(estimate.capacity).toBeGreaterThan(80);
    expect(estimate.capacity).toBeLessThanOrEqual(300);
    expect(estimate.high).toBe(Infinity);
  });

  test('probes without their whole load say nothing of what the generator can do', () => {
    const honest = system(100, 85);
    const { estimate, rates } = run((probe, i) =>
      i === 4 || i === 5 ? { ...honest(probe), result: 'invalid', limit: null } : honest(probe),
    );
    expect(rates[5]).toBe(rates[4]);
    expect(estimate.limit).toEqual(SLOTS);
    expect(estimate.capacity).toBeGreaterThan(80);
  });

  test('one invalid probe is made again and leaves no trace', () => {
    const honest = system(100, 85);
    const { estimate, rates } = run((probe, i) =>
      i === 4 ? { ...honest(probe), result: 'invalid' } : honest(probe),
    );
    expect(rates[5]).toBe(rates[4]);
    expect(estimate.limit).toEqual(SLOTS);
    expect(estimate.capacity).toBeGreaterThan(80);
  });
});

describe('a budget', () => {
  test.each([20, 60, 90, 120, 180, 300])('of %p s is never overdrawn', (budgetSeconds) => {
    const { seconds } = run(system(100, 85), { budgetSeconds, ...lengths(budgetSeconds) });
    expect(seconds).toBeLessThanOrEqual(budgetSeconds);
  });

  test('too small for an answer says so, with a wider interval', () => {
    const small = run(system(100, 85), { budgetSeconds: 50, ...lengths(50) }).estimate;
    const full = run(system(100, 85)).estimate;
    expect(small.cutShort).toBe(true);
    expect(full.cutShort).toBe(false);
    expect(small.high - small.low).toBeGreaterThan(full.high - full.low);
    expect(small.low).toBeLessThan(85);
    expect(small.high).toBeGreaterThan(85);
  });
});
