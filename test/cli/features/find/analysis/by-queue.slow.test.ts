import { seededRandom } from '../../../../../cli/src/analysis/statistics/random';
import { percentile } from '../../../../../cli/src/analysis/statistics/statistics';
import {
  byQueue,
  rateAtPrice,
  type Price,
} from '../../../../../cli/src/features/find/analysis/by-queue';
import { estimate } from '../../../../../cli/src/features/find/analysis/estimate';
import { confirmingRuns, levelOf } from '../../../../../cli/src/features/find/analysis/levels';
import { whatNarrows } from '../../../../../cli/src/features/find/analysis/estimate';
import { proposeByQueue } from '../../../../../cli/src/features/find/analysis/queue-plan';
import {
  withDefaults,
  type ProbeOutcome,
  type Trial,
} from '../../../../../cli/src/features/find/analysis/types';
import { LOOK, ROUGH } from '../../../../../cli/src/features/find/analysis/virtual-queue/fit';
import type { QueueEstimate } from '../../../../../cli/src/features/find/analysis/virtual-queue/estimate';
import {
  whyNotBelieved,
  whyNotReplayed,
} from '../../../../../cli/src/features/find/analysis/virtual-queue/gate';
import type { ProbeTrace } from '../../../../../cli/src/features/find/analysis/virtual-queue/trace';
import { probeOfOneServer } from './virtual-queue/one-server';

const BOUND = 0.3;
const settings = withDefaults({
  percentile: { p: 0.95, boundSeconds: BOUND },
  budgetSeconds: 300,
  fullSeconds: 50,
});

const outcomeOf = (trace: ProbeTrace | null, given: Partial<ProbeOutcome> = {}): ProbeOutcome => {
  const latency = trace === null ? Float64Array.of(0.1) : trace.latency.slice().sort();
  const pressure = percentile(latency, 0.95) / BOUND;
  return {
    result: pressure < 1 ? 'sustained' : 'not sustained',
    decided: true,
    achievedPerSecond: trace?.ratePerSecond ?? 50,
    pressure,
    cpuMs: null,
    stallCostsSeconds: [],
    limit: null,
    spentSeconds: null,
    trace,
    ...given,
  };
};

const cost =
  (seconds = 0.02) =>
  () =>
    seconds;

const closed = (given: Partial<ProbeTrace> = {}): Trial => ({
  probe: { kind: 'ladder', clients: 16, durationSeconds: 6 },
  outcome: outcomeOf(probeOfOneServer(seededRandom(1), { clients: 16 }, 6, cost(), given)),
});

const open = (
  ratePerSecond: number,
  given: { seed?: number; costAt?: (second: number) => number; seconds?: number } = {},
  outcome: Partial<ProbeOutcome> = {},
  kind: 'narrow' | 'confirm' = 'narrow',
): Trial => {
  const { seed = ratePerSecond, costAt = cost(), seconds = 30 } = given;
  const trace = probeOfOneServer(seededRandom(seed), { ratePerSecond }, seconds, costAt);
  return {
    probe: { kind, ratePerSecond, durationSeconds: seconds },
    outcome: outcomeOf(trace, outcome),
  };
};

const around = (): Trial[] => [closed(), ...[34, 38, 41, 36].map((rate) => open(rate))];

