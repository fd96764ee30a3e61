import {
  disturbedSpans,
  LeftOut,
  withoutDisturbed,
} from '../../../../../cli/src/features/find/quiet/left-out';
import type { ProbeOutcome } from '../../../../../cli/src/features/find/analysis/types';
import type { ProbeTrace } from '../../../../../cli/src/features/find/analysis/virtual-queue/trace';
import { parseSlos } from '../../../../../loadtests/lib/slo';

describe('the seconds that are left out', () => {
  it('are those in which others used more than a fifth of the cores, and the second after', () => {
    const othersMs = [0, 300, 900, 0, 0, null, 900, 900, 0, 0];
    expect(disturbedSpans(othersMs, 2, 0)).toEqual([
      { from: 2, to: 4 },
      { from: 6, to: 9 },
    ]);
    expect(disturbedSpans([900], 2, 0)).toEqual([{ from: 0, to: 1 }]);
  });

  it('are beyond what others used before the search began', () => {
    expect(disturbedSpans([1_100, 1_300, 1_500], 2, 1)).toEqual([{ from: 2, to: 3 }]);
  });

  it('are no more than can be given back', () => {
    const leftOut = new LeftOut({ cores: 2, othersCores: 0 }, 5);
    const probe = [0, 900, 0, 0];
    expect(leftOut.of(probe)).toHaveLength(1);
    expect(leftOut.of(probe)).toHaveLength(1);
    expect(leftOut.countedSeconds).toBe(0);
    expect(leftOut.of(probe)).toEqual([]);
    expect(leftOut.countedSeconds).toBe(2);
    expect(leftOut.of([0, 0, 0, 0])).toEqual([]);
    expect(leftOut.countedSeconds).toBe(2);
  });
});

describe('a probe of which something is left out', () => {
  /** 10/s for 20 s; requests take 400 ms while others have the machine, else `latencyMs`. */
  function told(
    disturbed: ProbeTrace['disturbed'],
    latencyMs: number,
    slos = 'p95<300ms',
  ): ProbeOutcome {
    const due = Float64Array.from({ length: 200 }, (_, index) => index / 10);
    const isIn = (at: number) => disturbed.some(({ from, to }) => from <= at && at < to);
    const trace: ProbeTrace = {
      ...{ ratePerSecond: 10, plannedSeconds: 20, seconds: 20, due, disturbed, binSeconds: 1 },
      latency: due.map((at) => (isIn(at) ? 0.4 : latencyMs / 1_000)),
      ...{ resource: { role: 'main', resource: 'event loop' }, servers: 1, coresOfEach: 1 },
      ...{ cpu: new Float64Array(20), done: new Float64Array(20) },
    };
    const outcome: ProbeOutcome = {
      ...{ result: 'not sustained', decided: true, achievedPerSecond: 10, pressure: 4 / 3 },
      ...{ cpuMs: 20, stallCostsSeconds: [], limit: null, spentSeconds: null, trace },
    };
    return withoutDisturbed(outcome, parseSlos(slos), 4);
  }

  it('is judged by the rest, which confirms no rate', () => {
    expect(told([{ from: 8, to: 12 }], 60)).toMatchObject({
      ...{ result: 'sustained', decided: false, pressure: expect.closeTo(0.2, 6) },
    });
    expect(told([{ from: 8, to: 12 }], 330)).toMatchObject({
      ...{ result: 'not sustained', decided: false, pressure: expect.closeTo(1.1, 6) },
    });
  });

  it.each([
    ['p95<=250ms', 250, 'sustained', 1],
    ['p95<250ms', 250, 'not sustained', 1],
    ['p95=250ms', 250, 'sustained', null],
    ['p95>100ms', 125, 'sustained', 0.8],
    ['p95>=100ms', 80, 'not sustained', 1.25],
  ])('is judged by the operator of its SLO: %s at %d ms', (slo, ms, result, pressure) => {
    expect(told([{ from: 8, to: 12 }], ms, slo)).toMatchObject({ result, pressure });
  });

  it('is no probe where more than half of it is left out', () => {
    expect(told([{ from: 5, to: 17 }], 60).result).toBe('invalid');
  });

  it('is what it was where nothing is left out', () => {
    expect(told([], 400)).toMatchObject({ result: 'not sustained', decided: true });
  });
});
