import { normal, seededRandom } from '../../../../../../cli/src/analysis/statistics/random';
import { estimateByQueue } from '../../../../../../cli/src/features/find/analysis/virtual-queue/estimate';
import {
  requestSizes,
  ROUGH,
} from '../../../../../../cli/src/features/find/analysis/virtual-queue/fit';
import {
  picked,
  quantileOf,
  serve,
} from '../../../../../../cli/src/features/find/analysis/virtual-queue/queue';
import {
  busySeconds,
  costPath,
  meanCost,
  stallsIn,
  usedShare,
} from '../../../../../../cli/src/features/find/analysis/virtual-queue/trace';
import { probeOfOneServer } from './one-server';

const steady = (cost: number) => () => cost;

test('the sizes of requests are the same in any order of asking, few or more of them than are kept', () => {
  const random = seededRandom(3 * 131 + 7);
  const variance = Math.log(1 + 0.5 ** 2);
  const expected = Array.from({ length: 60_000 }, () =>
    Math.exp(Math.sqrt(variance) * normal(random) - variance / 2),
  );
  for (const count of [10, 5, 200, 60_000, 200, 49_000]) {
    expect(requestSizes(3, 0.5, count)).toEqual(Float64Array.from(expected.slice(0, count)));
  }
});

describe('a queue', () => {
  const service = { binSeconds: 1, servers: 1, share: 1, baseSeconds: 0 };
  const latencies = (
    due: number[],
    cost: number[],
    given: Partial<typeof service> = {},
    sizes = due.map(() => 1),
  ): number[] => {
    const out = new Float64Array(due.length);
    serve(
      Float64Array.from(due),
      Float64Array.from(sizes),
      { ...service, cost: Float64Array.from(cost), ...given },
      out,
    );
    return [...out].map((value) => Number(value.toFixed(9)));
  };

  it('serves one request after the other, in the order in which they were due', () => {
    expect(latencies([0, 0.1, 2], [0.4])).toEqual([0.4, 0.7, 0.4]);
  });

  it('takes longer for a larger request, and for the CPU that it does not get', () => {
    expect(latencies([0], [0.4], { share: 1.5 }, [2])).toEqual([1.2]);
    expect(latencies([0], [0.4], { baseSeconds: 0.05 })).toEqual([0.45]);
  });

  it('changes its speed in the middle of a request', () => {
    // Half of the work is done in the first second, which is fast; the other half takes twice as long.
    expect(latencies([0.5], [1, 2, 2])).toEqual([1.5]);
  });

  it('serves as many requests side by side as it has servers', () => {
    // A cost of 0.2 CPU seconds of each of two servers keeps one of them busy for 0.4 s.
    expect(latencies([0, 0, 0], [0.2], { servers: 2 })).toEqual([0.4, 0.4, 0.8]);
  });

  it('tells any percentile of what it is given', () => {
    const random = seededRandom(3);
    const values = Float64Array.from({ length: 201 }, () => random());
    const inOrder = values.slice().sort();
    expect(quantileOf(values.slice(), 0.95)).toBe(inOrder[190]);
    expect(quantileOf(values.slice(), 1)).toBe(inOrder[200]);
    expect([...picked(values, Int32Array.of(4, 0))]).toEqual([values[4], values[0]]);
  });
});

describe('the trace of a probe', () => {
  const busy = probeOfOneServer(seededRandom(1), { ratePerSecond: 70 }, 40, steady(0.01));

  it('tells what a request cost, and how much of the CPU was used', () => {
    expect(meanCost(busy)).toBeCloseTo(0.01, 3);
    expect(usedShare(busy, 2)).toBeCloseTo(0.7, 1);
    const saturated = probeOfOneServer(seededRandom(1), { clients: 12 }, 6, steady(0.01));
    expect(usedShare(saturated, 1)).toBeCloseTo(1, 2);
  });

  it('tells what a request cost at each time, where the machine became slower on its way', () => {
    const slower = probeOfOneServer(seededRandom(2), { ratePerSecond: 40 }, 60, (second) =>
      second < 30 ? 0.01 : 0.02,
    );
    const cost = costPath(slower);
    const mean = (from: number, to: number) =>
      cost.slice(2 * from, 2 * to).reduce((sum, value) => sum + value, 0) / (2 * (to - from));
    expect(mean(0, 29)).toBeCloseTo(0.01, 2.5);
    expect(mean(32, 60)).toBeCloseTo(0.02, 2.5);
  });

  it('counts time without CPU as taken by others, if requests waited', () => {
    const { cpu } = busy;
    const stolen = { ...busy, cpu: cpu.map((seconds, bin) => (bin < 20 ? seconds / 4 : seconds)) };
    expect(meanCost(stolen)).toBeLessThan(0.95 * meanCost(busy));
    const waiting = busySeconds(stolen, 3).slice(0, 20);
    const total = waiting.reduce((sum, seconds) => sum + seconds, 0);
    expect(total).toBeGreaterThan(1);
    const paths = [costPath(stolen), costPath(busy)].map((path) => Math.max(...path.slice(0, 20)));
    expect(paths[0]).toBeGreaterThan(0.6 * (paths[1] ?? 0));
  });

  it('tells the stalls, and none of a time in which something else took the machine', () => {
    const stalling = probeOfOneServer(seededRandom(4), { ratePerSecond: 50 }, 30, (second) =>
      second > 12 && second < 12.05 ? 2 : 0.01,
    );
    const [stall, ...others] = stallsIn(stalling, 0.01);
    expect(others).toEqual([]);
    expect(stall?.from).toBeCloseTo(12, 0);
    expect(stallsIn({ ...stalling, disturbed: [{ from: 11, to: 20 }] }, 0.01)).toEqual([]);
  });
});

