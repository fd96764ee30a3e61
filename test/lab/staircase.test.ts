import { betweenSteps, ohaFigures } from '../../studies/answers/staircase';

const step = (ratePerSecond: number, sustained: boolean) => ({ ratePerSecond, sustained });
type Counts = Record<string, number>;
const oha = (codes: Counts, errors: Counts = {}) =>
  ohaFigures(
    {
      ...{ summary: { requestsPerSec: 9 }, latencyPercentiles: { p95: 0.1 } },
      ...{ statusCodeDistribution: codes, errorDistribution: errors },
    },
    300,
  );

describe('the staircase that find is compared with', () => {
  it('answers between two neighbours, whatever the order in which steps were made', () => {
    const later = [step(121, false), step(144, false), step(100, true)];
    const odd = [step(80, false), step(90, true), step(100, true), step(121, false)];
    expect(betweenSteps([step(100, true), step(121, false)])).toBeCloseTo(110, 6);
    expect(betweenSteps(later)).toBeCloseTo(110, 6);
    expect(betweenSteps(odd)).toBeCloseTo(110, 6);
    expect(betweenSteps([step(80, true), step(90, true)])).toBeNull();
    expect(betweenSteps([])).toBeNull();
  });

  it('answers in the middle where two places contradict as few steps', () => {
    const steps = [
      ...[step(100, true), step(121, false), step(144, true), step(169, false)],
      ...[step(90, true), step(180, false)],
    ];
    // Between 100 and 121, or between 144 and 169.
    expect(betweenSteps(steps)).toBeCloseTo(Math.sqrt(110 * 156), 6);
    expect(betweenSteps([step(100, true), step(121, false), step(144, true)])).toBeCloseTo(110, 6);
  });

  it('counts a status other than 200 as an error, as find does', () => {
    expect(oha({ 200: 995 }, { timeout: 5 }).sustained).toBe(true);
    expect(oha({ 200: 950, 500: 50 }).errorShare).toBeCloseTo(0.05, 9);
    expect(oha({ 200: 950, 500: 50 }).sustained).toBe(false);
    expect(oha({}).errorShare).toBe(1);
  });
});
