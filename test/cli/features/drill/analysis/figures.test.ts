import fc from 'fast-check';
import {
  drillFigures,
  isAnythingAtRisk,
} from '../../../../../cli/src/features/drill/analysis/figures';
import { dueWithin, steadyPart } from '../../../../../cli/src/features/drill/analysis/phases';
import { missedSlo } from '../../../../../cli/src/analysis/slo/window-slo';
import { parseSlos } from '../../../../../loadtests/lib/slo';
import type { DrillFigures } from '../../../../../cli/src/features/drill/record';
import type { MetricSample, RequestSample } from '../../../../../cli/src/record/run-record';

/** A made-up load of a drill: even arrivals, each answered after the same time, but for what a test changes. */

const RATE = 5;
const PHASES = {
  steady: { fromMs: 2_000, toMs: 15_000 },
  faultMs: 20_000,
  overMs: 20_000,
  endMs: 60_000,
};

function load(
  change: (request: RequestSample) => Partial<RequestSample> = () => ({}),
): RequestSample[] {
  return Array.from({ length: (RATE * PHASES.endMs) / 1000 }, (_, index) => {
    const request: RequestSample = {
      ...{ tMs: (1000 * index) / RATE, durationMs: 1_000, status: 200, ok: true, errorKind: '' },
      ...{ id: `run-0-${String(index)}`, workload: 'side-effect', ranBy: '' },
    };
    return { ...request, ...change(request) };
  });
}

/** A request that dies with a worker: no answer for a long time, then an error. */
const failed = (durationMs: number): Partial<RequestSample> => ({
  ...{ ok: false, status: 500, errorKind: 'status 500', durationMs },
});

const SLOS = parseSlos('errors<1%,p95<2s');
const { faultMs } = PHASES;
const FAULT = { done: [{ tMs: faultMs, text: 'SIGKILL of worker-1' }] };
const seen = (requests: RequestSample[], samples: MetricSample[] = []): DrillFigures =>
  drillFigures(requests, samples, SLOS, PHASES, FAULT);
const between =
  (from: number, to: number) =>
  (request: RequestSample): boolean =>
    request.tMs >= from && request.tMs < to;

test('a fault that nobody notices leaves nothing to detect and nothing to recover from', () => {
  expect(seen(load())).toMatchObject({
    ...{ detectSeconds: null, recoverSeconds: 0, backlog: null, slowestMs: 1_000, errors: null },
  });
});