describe('a queue answers only', () => {
  const why = (trials: Trial[], given: Partial<typeof settings> = {}) =>
    whyNotReplayed(trials, { ...settings, ...given });

  it('for one percentile of latency', () => {
    expect(why(around())).toBeNull();
    expect(why(around(), { percentile: null })).toContain('limits a percentile of latency');
  });

  it('where the CPU of each second was seen', () => {
    const unseen = around().map(({ probe, outcome }) => ({
      probe,
      outcome: { ...outcome, trace: null },
    }));
    expect(why(unseen as Trial[])).toContain('was not recorded');
  });

  it('where the CPU was used up under full load', () => {
    const idle = (trial: Trial): Trial => {
      const { trace } = trial.outcome;
      if (trace === null) return trial;
      return {
        ...trial,
        outcome: { ...trial.outcome, trace: { ...trace, cpu: trace.cpu.map((x) => 0.4 * x) } },
      };
    };
    expect(why(around().map(idle))).toMatch(
      /the CPU was not the limit: .* 4\d(\.\d)?% of the main event loop/,
    );
  });

  it('where CPU was used while requests waited', () => {
    const trials = around();
    const stolen = trials.slice(1).map((trial) => {
      const trace = trial.outcome.trace as ProbeTrace;
      return {
        ...trial,
        outcome: { ...trial.outcome, trace: { ...trace, cpu: trace.cpu.map((x) => x / 2) } },
      };
    });
    expect(why([...trials.slice(0, 1), ...stolen])).toMatch(/no CPU was used for \d+/);
  });

  it('where nothing but latency was missed', () => {
    const failed = open(20, {}, { result: 'not sustained' });
    expect(why([...around(), failed])).toContain('for a reason other than latency');
  });

  it('where requests do not become dearer within each probe', () => {
    const leaking = [30, 31, 32, 33, 34].map((rate) =>
      open(rate, { costAt: (second) => 0.015 * (1 + second / 60) }),
    );
    expect(why([closed(), ...leaking])).toContain('as with a leak');
  });

  it('where the fit is good, and a few stalls do not decide', () => {
    const found: QueueEstimate = {
      ...{ ratePerSecond: 40, low: 38, high: 42, costSeconds: 0.02, speeds: [] },
      ...{ share: 1, variability: 1, isAtEdge: false, residual: 0.1, predicted: [] },
      ...{ modelError: 0.02, weatherError: 0.01, stallError: 0, pieces: 8, stalls: 0 },
    };
    expect(whyNotBelieved(found, around())).toBeNull();
    expect(whyNotBelieved({ ...found, isAtEdge: true }, around())).toContain('does not explain');
    expect(whyNotBelieved({ ...found, residual: 0.4 }, around())).toContain('does not explain');
    const stalled = open(30, {}, { stallCostsSeconds: [26] });
    expect(whyNotBelieved(found, [...around(), stalled])).toContain(
      'the result depends on a few stalls',
    );
    // What a backlog makes is a consequence of the load.
    const behind = open(60, {}, { stallCostsSeconds: [26] });
    expect(whyNotBelieved(found, [...around(), behind])).toBeNull();
  });
});

describe('at equal price', () => {
  const price: Price = {
    ...{ cpuMs: 20, slowestMs: 20, speeds: [], takenShare: 0, usedShare: 1 },
    ...{ resource: { role: 'main', resource: 'event loop' }, cores: 1 },
  };

  it('a rate counts for as much as the work that it was', () => {
    const dear = open(30, { costAt: cost(0.024) });
    expect(rateAtPrice(dear, price)).toBeCloseTo(36, -0.5);
    expect(rateAtPrice({ ...dear, outcome: outcomeOf(null) }, price)).toBe(30);
    expect(rateAtPrice(dear, null)).toBe(30);
  });

  it.each([
    ['found', [38, 42], 38],
    ['found', [38, 42], 36.1],
    ['rough', [38, 42], 35],
    ['not confirmed', [38, 42], 30],
    ['rough', [33, 45], 31],
    ['inconclusive', [33, 45], 25],
    ['inconclusive', [25, 55], 39],
  ] as const)(
    'an answer is %s with an interval of %p and a run that sustained %p/s',
    (level, [low, high], rate) => {
      const run: Trial = {
        probe: { kind: 'confirm', ratePerSecond: rate, durationSeconds: 50 },
        outcome: { ...outcomeOf(null), result: 'sustained' },
      };
      expect(
        levelOf(confirmingRuns([run], { fullSeconds: 50 }), { capacity: 40, low, high }, null)
          .level,
      ).toBe(level);
    },
  );

  it.each([
    ['found', 'an open verdict that met its SLO by far', { decided: false, pressure: 0.7 }],
    [
      'not confirmed',
      'an open verdict that met its SLO just so',
      { decided: false, pressure: 0.95 },
    ],
    ['not confirmed', 'a miss', { result: 'not sustained', pressure: 0.7 }],
    ['not confirmed', 'a part left out', { pressure: 0.7, spentSeconds: 40 }],
  ] as const)('an answer is %s by a run of full length with %s', (level, _, given) => {
    const run: Trial = {
      probe: { kind: 'confirm', ratePerSecond: 38, durationSeconds: 50 },
      outcome: { ...outcomeOf(null), result: 'sustained', ...given },
    };
    expect(
      levelOf(confirmingRuns([run], { fullSeconds: 50 }), { capacity: 40, low: 38, high: 42 }, null)
        .level,
    ).toBe(level);
  });

  it.each([
    ['found', 33, 50],
    ['not confirmed', 28, 50],
    ['not confirmed', 33, 60],
    ['found', 45, 60],
    ['not confirmed', 20, 20],
  ] as const)(
    'an answer is %s by a step of %p s where full length is %p s',
    (level, step, full) => {
      const run: Trial = {
        probe: { kind: 'narrow', ratePerSecond: 38, durationSeconds: step },
        outcome: { ...outcomeOf(null), result: 'sustained' },
      };
      const runs = confirmingRuns([run], { fullSeconds: full });
      expect(levelOf(runs, { capacity: 40, low: 38, high: 42 }, null).level).toBe(level);
    },
  );

  it('no level is more than inconclusive for a capacity of 0', () => {
    expect(levelOf([], { capacity: 0, low: 0, high: 4 }, null).level).toBe('inconclusive');
  });
});

