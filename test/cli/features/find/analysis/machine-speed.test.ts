import fc from 'fast-check';
import {
  busiestRole,
  contradictEachOther,
  cpuPerRequest,
  speedError,
  speedSpread,
} from '../../../../../cli/src/features/find/analysis/machine-speed';
import type { CpuPerRequest, FindProbe } from '../../../../../cli/src/features/find/record';
import { sampleRun } from '../../../../support/sample-run';

const { record } = sampleRun();

const ofMain = (ms: number): CpuPerRequest => ({
  allMs: 1.05 * ms,
  roles: [
    { role: 'main', instances: 1, ms },
    { role: 'runner', instances: 1, ms: 0.05 * ms },
  ],
});

function probe(
  ratePerSecond: number,
  ms: number | null,
  given: Partial<FindProbe> = {},
): FindProbe {
  return {
    kind: 'narrow',
    ratePerSecond,
    durationSeconds: 10,
    result: 'sustained',
    achievedPerSecond: ratePerSecond,
    p95Ms: 100,
    errorShare: 0,
    ...{ stallsMs: [], missed: null, doubts: [] },
    littlesLaw: 1,
    limitedBy: { limit: null, evidence: null, next: null },
    sentence: '',
    run: 'probes/x',
    cpuPerRequest: ms === null ? null : ofMain(ms),
    ...given,
  };
}

describe('CPU per request', () => {
  it('is that of each role that is loaded, and their sum is what the run says', () => {
    const { summary } = record;
    const cpu = cpuPerRequest(summary);
    expect(cpu?.roles.map(({ role }) => role)).toEqual(['main', 'worker']);
    expect(cpu?.allMs).toBeCloseTo((1_000 * (0.5 + 0.9)) / summary.achieved.ratePerSecond, 9);
  });

  it('is that of a completed execution where n8n answers at once and falls behind', () => {
    const completions = {
      ...{ requests: 60, ratePerSecond: 10, shareOfOffered: 0.25 },
      ...{ openAtEnd: 180, source: 'database' },
    };
    expect(cpuPerRequest({ ...record.summary, completions })?.allMs).toBeCloseTo(140, 9);
  });

  it('is unknown where no CPU was seen, and where nothing was answered', () => {
    const { summary } = record;
    const unseen = summary.roles.map((role) => ({ ...role, cpuCoresMean: null }));
    expect(cpuPerRequest({ ...summary, roles: unseen })).toBeNull();
    expect(
      cpuPerRequest({ ...summary, achieved: { ...summary.achieved, ratePerSecond: 0 } }),
    ).toBeNull();
  });

  it('counts a role by its instances: two workers share what one main does alone', () => {
    const cpu = (workers: number): CpuPerRequest => ({
      allMs: 15,
      roles: [
        { role: 'main', instances: 1, ms: 6 },
        { role: 'worker', instances: workers, ms: 9 },
      ],
    });
    expect(busiestRole([cpu(1)])).toBe('worker');
    expect(busiestRole([cpu(2)])).toBe('main');
    expect(busiestRole([])).toBeNull();
  });
});

describe('the speed of the machine over a search', () => {
  it('is named where the same work at about the same rate took more CPU', () => {
    const probes = [probe(80, 12), probe(47, 13.7), probe(49, 17.8), probe(48, 14)];
    expect(speedSpread(probes, 48)).toEqual({
      role: 'main',
      lowMs: 13.7,
      highMs: 17.8,
      ratesPerSecond: [47, 49],
    });
  });

  it('has not changed where only the load has: CPU at rest is a share of every request', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 5, max: 500, noNaN: true }), { maxLength: 12 }),
        fc.double({ min: 1, max: 50, noNaN: true }),
        (rates, ms) => {
          // What n8n uses at rest is 5% of the requests at the lowest of these rates, less of each at higher ones.
          const min = Math.min(...rates);
          const probes = rates.map((rate) => probe(rate, ms * (1 + (0.05 * min) / rate)));
          for (const near of rates) expect(speedSpread(probes, near)).toBeNull();
        },
      ),
    );
  });

  it('is found wherever a slow probe lies, whatever the unit and order', () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray([41, 43, 45, 47, 49], { minLength: 2 }),
        fc.nat(),
        fc.double({ min: 1.1, max: 3, noNaN: true }),
        fc.double({ min: 0.1, max: 100, noNaN: true }),
        (rates, which, slower, ms) => {
          const slow = which % rates.length;
          const spread = speedSpread(
            rates.map((rate, i) => probe(rate, i === slow ? ms * slower : ms)),
            45,
          );
          expect((spread?.highMs ?? 0) / (spread?.lowMs ?? 1)).toBeCloseTo(slower, 9);
          expect(spread?.ratesPerSecond).toContain(rates[slow]);
        },
      ),
    );
  });

  it('is not judged by probes that do not count or that did not see it', () => {
    const clients = {
      ...probe(48, 30),
      ratePerSecond: undefined,
      clients: 4,
    } as unknown as FindProbe;
    const invalid = probe(48, 30, { result: 'invalid' });
    expect(speedSpread([probe(48, 14), invalid, probe(48, null), clients], 48)).toBeNull();
    expect(speedSpread([], 48)).toBeNull();
  });
});