describe('an estimate from the replay of probes', () => {
  const question = { p: 0.95, boundSeconds: 0.3, arrivals: 'random' as const };
  /** The capacity of one server with exponential service: time in the system is exponential with the rate that is left. */
  const capacityAt = (cost: number) => 1 / cost - Math.log(20) / question.boundSeconds;
  const rates = [34, 38, 41, 36];

  it('finds the capacity of a queue whose capacity is known', () => {
    const probes = rates.map((ratePerSecond, i) =>
      probeOfOneServer(seededRandom(10 + i), { ratePerSecond }, 30, steady(0.02)),
    );
    const found = estimateByQueue(probes, question, ROUGH);
    expect(found?.costSeconds).toBeCloseTo(0.02, 2.5);
    const truth = capacityAt(found?.costSeconds ?? NaN);
    expect(Math.abs((found?.ratePerSecond ?? NaN) / truth - 1)).toBeLessThan(0.08);
    expect(found?.residual).toBeLessThan(0.3);
  });

  it('is not misled by a machine that was half as fast in half of the probes', () => {
    const costs = [0.02, 0.03, 0.02, 0.03];
    const probes = costs.map((cost, i) =>
      probeOfOneServer(seededRandom(20 + i), { ratePerSecond: 0.75 / cost }, 60, steady(cost)),
    );
    const found = estimateByQueue(probes, question, ROUGH);
    const truth = capacityAt(found?.costSeconds ?? NaN);
    expect(Math.abs((found?.ratePerSecond ?? NaN) / truth - 1)).toBeLessThan(0.1);
    expect(new Set(found?.speeds.map(({ costSeconds }) => costSeconds.toFixed(2)))).toEqual(
      new Set(['0.02', '0.03']),
    );
  });

  it('leaves out what was due while something else took the machine', () => {
    const slow = (second: number) => (second > 10 && second < 14 ? 0.2 : 0.02);
    const probes = (disturbed: { from: number; to: number }[]) =>
      rates.map((ratePerSecond, i) =>
        probeOfOneServer(seededRandom(30 + i), { ratePerSecond }, 30, slow, { disturbed }),
      );
    const cost = (disturbed: { from: number; to: number }[]) =>
      estimateByQueue(probes(disturbed), question, ROUGH)?.costSeconds ?? NaN;
    expect(cost([])).toBeGreaterThan(0.0215);
    expect(cost([{ from: 10, to: 14.5 }])).toBeCloseTo(0.02, 2.5);
  });

  it('tells stalls from a machine that changes its speed', () => {
    const stallErrorOf = (costAt: (second: number) => number): number => {
      const probes = rates.map((ratePerSecond, i) =>
        probeOfOneServer(seededRandom(40 + i), { ratePerSecond }, 50, costAt),
      );
      const found = estimateByQueue(probes, question, { ...ROUGH, bootstraps: 14 });
      expect(found?.weatherError).toBeGreaterThan(0.005);
      return (found?.stallError ?? NaN) / (found?.weatherError ?? NaN);
    };
    const stalls = [14, 33].map((at) => [at, at + 0.03] as const);
    const stalling = (second: number): number =>
      stalls.some(([from, to]) => second > from && second < to) ? 1 : 0.02;
    const swinging = (second: number): number => (second % 50 < 25 ? 0.017 : 0.023);
    expect(stallErrorOf(stalling)).toBeGreaterThan(0.7);
    expect(stallErrorOf(swinging)).toBeLessThan(0.3);
  });

  it('says nothing without a probe of an open loop that has responses', () => {
    const closed = probeOfOneServer(seededRandom(1), { clients: 4 }, 10, steady(0.02));
    expect(estimateByQueue([closed], question)).toBeNull();
    const short = probeOfOneServer(seededRandom(1), { ratePerSecond: 3 }, 4, steady(0.02));
    expect(estimateByQueue([short], question)).toBeNull();
  });
});