describe('what would narrow an interval', () => {
  const causes = { requests: 0.1, speed: 0.2, stalls: 0 };

  it('is named with the time that it takes, as a width shrinks with the root of the time', () => {
    expect(whatNarrows(causes, 0.4, 300)).toBe(
      'The interval is wide mainly because the speed of the machine changed; about 15 minutes of additional probes would narrow it to 20%',
    );
  });

  it('takes longer to a precision of 10% than to the 20% of an answer', () => {
    expect(whatNarrows(causes, 0.4, 300, 0.1)).toMatch(/about 75 minutes .* narrow it to 10%$/);
    expect(whatNarrows(causes, 0.18, 300, 0.05)).toMatch(/about 60 minutes .* narrow it to 5%$/);
  });

  it('is named after the stalls where the machine was steady but for them', () => {
    const costAt = (second: number): number =>
      [14, 33].some((at) => second > at && second < at + 0.03) ? 1 : 0.02;
    const stalling = [34, 38, 41, 36].map((rate) => open(rate, { costAt, seconds: 50 }));
    const { price, refining } = estimate([closed(), ...stalling], { ...settings, precision: 0.02 });
    expect(price).not.toBeNull();
    expect(refining).toContain('because a few stalls decide the result');
  });

  it('is no more time where that would take hours', () => {
    expect(whatNarrows({ ...causes, stalls: 1 }, 2, 300)).toMatch(
      /a few stalls decide the result; more time would hardly/,
    );
  });

  it('is nothing where the interval is narrow, or has no end', () => {
    expect(whatNarrows(causes, 0.2, 300)).toBeNull();
    expect(whatNarrows(causes, Infinity, 300)).toBeNull();
  });
});

