import { belief } from '../../../../../cli/src/features/find/analysis/belief';
import type { RateTrial } from '../../../../../cli/src/features/find/analysis/types';

const trial = (
  ratePerSecond: number,
  pressure: number,
  spentSeconds: number | null = null,
): RateTrial => ({
  probe: { kind: 'confirm', ratePerSecond, durationSeconds: 60 },
  outcome: {
    ...{ result: pressure < 1 ? 'sustained' : 'not sustained', decided: true, pressure },
    ...{ achievedPerSecond: ratePerSecond, cpuMs: null, stallCostsSeconds: [], limit: null },
    ...{ spentSeconds, trace: null },
  },
});

const medianOf = (trials: RateTrial[]): number =>
  belief({ trials, unloadedRoom: 3, peak: Infinity, fullSeconds: 60 })?.quantile(0.5) ?? NaN;

describe('a probe that ended early', () => {
  const met = [trial(70, 0.5), trial(80, 0.6), trial(90, 0.8)];

  it('says that its rate is too high', () => {
    const capacity = medianOf([...met, trial(100, 1.5, 20)]);
    expect(capacity).toBeGreaterThan(90);
    expect(capacity).toBeLessThan(100);
  });

  it('says nothing of how far, as the rest of it was not seen', () => {
    const slightly = medianOf([...met, trial(100, 1.2, 20)]);
    expect(medianOf([...met, trial(100, 9, 20)])).toBe(slightly);
    expect(medianOf([...met, trial(100, 9)])).toBeLessThan(medianOf([...met, trial(100, 1.2)]));
  });
});
