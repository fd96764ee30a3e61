import fc from 'fast-check';
import { Silences, type Silence } from '../../../../cli/src/analysis/requests/silences';
import { stallCostSeconds, stallLoss, stallsOf } from '../../../../cli/src/run/analysis/stalls';
import { parseSlos } from '../../../../loadtests/lib/slo';
import { stallCauses } from '../../../../cli/src/run/analysis/stall-causes';
import type { Metric } from '../../../../cli/src/record/metrics';
import type { MetricSample } from '../../../../cli/src/record/run-record';

interface Request {
  tMs: number;
  durationMs: number;
  errorKind: string;
}

/** One server that takes `workMs` for each request, and stands still from `atMs` for `stallMs`. */
function served(
  dueMs: readonly number[],
  workMs: number,
  atMs: number,
  stallMs: number,
): Request[] {
  let freeMs = 0;
  return dueMs.map((tMs) => {
    let endMs = Math.max(tMs, freeMs) + workMs;
    if (freeMs <= atMs + workMs && endMs > atMs) endMs += stallMs;
    freeMs = endMs;
    return { tMs, durationMs: endMs - tMs, errorKind: '' };
  });
}

function silencesOf(requests: readonly Request[], untilMs: number): Silence[] {
  const silences = new Silences(untilMs);
  for (const request of requests) silences.add(request);
  return silences.longest();
}

const even = (ratePerSecond: number, seconds: number): number[] =>
  Array.from({ length: ratePerSecond * seconds }, (_, i) => (1_000 * i) / ratePerSecond);

describe('a stall', () => {
  it('is one event, of its own length, however many requests it makes late and at whatever load', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 20, max: 90 }),
        fc.integer({ min: 600, max: 3_000 }),
        fc.integer({ min: 1_000, max: 20_000 }),
        (ratePerSecond, stallMs, atMs) => {
          const requests = served(even(ratePerSecond, 30), 10, atMs, stallMs);
          const silences = silencesOf(requests, 30_000);
          const stalls = stallsOf(silences, parseSlos('p95<300ms'), ratePerSecond);
          expect(stalls).toHaveLength(1);
          // It may begin within the work of a request, or before the next one.
          const [{ fromMs, ms } = { fromMs: NaN, ms: NaN }] = stalls;
          expect(Math.abs(ms - stallMs)).toBeLessThanOrEqual(10 + 1_000 / 20);
          expect(Math.abs(fromMs - atMs)).toBeLessThanOrEqual(10 + 1_000 / 20);
        },
      ),
    );
  });

  it('is none where a steady system answers, idles, or is overloaded from its first request to its last', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 200, noNaN: true }), { minLength: 100, maxLength: 300 }),
        fc.integer({ min: 1, max: 100 }),
        (gapsMs, workMs) => {
          let atMs = 0;
          const dueMs = gapsMs.map((gap) => (atMs += gap));
          const requests = served(dueMs, workMs, Infinity, 0);
          const lastMs = Math.max(...requests.map(({ tMs, durationMs }) => tMs + durationMs));
          const rate = (1_000 * requests.length) / lastMs;
          expect(stallsOf(silencesOf(requests, lastMs), parseSlos('p95<200ms'), rate)).toEqual([]);
        },
      ),
    );
  });

  it('does not end with a client that gives up, and does not begin after the load', () => {
    const answer = (tMs: number, endMs: number, errorKind = '') => ({
      ...{ tMs, durationMs: endMs - tMs, errorKind },
    });
    const requests = [
      answer(0, 100),
      answer(100, 1_100, 'timeout'),
      answer(100, 2_100),
      answer(2_900, 9_000),
    ];
    expect(silencesOf(requests, 3_000)).toEqual([
      { fromMs: 100, ms: 2_000 },
      { fromMs: 0, ms: 100 },
      { fromMs: 2_900, ms: 100 },
    ]);
  });

  it('is kept among the longest, however many there are', () => {
    const silences = new Silences(Infinity);
    for (let i = 0; i < 10_000; i += 1) {
      silences.add({ tMs: 1e5 * i, durationMs: 20 + ((7_919 * i) % 10_000), errorKind: '' });
    }
    const longest = silences.longest().map(({ ms }) => ms);
    expect(longest).toEqual(Array.from({ length: 200 }, (_, i) => 10_019 - i));
  });

  it('costs the seconds of load in which as many late requests are permitted; of several SLOs the most', () => {
    expect(stallCostSeconds(1_600, parseSlos('p95<300ms'))).toBeCloseTo(26);
    expect(stallCostSeconds(1_600, parseSlos('p95<300ms,p99<1s,errors<1%'))).toBeCloseTo(60);
    expect(stallCostSeconds(1_600, parseSlos('p95<2s'))).toBe(0);
    expect(stallCostSeconds(1_600, parseSlos('errors<1%,mean<1s'))).toBe(0);
    expect(stallsOf([{ fromMs: 0, ms: 5_000 }], parseSlos('errors<1%'), 50)).toEqual([]);
  });
});