describe('what an interval leaves for the speed of the machine', () => {
  const RATE = 50;
  const cost = (ms: number, ratePerSecond = RATE) => ({
    ...{ ratePerSecond, achievedPerSecond: ratePerSecond, ms, seconds: 10 },
  });

  it('is nothing where the speed did not change by more than noise', () => {
    expect(speedError([], RATE)).toBe(0);
    expect(speedError([cost(14), cost(15), cost(14.5)], RATE)).toBe(0);
  });

  it('grows with the change, and falls with the number of probes that saw it', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1.1, max: 2, noNaN: true }),
        fc.integer({ min: 2, max: 10 }),
        (slower, pairs) => {
          const seen = (ratio: number, count: number) =>
            speedError(
              Array.from({ length: count }, () => [cost(14), cost(14 * ratio)]).flat(),
              RATE,
            );
          expect(seen(slower, pairs)).toBeGreaterThan(0);
          expect(seen(1.1 * slower, pairs)).toBeGreaterThan(seen(slower, pairs));
          expect(seen(slower, pairs + 1)).toBeLessThan(seen(slower, pairs));
        },
      ),
    );
  });

  it('is nothing where the CPU of a request only falls while the rate rises, and is there where the machine changed', () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray([41, 43, 45, 47, 49, 51, 53, 55], { minLength: 6 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 1.2, max: 2, noNaN: true }),
        fc.nat(),
        (rates, fall, slower, which) => {
          const fallen = rates.map((rate) => cost(800 * rate ** -fall, rate));
          expect(speedError(fallen, 48)).toBe(0);
          expect(
            speedSpread(
              fallen.map(({ ratePerSecond, ms }) => probe(ratePerSecond, ms)),
              48,
            ),
          ).toBeNull();
          // One in the middle of the rates: what changes with the rate is no excuse for it.
          const middle = [...rates].sort((a, b) => a - b)[2 + (which % (rates.length - 4))];
          const changed = fallen.map((one) =>
            one.ratePerSecond === middle ? { ...one, ms: slower * one.ms } : one,
          );
          expect(speedError(changed, 48)).toBeGreaterThan(0);
        },
      ),
    );
  });

  it('does not depend on a probe that got no response to much of what it sent', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 10, max: 30, noNaN: true }), { maxLength: 6 }),
        fc.double({ min: 0.05, max: 0.8, noNaN: true }),
        (near, share) => {
          const costs = near.map((ms) => cost(ms));
          // What it did with the rest of its CPU is counted for the few responses.
          const behind = { ...cost(14 / share), achievedPerSecond: share * RATE };
          expect(speedError([...costs, behind], RATE)).toBe(speedError(costs, RATE));
          const probes = near.map((ms) => probe(RATE, ms));
          const late = probe(RATE, 14 / share, { achievedPerSecond: share * RATE });
          expect(speedSpread([...probes, late], RATE)).toEqual(speedSpread(probes, RATE));
        },
      ),
    );
  });

  it('does not depend on what a request costs far from the capacity', () => {
    const steps = fc.double({ min: 1.3, max: 3, noNaN: true });
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 10, max: 30, noNaN: true }), { maxLength: 6 }),
        fc.array(fc.tuple(steps, fc.boolean(), fc.double({ min: 5, max: 100, noNaN: true })), {
          maxLength: 6,
        }),
        (near, far) => {
          const costs = near.map((ms) => cost(ms));
          const others = far.map(([step, isAbove, ms]) =>
            cost(ms, isAbove ? RATE * step : RATE / step),
          );
          expect(speedError([...costs, ...others], RATE)).toBe(speedError(costs, RATE));
        },
      ),
    );
  });
});

describe('probes contradict each other', () => {
  const missed = { result: 'not sustained' as const };
  it.each([
    ['where a lower rate was missed', [probe(47, 1, missed), probe(49, 1)], true],
    ['where one rate was sustained and missed', [probe(47, 1, missed), probe(47, 1)], true],
    ['not where all that was missed is above', [probe(47, 1), probe(49, 1, missed)], false],
    ['not without a miss', [probe(47, 1), probe(49, 1)], false],
    ['not without a probe', [], false],
  ])('%s', (_, probes, expected) => {
    expect(contradictEachOther(probes)).toBe(expected);
  });
});
