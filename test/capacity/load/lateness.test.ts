import { latenessP99Ms } from '../../../capacity/src/load/lateness';
import { planOf } from '../../../capacity/src/plan/profile';

const plan = planOf('load', { ratePerSecond: 10, durationSeconds: 100, warmupSeconds: 10 });
const onTime = Array.from({ length: 1100 }, (_, index) => index * 100);

describe('how late the generator was', () => {
  it('is nothing when every request was begun when due', () => {
    expect(latenessP99Ms(plan, onTime)).toBeCloseTo(0, 3);
  });

  it('leaves out a constant delay: that of the start', () => {
    expect(
      latenessP99Ms(
        plan,
        onTime.map((ms) => ms + 40),
      ),
    ).toBeCloseTo(0, 3);
  });

  it('is the delay of the latest, as long as they are more than one in a hundred', () => {
    const late = onTime.map((ms, index) => (index % 20 === 0 ? ms + 99 : ms));
    expect(latenessP99Ms(plan, late)).toBeCloseTo(99, 3);
    const seldom = onTime.map((ms, index) => (index % 500 === 0 ? ms + 99 : ms));
    expect(latenessP99Ms(plan, seldom)).toBeCloseTo(0, 3);
  });

  it('follows a growing rate', () => {
    const growing = planOf('breakpoint', { ratePerSecond: 20, durationSeconds: 10 });
    // Request number i is due when i = t * t, as the rate grows by 2 a second.
    const begun = Array.from({ length: 100 }, (_, index) => 1000 * Math.sqrt(index));
    expect(latenessP99Ms(growing, begun)).toBeCloseTo(0, 2);
  });

  it('does not look at the warm-up', () => {
    const busyAtFirst = onTime.map((ms) => (ms < 10_000 ? ms + 99 * Number(ms % 200 === 0) : ms));
    expect(latenessP99Ms(plan, busyAtFirst)).toBeCloseTo(0, 3);
  });

  it('is unknown in a closed loop', () => {
    expect(latenessP99Ms(planOf('closed'), onTime)).toBeNull();
  });
});