describe('the plan of a search that can be replayed', () => {
  it('begins below what the closed loop has shown', () => {
    const probe = proposeByQueue([closed()], settings, 300);
    expect(probe).toMatchObject({ kind: 'narrow', durationSeconds: 33 });
    expect(probe?.ratePerSecond).toBeGreaterThan(0.6 * 50);
    expect(probe?.ratePerSecond).toBeLessThan(0.85 * 50);
  });

  it('goes on around the estimate, at the price of the last probe', () => {
    const dear = open(28, { costAt: cost(0.028) });
    const probe = proposeByQueue([closed(), open(36), dear], settings, 300);
    // The third step is at 0.92 of what 28 ms per request leave.
    expect(probe?.ratePerSecond).toBeGreaterThan(0.6 / 0.028);
    expect(probe?.ratePerSecond).toBeLessThan(0.92 / 0.028);
  });

  it('stays below the estimate where it is to be gentle', () => {
    const trials = [closed(), open(36)];
    const plain = proposeByQueue(trials, settings, 300)?.ratePerSecond ?? NaN;
    const gentle =
      proposeByQueue(trials, { ...settings, isGentle: true }, 300)?.ratePerSecond ?? NaN;
    expect(gentle / plain).toBeCloseTo(0.95, 2);
  });

  it('ends with a run of full length where no step was nearly as long, with time for another', () => {
    expect(proposeByQueue(around(), settings, 240)).toMatchObject({ kind: 'narrow' });
    const probe = proposeByQueue(around(), { ...settings, fullSeconds: 60 }, 240);
    expect(probe).toMatchObject({ kind: 'confirm', durationSeconds: 60 });
    expect(probe?.ratePerSecond).toBeLessThan(42);
    expect(probe?.ratePerSecond).toBeGreaterThan(30);
  });

  it('is not over with a run that confirms no more than the low end of a narrow interval', () => {
    const few = withDefaults({ ...settings, precision: 0.5, fullSeconds: 60 });
    const trials = [...around(), open(31, { seconds: 50 }, {}, 'confirm')];
    const answer = byQueue(trials, few, LOOK).answer;
    expect(answer).not.toBeNull();
    expect(31).toBeLessThan(0.9 * (answer?.capacity ?? NaN));
    const again = proposeByQueue(trials, few, 240);
    expect(again).toMatchObject({ kind: 'confirm' });
    expect(again?.ratePerSecond).toBeGreaterThan(0.905 * (answer?.capacity ?? NaN));
  });

  it('gives back the time of a probe that ended early', () => {
    const last = open(41, {}, { spentSeconds: 3 });
    const trials = [...around().slice(0, -1), last];
    expect(proposeByQueue(trials, settings, 126)).not.toBeNull();
    expect(proposeByQueue(around(), settings, 126)).toBeNull();
  });

  it('is left to pass and miss where a queue cannot answer', () => {
    const unseen: Trial = { probe: closed().probe, outcome: outcomeOf(null) };
    expect(proposeByQueue([unseen], settings, 300)).toBeUndefined();
  });
});

/** This many times the CPU for the time that the server is held up. */
const shown = (share: number): Trial[] =>
  around().map((trial) => {
    const trace = trial.outcome.trace as ProbeTrace;
    const cpu = trace.cpu.map((seconds) => share * seconds);
    return { ...trial, outcome: { ...trial.outcome, trace: { ...trace, cpu } } };
  });

describe('a CPU of a whole process, of which one thread is used up', () => {
  it('gives the same answer, at the price that shows', () => {
    const [thread, whole] = [shown(1), shown(1.75)].map(
      (trials) => byQueue(trials, settings).answer,
    );
    expect(whole?.capacity).toBeCloseTo(thread?.capacity ?? NaN, 6);
    expect(whole?.price.cpuMs).toBeCloseTo(1.75 * (thread?.price.cpuMs ?? NaN), 6);
  });

  it('changes nothing about which probe comes next', () => {
    const [thread, whole] = [shown(1), shown(1.75)].map((trials) =>
      proposeByQueue(trials, settings, 300),
    );
    expect(whole).toEqual(thread);
  });
});

describe('a CPU that is never used up, as a request waits for something else too', () => {
  it('gives the same answer, at the price that shows', () => {
    const [whole, part] = [shown(1), shown(0.75)].map((trials) => byQueue(trials, settings).answer);
    expect(part?.capacity).toBeCloseTo(whole?.capacity ?? NaN, 6);
    expect(part?.price.cpuMs).toBeCloseTo(0.75 * (whole?.price.cpuMs ?? NaN), 6);
  });

  it('answers nothing where less than two thirds of it are used', () => {
    expect(byQueue(shown(0.6), settings).why).toMatch(/the CPU was not the limit/);
  });
});

describe('a CPU limit below one core', () => {
  const limited = around().map((trial): Trial => {
    const trace = trial.outcome.trace as ProbeTrace;
    return { ...trial, outcome: { ...trial.outcome, trace: { ...trace, coresOfEach: 0.5 } } };
  });
  const [whole, half] = [around(), limited].map(
    (trials) => byQueue(trials, settings, ROUGH).answer,
  );

  it('gives the rate of a whole core that is half as fast, at the CPU that a request really takes', () => {
    expect(half?.capacity).toBeCloseTo(whole?.capacity ?? NaN, 6);
    expect(half?.price.cpuMs).toBeCloseTo(0.5 * (whole?.price.cpuMs ?? NaN), 6);
    expect(half?.price).toMatchObject({ cores: 0.5 });
  });

  it('leaves a rate at equal price what it is', () => {
    const atPrice = (trials: Trial[], price: Price | undefined): number[] =>
      trials.slice(1).map((trial) => rateAtPrice(trial, price ?? null));
    expect(atPrice(limited, half?.price)).toEqual(
      atPrice(around(), whole?.price).map((rate): number => expect.closeTo(rate, 6) as number),
    );
  });

  it('changes nothing about which probe comes next', () => {
    expect(proposeByQueue(limited, settings, 300)).toEqual(proposeByQueue(around(), settings, 300));
  });
});

