import { CapacitySearch } from '../../../capacity/src/analysis/search/search';
import type { Outcome, Probe, Settings } from '../../../capacity/src/analysis/search/types';

/** A system that answers everything up to its limit, with a latency that grows as it nears it. */
function system(limit: number, capacity: number) {
  return (probe: Probe): Outcome => {
    const rate =
      probe.kind === 'ladder' ? limit * Math.min(1, probe.clients / 10) : probe.ratePerSecond;
    const achievedPerSecond = Math.min(rate, limit);
    const pressure = rate >= limit ? 20 : (limit - capacity) / (limit - rate);
    const failed = probe.kind !== 'ladder' && pressure >= 1;
    return {
      result: failed ? 'failed' : 'held',
      achievedPerSecond,
      pressure,
      limit: failed ? 'worker slots' : null,
    };
  };
}

function run(measure: (probe: Probe, i: number) => Outcome, settings: Partial<Settings> = {}) {
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
  test.each([
    [100, 85],
    [100, 40],
    [2, 1.9],
    [5_000, 4_950],
    [0.5, 0.4],
  ])('finds the capacity of a system of limit %p and capacity %p', (limit, capacity) => {
    const { estimate } = run(system(limit, capacity));
    expect(estimate.confirmed).toBe(true);
    expect(estimate.capacity / capacity).toBeGreaterThan(0.96);
    expect(estimate.capacity / capacity).toBeLessThanOrEqual(1);
    expect(estimate.low).toBeLessThanOrEqual(capacity);
    expect(estimate.high).toBeGreaterThanOrEqual(capacity);
    expect(estimate.limit).toBe('worker slots');
  });

  test('climbs the ladder to the knee, goes on with short probes, and ends with two of full length that held', () => {
    const { probes, estimate } = run(system(100, 85));
    const kinds = probes.map(({ kind }) => kind);
    expect(kinds.slice(0, 5)).toEqual(['ladder', 'ladder', 'ladder', 'ladder', 'growth']);
    for (const probe of probes) {
      if (probe.kind === 'confirm') expect(probe.durationSeconds).toBe(60);
      else expect(probe.durationSeconds).toBeLessThanOrEqual(10);
    }
    const last = probes
      .slice(-2)
      .map((probe) => (probe.kind === 'confirm' ? probe.ratePerSecond : 0));
    expect(last).toEqual([estimate.capacity, estimate.capacity]);
  });

  test('grows far beyond a ladder that misled it', () => {
    const honest = system(1_000, 900);
    const { estimate } = run((probe) =>
      probe.kind === 'ladder' ? { ...honest(probe), achievedPerSecond: 20 } : honest(probe),
    );
    expect(estimate.capacity).toBeGreaterThan(860);
  });

  test('measures every breach again before it goes on', () => {
    const { probes, rates } = run(system(100, 85));
    for (const [i, probe] of probes.entries()) {
      if (probe.kind === 'ladder' || probe.ratePerSecond <= 85) continue;
      const again = rates.filter((rate) => rate === probe.ratePerSecond).length;
      expect(again).toBeGreaterThanOrEqual(2);
      expect([rates[i - 1], rates[i + 1]]).toContain(probe.ratePerSecond);
    }
  });

  test('answers the same while a probe is under way, and wants it recorded', () => {
    const search = new CapacitySearch();
    expect(() =>
      search.record({ result: 'held', achievedPerSecond: 1, pressure: 0.1, limit: null }),
    ).toThrow('without a probe');
    expect(search.next()).toEqual(search.next());
  });
});

describe('noise', () => {
  test('one wrong breach, wherever it strikes, does not move the answer', () => {
    const honest = system(100, 85);
    const total = run(honest).probes.length;
    for (let struck = 0; struck < total; struck += 1) {
      const { estimate } = run((probe, i) =>
        i === struck && probe.kind !== 'ladder'
          ? { ...honest(probe), result: 'failed', pressure: 5 }
          : honest(probe),
      );
      expect(estimate.capacity).toBeGreaterThan(80);
      expect(estimate.capacity).toBeLessThanOrEqual(85);
    }
  });

  test('one wrong success does not either: a bound that it moved moves back', () => {
    const honest = system(100, 85);
    const total = run(honest).probes.length;
    for (let struck = 0; struck < total; struck += 1) {
      const { estimate } = run((probe, i) =>
        i === struck
          ? { ...honest(probe), result: 'held', pressure: 0.4, limit: null }
          : honest(probe),
      );
      expect(estimate.capacity).toBeGreaterThan(80);
      expect(estimate.capacity).toBeLessThanOrEqual(85);
    }
  });
});

describe('where there is no plain answer', () => {
  test('nothing holds: capacity 0, and it says what failed', () => {
    const { estimate, probes } = run((probe) => ({
      result: 'failed',
      achievedPerSecond: probe.kind === 'ladder' ? 50 : 0,
      pressure: 9,
      limit: 'memory',
    }));
    expect(estimate).toMatchObject({ capacity: 0, confirmed: false, limit: 'memory' });
    expect(probes.length).toBeLessThan(20);
  });

  test('SLOs without a scale are searched by their verdicts alone', () => {
    const honest = system(100, 90);
    const { estimate } = run((probe) => ({ ...honest(probe), pressure: null }));
    expect(estimate.capacity).toBeGreaterThan(84);
    expect(estimate.capacity).toBeLessThanOrEqual(90);
  });

  test('a saturated generator is no breach: the answer is what held below it', () => {
    const honest = system(1_000, 900);
    const { estimate } = run((probe) =>
      probe.kind !== 'ladder' && probe.ratePerSecond > 300
        ? { result: 'invalid', achievedPerSecond: 300, pressure: 3, limit: 'load generator' }
        : honest(probe.kind === 'ladder' ? { ...probe, clients: 1 } : probe),
    );
    expect(estimate.limit).toBe('load generator');
    expect(estimate.confirmed).toBe(true);
    expect(estimate.capacity).toBeGreaterThan(80);
    expect(estimate.capacity).toBeLessThanOrEqual(300);
    expect(estimate.high).toBe(Infinity);
  });

  test('one invalid probe is made again and leaves no trace', () => {
    const honest = system(100, 85);
    const { estimate, rates } = run((probe, i) =>
      i === 4 ? { ...honest(probe), result: 'invalid' } : honest(probe),
    );
    expect(rates[5]).toBe(rates[4]);
    expect(estimate.limit).toBe('worker slots');
    expect(estimate.capacity).toBeGreaterThan(80);
  });
});

describe('a budget', () => {
  test.each([60, 90, 120, 180, 300])('of %p s is never overdrawn', (budgetSeconds) => {
    expect(run(system(100, 85), { budgetSeconds }).seconds).toBeLessThanOrEqual(budgetSeconds);
  });

  test('keeps time back for one confirmation', () => {
    const { estimate, probes } = run(system(100, 85), { budgetSeconds: 120 });
    expect(probes.at(-1)?.kind).toBe('confirm');
    expect(estimate.confirmed).toBe(true);
  });

  test('too small for that gives an answer that says so, with a wider interval', () => {
    const small = run(system(100, 85), { budgetSeconds: 50 }).estimate;
    const full = run(system(100, 85)).estimate;
    expect(small.confirmed).toBe(false);
    expect(small.high - small.low).toBeGreaterThan(full.high - full.low);
    expect(small.low).toBeLessThan(85);
    expect(small.high).toBeGreaterThan(85);
  });
});