describe('availability', () => {
  // 5 a second of 1 s each, from 2 s on, until 60 s.
  const measured = 5 * 58;

  test('during the fault is that of what was open while it lasted, and outside that of all else after the warm-up', () => {
    const done = [{ tMs: faultMs, text: 'stopped' }];
    const overMs = faultMs + 10_000;
    const requests = load(({ tMs }) =>
      tMs < 1_000 || (tMs >= faultMs && tMs < faultMs + 12_000) ? failed(10) : {},
    );
    const { availability } = drillFigures(requests, [], SLOS, { ...PHASES, overMs }, { done });
    // Open a second before it too, as pods tell of a fault so late; and those of the second before that had not ended.
    // It lasts until the SLO is met again: what fails for 2 s more is no failure of the time without a fault.
    const during = { requests: 5 * 14, answered: 10 };
    const outside = measured - during.requests;
    expect(availability).toEqual({ during, outside: { requests: outside, answered: outside } });
  });

  test('during a fault of a moment lasts until the SLO is met again, and at most until the next one', () => {
    const isFailed = ({ tMs }: RequestSample): boolean =>
      (tMs >= faultMs && tMs < faultMs + 3_000) || tMs >= faultMs + 20_000;
    const requests = load((request) => (isFailed(request) ? failed(10) : {}));
    const done = [0, 20_000].map((afterMs) => ({ tMs: faultMs + afterMs, text: 'restarted' }));
    const fault = { done, everySeconds: 10 };
    const { availability } = drillFigures(requests, [], SLOS, PHASES, fault);
    // The last one is not over within its 10 s.
    expect(availability?.during).toEqual({ requests: 10 + 15 + 10 + 51, answered: 20 });
  });

  test('during a fault that is repeated is that of what was open at one of its moments', () => {
    const done = [0, 20_000].map((afterMs) => ({ tMs: faultMs + afterMs, text: 'killed' }));
    const fault = { done, everySeconds: 20 };
    const { availability } = drillFigures(load(), [], SLOS, PHASES, fault);
    expect(availability?.during).toEqual({ requests: 2 * 11, answered: 2 * 11 });
  });

  test('during one that lasts and is repeated is that of what was open in any of its turns', () => {
    const turns = [0, 20_000].map((afterMs) => ({
      ...{ fromMs: faultMs + afterMs, toMs: faultMs + afterMs + 5_000 },
    }));
    // Each turn has told that it began, and that it was over.
    const done = turns.flatMap(({ fromMs, toMs }) =>
      [fromMs, toMs].map((tMs) => ({ tMs, text: '' })),
    );
    const fault = { done, everySeconds: 20, turns };
    const isDown = ({ tMs }: RequestSample): boolean =>
      turns.some(({ fromMs, toMs }) => tMs >= fromMs && tMs < toMs);
    const requests = load((request) => (isDown(request) ? failed(10) : {}));
    const { availability } = drillFigures(requests, [], SLOS, PHASES, fault);
    const during = { requests: 2 * (5 * 5 + 11), answered: 2 * 11 };
    expect(availability).toEqual({
      during,
      outside: { requests: measured - during.requests, answered: measured - during.requests },
    });
  });

  test('during a turn that was broken off goes on to the end', () => {
    const done = [{ tMs: faultMs, text: 'stopped' }];
    const fault = { done, everySeconds: 60, turns: [{ fromMs: faultMs, toMs: null }] };
    const phases = { ...PHASES, overMs: null };
    const { availability } = drillFigures(load(), [], SLOS, phases, fault);
    expect(availability?.during.requests).toBe(5 * 40 + 10);
  });
});

test('requests that die in flight are errors at once, and heard of when their callers get an error', () => {
  const inFlight = between(faultMs - 999, faultMs);
  const figures = seen(load((request) => (inFlight(request) ? failed(46_000) : {})));
  expect(figures.errors).toEqual({ requests: 4, fromSeconds: -0.8, toSeconds: -0.2 });
  expect(figures.detectSeconds).toBeCloseTo(45.2);
  // What was due after the fault was served as before.
  expect(figures.recoverSeconds).toBe(0);
});

test('of a fault that is repeated, what recovers does so after the last one', () => {
  const lastMs = faultMs + 20_000;
  const requests = load(({ tMs }) => (tMs >= faultMs && tMs < lastMs + 3_000 ? failed(10) : {}));
  const waiting = Array.from({ length: 60 }, (_, second): MetricSample => {
    const isUp = 1_000 * second >= faultMs && 1_000 * second < lastMs;
    return {
      ...{ tMs: 1_000 * second, metric: 'queueWaiting', role: 'redis', instance: 'redis' },
      value: isUp ? 5 : 1,
    };
  });
  const figures = drillFigures(requests, waiting, SLOS, { ...PHASES, lastMs }, FAULT);
  expect(figures.recoverSeconds).toBeCloseTo(2.8);
  expect(figures.detectSeconds).toBeCloseTo(0.01);
  expect(figures.backlog).toEqual({ before: 1, peak: 5, drainSeconds: 0 });
});

test('recovered is when the last bad request was due, to the request', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 150 }), fc.boolean(), (count, slow) => {
      const bad = between(faultMs, faultMs + count * 200);
      const how = slow ? { durationMs: 2_500 } : failed(10);
      const figures = seen(load((request) => (bad(request) ? how : {})));
      // A few slow ones are within a p95 of many.
      if (slow && count < 3) return;
      expect(figures.recoverSeconds).toBeCloseTo((count - 1) * 0.2);
    }),
  );
});

