import { withOwnStalls } from '../../../../../cli/src/features/find/analysis/backlog';
import type { Trial } from '../../../../../cli/src/features/find/analysis/types';

const probe = (ratePerSecond: number, achievedPerSecond: number): Trial => ({
  probe: { kind: 'narrow', ratePerSecond, durationSeconds: 50 },
  outcome: {
    ...{ result: 'not sustained', decided: true, achievedPerSecond, pressure: 2, cpuMs: null },
    ...{ stallCostsSeconds: [10], limit: null, spentSeconds: null, trace: null },
  },
});

describe('without the CPU of each second, the stalls of a probe', () => {
  const kept = probe(90, 90);
  const peak = probe(100, 100);

  test('count where it asked for no more than was ever answered, though a stall held it up', () => {
    const stalled = probe(98, 80);
    expect(withOwnStalls([kept, peak, stalled])).toEqual([kept, peak, stalled]);
  });

  test('do not count where it asked for more than any probe was answered', () => {
    expect(withOwnStalls([kept, peak, probe(150, 99)])).toEqual([kept, peak]);
  });

  test('count in a closed loop, which asks for no more than it is answered', () => {
    const ladder: Trial = {
      ...peak,
      probe: { kind: 'ladder', clients: 64, durationSeconds: 5 },
    };
    expect(withOwnStalls([ladder, kept])).toEqual([ladder, kept]);
  });
});