describe('what a system loses to stalls', () => {
  const loss = (count: number, seconds: number) =>
    stallLoss(Array<number>(count).fill(26), seconds, 60) ?? { min: NaN, max: NaN };

  it('is not known where none was seen', () => {
    expect(stallLoss([], 400, 60)).toBeNull();
  });

  it('is what they cost per second, and known the better the more were seen', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), (count) => {
        // One a minute costs 26 of 60 seconds.
        const share = 26 / 60;
        const { min: minimum, max: maximum } = loss(count, 60 * count);
        const later = loss(4 * count, 240 * count);
        expect(minimum).toBeLessThan(share);
        expect(maximum).toBeGreaterThan(share);
        expect(later.max).toBeLessThanOrEqual(maximum);
        expect(later.min).toBeGreaterThanOrEqual(minimum);
      }),
    );
    expect(loss(1_000, 60_000).max).toBeCloseTo(26 / 60, 1);
  });

  it('is at the least nothing where a run of full length may well meet none', () => {
    expect(loss(3, 400).min).toBe(0);
  });
});

/** A minute of main, a look each second; `at` says what it looked like in a second. */
const watched = (
  at: (second: number) => Partial<Record<Metric, number>>,
  role: MetricSample['role'] = 'main',
): MetricSample[] =>
  Array.from({ length: 60 }, (_, second) =>
    Object.entries({ throttledMs: 0, heapUsedMiB: 200 + second, gcShare: 0.01, ...at(second) }).map(
      ([metric, value]) => ({
        ...{ tMs: 1_000 * second + 700, role, instance: role, metric: metric as Metric, value },
      }),
    ),
  ).flat();
const STALL = { fromMs: 29_900, ms: 600 };

// What the looks of a real run said of a main with a CPU limit of one core, where a stall of 593 ms ended at 12.3 s.
const COLLECTED = { heapUsedMiB: 160, gcShare: 0.038 };

test('a group that its CPU limit stops for a good part of a stall is seen, one that it stops for a moment is not', () => {
  const stopped = (throttledMs: number) =>
    stallCauses(
      [STALL],
      watched((second) => (second === 30 ? { throttledMs } : {})),
    );
  expect(stopped(435)).toEqual({ cpuLimit: 1, collection: 0 });
  expect(stopped(20)).toEqual({ cpuLimit: 0, collection: 0 });
});

test('a heap that shrinks while collecting takes longer than usual is seen; one alone of both is not', () => {
  const collected = (seen: Partial<Record<Metric, number>>) =>
    stallCauses(
      [STALL],
      watched((second) => (second === 30 ? seen : {})),
    ).collection;
  expect(collected(COLLECTED)).toBe(1);
  expect(collected({ heapUsedMiB: 160 })).toBe(0);
  expect(collected({ gcShare: 0.038 })).toBe(0);
});

test('what happens at another time, to a database or to nobody known is not taken for the cause', () => {
  const early = watched((second) => (second === 20 ? { ...COLLECTED, throttledMs: 435 } : {}));
  const other = watched(() => ({ ...COLLECTED, throttledMs: 435 }), 'postgresql');
  for (const samples of [early, other, []]) {
    expect(stallCauses([STALL], samples)).toEqual({ cpuLimit: 0, collection: 0 });
  }
});

test('each stall counts once, however many processes it concerns', () => {
  const both = (['main', 'worker'] as const).flatMap((role) =>
    watched((second) => (second === 30 ? { ...COLLECTED, throttledMs: 435 } : {}), role),
  );
  expect(stallCauses([STALL, { fromMs: 50_000, ms: 600 }], both)).toEqual({
    ...{ cpuLimit: 1, collection: 1 },
  });
});