test('of too few requests after the fault nobody can tell whether it was over', () => {
  const few = load().filter(({ tMs }, index) => tMs < faultMs || index % 50 === 0);
  const all = few.map((request) =>
    request.tMs < faultMs ? request : { ...request, ...failed(10) },
  );
  expect(seen(all)).toMatchObject({ recoverSeconds: null, isRecoveryUnknown: true });
});

describe('whether anything was at risk', () => {
  const requests = load()
    .slice(0, 1)
    .map((request) => ({ ...request, tMs: 10_000, durationMs: 2_000 }));
  const at = (tMs: number) => ({ tMs, text: 'SIGKILL of worker-1' });

  test('depends on a request that was open at a moment of the fault', () => {
    expect(isAnythingAtRisk(requests, { done: [at(11_000)] }, 11_000)).toBe(true);
    expect(isAnythingAtRisk(requests, { done: [at(30_000)] }, 30_000)).toBe(false);
    expect(isAnythingAtRisk(requests, { done: [] }, null)).toBe(false);
  });

  test('counts the moments of a fault that is repeated, and not what lies between them', () => {
    const done = [at(5_000), at(30_000)];
    expect(isAnythingAtRisk(requests, { done, everySeconds: 25 }, 30_000)).toBe(false);
    expect(
      isAnythingAtRisk(requests, { done: [...done, at(11_500)], everySeconds: 25 }, null),
    ).toBe(true);
  });

  test('counts all the time that a fault lasts', () => {
    expect(isAnythingAtRisk(requests, { done: [at(5_000), at(30_000)] }, 30_000)).toBe(true);
  });
});

test('what is still bad in the last window has not recovered', () => {
  const figures = seen(load((request) => (request.tMs >= faultMs ? failed(10) : {})));
  expect(figures.recoverSeconds).toBeNull();
  expect(figures.errors?.requests).toBe(200);
});

test('what is cut off at the end was never heard of', () => {
  const never = { ...failed(40_000), status: 0, errorKind: 'unanswered' };
  const figures = seen(load((request) => (between(faultMs, faultMs + 400)(request) ? never : {})));
  expect(figures.detectSeconds).toBeNull();
  expect(figures.errors?.requests).toBe(2);
});

test('the backlog is worked off when as few jobs wait as before', () => {
  const waiting = (seconds: number): number =>
    seconds < 20 ? 2 : Math.max(1, 30 - 2 * (seconds - 20));
  const samples = Array.from({ length: 60 }, (_, second): MetricSample => ({
    ...{ tMs: 1000 * second, role: 'redis', instance: 'redis', metric: 'queueWaiting' },
    value: waiting(second),
  }));
  expect(seen(load(), samples).backlog).toEqual({ before: 2, peak: 30, drainSeconds: 14 });
  expect(seen(load(), samples.slice(0, 30)).backlog?.drainSeconds).toBeNull();
});

describe('the part of the steady phase that is judged', () => {
  test('ends before what the fault may have hit', () => {
    const requests = load((request) =>
      between(faultMs - 999, faultMs)(request) ? failed(46_000) : {},
    );
    const part = steadyPart(requests, 2_000, faultMs);
    expect(part).toEqual({ fromMs: 2_000, toMs: faultMs - 1_500 });
    expect(missedSlo(SLOS, dueWithin(requests, part))).toBeNull();
  });

  test('keeps what was due long before and never ended', () => {
    const requests = load((request) => (request.tMs === 6_000 ? failed(60_000) : {}));
    const judged = dueWithin(requests, steadyPart(requests, 2_000, faultMs));
    expect(missedSlo(SLOS, judged)?.slo).toBe('errors<1%');
  });

  test('is at least half of it, also where nothing ever ended', () => {
    const requests = load(() => failed(90_000));
    const { fromMs, toMs } = steadyPart(requests, 2_000, faultMs);
    expect([fromMs, toMs]).toEqual([2_000, 11_000]);
  });
});