describe('a probe that came out otherwise than the answer', () => {
  /** Some slow seconds and some fast ones, at the usual price in the mean. */
  const costAt = (second: number): number => (second >= 10 && second < 14 ? 0.1 : 0.008);

  it('contradicts nothing where its own slow seconds explain it', () => {
    const missed = open(22, { costAt });
    expect(missed.outcome).toMatchObject({ result: 'not sustained', decided: true });
    const found = estimate([...around(), missed], settings);
    expect(found.price).not.toBeNull();
    expect(rateAtPrice(missed, found.price)).toBeLessThan(found.low);
    expect(found.contradicting).toEqual([]);
  });

  it('contradicts the answer where nothing in its seconds explains it', () => {
    const missed = open(28, {}, { result: 'not sustained', spentSeconds: 20 });
    const found = estimate([...around(), missed], settings);
    expect(found.contradicting).toEqual([{ ratePerSecond: 28, sustained: false }]);
  });
});

describe('the estimate', () => {
  it('is that of the queue, with its price, where the two agree', () => {
    const trials = [...around(), open(60), open(36.5, { seconds: 50 }, {}, 'confirm')];
    const judged = byQueue(trials, settings);
    const found = estimate(trials, settings);
    expect(judged.answer).not.toBeNull();
    expect(found).toMatchObject({
      capacity: judged.answer?.capacity,
      limit: { role: 'main', resource: 'event loop' },
      whyNoPrice: null,
      disagreeing: null,
    });
    expect(found.price?.cpuMs).toBeCloseTo(20, -0.5);
    expect(Math.abs(found.capacity / 40 - 1)).toBeLessThan(0.1);
    expect(found.low).toBeLessThan(40);
    expect(found.high).toBeGreaterThan(40);
  });

  it('of a search that ended as precise as was asked for is not cut short by its budget, though it is a rough one', () => {
    const rates = [34, 38].map((rate) => open(rate, { seconds: 10 }));
    const trials = [closed(), ...rates, open(34, { seconds: 20 }, {}, 'confirm')];
    const at = (precision: number) => estimate(trials, { ...settings, precision });
    expect(at(0.3)).toMatchObject({ level: 'rough', confirmedPerSecond: 34, cutShort: false });
    expect(at(0.2).cutShort).toBe(true);
    expect(at(0.3).refining).toBeNull();
    expect(at(0.2).refining).toContain('narrow it to 20%');
    const unconfirmed = trials.slice(0, -1);
    expect(estimate(unconfirmed, { ...settings, precision: 0.3 }).cutShort).toBe(true);
  });

  it('is inconclusive where the two do not overlap, and reaches from the lower end of both to the higher', () => {
    const passing = (trial: Trial): Trial => ({
      ...trial,
      outcome: { ...trial.outcome, result: 'sustained', pressure: 0.4 },
    });
    const failed: Trial = {
      probe: { kind: 'confirm', ratePerSecond: 100, durationSeconds: 60 },
      outcome: { ...outcomeOf(null), result: 'not sustained', pressure: 3, achievedPerSecond: 99 },
    };
    const fine = [70, 75, 80, 85].map((ratePerSecond): Trial => ({
      probe: { kind: 'confirm', ratePerSecond, durationSeconds: 60 },
      outcome: {
        ...outcomeOf(null),
        result: 'sustained',
        pressure: 0.5,
        achievedPerSecond: ratePerSecond,
      },
    }));
    const found = estimate([...around().map(passing), ...fine, failed], settings);
    expect(found.level).toBe('inconclusive');
    const { replayed, believed } = found.disagreeing ?? {};
    expect(believed?.low).toBeGreaterThan(replayed?.high ?? Infinity);
    expect(found).toMatchObject({ low: replayed?.low, high: believed?.high });
    expect(found.capacity).toBe(replayed?.capacity);
    expect(found.narrowing).toMatch(/^About 3 minutes of load between them \(find --rate 61\.6\)/);
  });
});
