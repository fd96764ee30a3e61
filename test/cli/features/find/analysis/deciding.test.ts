import {
  whatConfirms,
  whatDecides,
  whatReachesMiss,
} from '../../../../../cli/src/features/find/analysis/deciding';
import { CapacitySearch } from '../../../../../cli/src/features/find/analysis/search';
import { GENERATOR } from '../../../../../cli/src/analysis/limits/generator';
import { evidence } from '../../../../../cli/src/features/find/analysis/evidence';
import {
  withDefaults,
  type Probe,
  type ProbeOutcome,
  type Trial,
} from '../../../../../cli/src/features/find/analysis/types';

const settings = withDefaults({ shortSeconds: 8, fullSeconds: 50 });

const sustained = (probe: Probe, achievedPerSecond: number): Trial => ({
  probe,
  outcome: {
    ...{ result: 'sustained', decided: true, achievedPerSecond, pressure: 0.5, cpuMs: null },
    ...{ stallCostsSeconds: [], limit: null, spentSeconds: null, trace: null },
  },
});
const ladder = (perSecond: number): Trial =>
  sustained({ kind: 'ladder', clients: 16, durationSeconds: 4 }, perSecond);
const atRate = (ratePerSecond: number): Trial =>
  sustained({ kind: 'growth', ratePerSecond, durationSeconds: 8 }, ratePerSecond);

const reaches = (...trials: Trial[]): string =>
  whatReachesMiss(trials, evidence(trials, settings), settings);

describe('an INCONCLUSIVE search says what would decide it, and how long that takes', () => {
  test('where no probe missed the SLO, until the rate exceeds what clients in a closed loop got', () => {
    // 20, 40, 80, 108: three steps of 8 s, and three runs of 50 s.
    expect(reaches(ladder(100), atRate(20))).toBe(
      'About 3 minutes of additional probes would find a rate that misses the SLO',
    );
  });

  test('where nobody knows how much more there is, by how much each probe grows', () => {
    expect(reaches(ladder(100), atRate(200))).toBe(
      'Each additional probe of 8 s tries up to twice the rate, until one misses the SLO',
    );
  });

  test('that more time would not help where the load generator was the limit', () => {
    const probe: Probe = { kind: 'growth', ratePerSecond: 200, durationSeconds: 8 };
    const invalid: ProbeOutcome = {
      ...sustained(probe, 100).outcome,
      ...{ result: 'invalid', limit: GENERATOR },
    };
    const ended = { probe, outcome: invalid };
    expect(reaches(ladder(100), atRate(90), ended, ended)).toMatch(
      /^The load generator was the limit, so more time would not help/,
    );
  });

  test('where two estimates do not overlap, at a rate between them', () => {
    const [one, other] = [
      { capacity: 60, low: 57, high: 63 },
      { capacity: 80, low: 76, high: Infinity },
    ];
    const text =
      'About 3 minutes of load between them (find --rate 69.2) would show which is right';
    expect(whatDecides(one, other, settings)).toBe(text);
    expect(whatDecides(other, one, settings)).toBe(text);
  });

  test('where only a confirming run is missing, the run', () => {
    expect(whatConfirms({ capacity: 38, low: 30, high: 42 }, settings)).toBe(
      'A full-length run of 50 s that sustains 27/s would confirm it',
    );
  });

  test('in the estimate of a search whose budget ended before any probe missed', () => {
    const search = new CapacitySearch({ ...settings, budgetSeconds: 60 });
    for (let probe = search.next(); probe !== null; probe = search.next()) {
      const rate = probe.kind === 'ladder' ? 10 * probe.clients : probe.ratePerSecond;
      search.record(sustained(probe, rate).outcome);
    }
    const { level, high, narrowing } = search.estimate();
    expect([level, high]).toEqual(['inconclusive', Infinity]);
    expect(narrowing).toMatch(/additional probe/);
  });
});
