import { dueBetween } from '../../loadtests/lib/due';
import { parseDuration } from '../../loadtests/lib/duration';
import { openLimit, refuseTooManyOpen } from '../../loadtests/lib/open-limit';
import { lengthSeconds, planOf, PROFILES, type ProfileName } from '../../loadtests/lib/profile';
import { parseSlos } from '../../loadtests/lib/slo';

const names = Object.keys(PROFILES) as ProfileName[];

describe('a profile', () => {
  it.each(names)('%s lasts as long as was said', (name) => {
    const plan = planOf(name, { durationSeconds: 40, warmupSeconds: 5 });
    expect(lengthSeconds(plan)).toBe(45);
    const staged = plan.stages.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0);
    expect(staged).toBeCloseTo(plan.loop === 'open' ? 45 : 0);
  });

  it('load is due at the same rate all the time', () => {
    const plan = planOf('load', { ratePerSecond: 50, durationSeconds: 30, warmupSeconds: 10 });
    expect(dueBetween(plan, 10, 40)).toBeCloseTo(1500);
    expect(dueBetween(plan, 0, 0.5)).toBeCloseTo(25);
  });

  it('breakpoint grows evenly from nothing', () => {
    const plan = planOf('breakpoint', { ratePerSecond: 100, durationSeconds: 10 });
    expect(dueBetween(plan, 0, 10)).toBeCloseTo(500);
    expect(dueBetween(plan, 0, 5)).toBeCloseTo(125);
  });

  it('spike is five times the rate in its middle fifth', () => {
    const plan = planOf('spike', { ratePerSecond: 10, durationSeconds: 100, warmupSeconds: 0 });
    expect(dueBetween(plan, 40, 60)).toBeCloseTo(1000);
    expect(dueBetween(plan, 0, 40)).toBeCloseTo(400);
  });

  it('has callers that retry only where they do not wait for each other', () => {
    expect(planOf('load', { retries: 2 })).toMatchObject({ retries: 2 });
    expect(planOf('load')).not.toHaveProperty('retries');
    expect(() => planOf('closed', { retries: 2 })).toThrow('do not retry');
  });

  it('closed has clients and no rate', () => {
    const plan = planOf('closed', { clients: 3 });
    expect(plan).toMatchObject({ loop: 'closed', clients: 3, stages: [] });
    expect(openLimit(plan, 5000)).toBe(3);
  });

  it('may keep as many requests open as can become due within the timeout', () => {
    const plan = planOf('load', { ratePerSecond: 10, durationSeconds: 120 });
    expect(openLimit(plan, 60_000)).toBeGreaterThanOrEqual(600);
    // No more than there are.
    expect(openLimit(planOf('smoke'), 60_000)).toBeLessThan(100);
    expect(openLimit(planOf('load', { ratePerSecond: 5000 }), 60_000)).toBe(10_000);
  });

  it('refuses an SLO that allows more open requests than a generator opens by itself', () => {
    const plan = planOf('load', { ratePerSecond: 2000 });
    const slow = parseSlos('p95<20s');
    expect(() => {
      refuseTooManyOpen(plan, 60_000, slow);
    }).toThrow('--max-open');
    expect(() => {
      refuseTooManyOpen(plan, 60_000, parseSlos('p95<300ms,errors<1%'));
    }).not.toThrow();
  });

  it.each([
    ['closed', { ratePerSecond: 5 }, 'has clients instead of a rate'],
    ['load', { clients: 5 }, 'has a rate instead of clients'],
    ['load', { ratePerSecond: 0 }, 'rate 0 is out of range'],
    ['load', { ratePerSecond: Number.NaN }, 'out of range'],
    ['load', { durationSeconds: 0 }, 'duration of 0 s is out of range'],
    ['load', { warmupSeconds: -1 }, 'warm-up of -1 s is out of range'],
    ['closed', { clients: 1.5 }, '1.5 clients are out of range'],
  ] as const)('%s with %p is refused', (name, parameters, because) => {
    expect(() => planOf(name, parameters)).toThrow(because);
  });
});

describe('a duration', () => {
  it.each([
    ['30', 30],
    ['30s', 30],
    ['1m30s', 90],
    ['1.5h', 5400],
    ['500ms', 0.5],
  ])('%s is %d s', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds);
  });

  it.each(['', 'soon', '5 parsecs', '30s!', '-5s'])('%p is refused', (text) => {
    expect(() => parseDuration(text)).toThrow('is not a duration');
  });
});
