import { Bucket, errorsOf } from '../../../../cli/src/stand-in/analysis/errors';
import type { ErrorPlan } from '../../../../cli/src/stand-in/plan';

const STATUS = { kind: 'status', status: 503, retryAfterSeconds: null } as const;

/** Which of the calls fail, one every millisecond. */
function failing(when: ErrorPlan['when'], calls: number, key = (n: number) => String(n)): number[] {
  const error = errorsOf([{ what: STATUS, when }], 1);
  return Array.from({ length: calls }, (_, index) => index + 1).filter(
    (number) => error({ atMs: number, number, key: () => key(number) }) !== null,
  );
}

test('every third call fails, and no other', () => {
  expect(failing({ kind: 'every', calls: 3 }, 9)).toEqual([3, 6, 9]);
});

test('the first attempts of each request fail, however the requests mix', () => {
  expect(failing({ kind: 'first', attempts: 2 }, 8, (n) => String(n % 2))).toEqual([1, 2, 3, 4]);
});

test('a share of the calls fails, independently of each other', () => {
  const failed = failing({ kind: 'share', share: 0.1 }, 10_000);
  expect(failed.length / 10_000).toBeCloseTo(0.1, 1);
  expect(failing({ kind: 'share', share: 0 }, 1000)).toEqual([]);
});

test('in bursts all calls of a time fail, as long and as often as was asked', () => {
  const failed = failing({ kind: 'burst', goodMs: 900, badMs: 100 }, 200_000);
  expect(failed.length / 200_000).toBeCloseTo(0.1, 1);
  const runs = failed.filter((number, index) => number !== (failed[index - 1] ?? -1) + 1).length;
  expect(failed.length / runs).toBeGreaterThan(50);
});

test('an error that has its turn moves no other', () => {
  const when = { kind: 'share', share: 0.3 } as const;
  const alone = errorsOf([{ what: STATUS, when }], 5);
  const beside = errorsOf(
    [
      { what: STATUS, when },
      { what: { kind: 'reset' }, when: { kind: 'every', calls: 2 } },
    ],
    5,
  );
  for (let number = 1; number < 200; number += 2) {
    const call = { atMs: number, number, key: () => '' };
    expect(beside(call)).toEqual(alone(call));
  }
});

describe('a bucket', () => {
  test('lets through what its limit allows, and says when the next call may come', () => {
    const bucket = new Bucket({ calls: 2, perMs: 1000 });
    expect([bucket.take(1, 0), bucket.take(1, 0), bucket.take(1, 0)]).toEqual([0, 0, 500]);
    expect(bucket.take(1, 499)).toBeCloseTo(1);
    expect(bucket.take(1, 500)).toBe(0);
  });

  test('lets at most as many calls through per second as it fills, over a long time', () => {
    const bucket = new Bucket({ calls: 10, perMs: 1000 });
    let passed = 0;
    for (let atMs = 0; atMs < 100_000; atMs += 10) if (bucket.take(1, atMs) === 0) passed += 1;
    expect(passed).toBeGreaterThan(990);
    expect(passed).toBeLessThanOrEqual(1010);
  });

  test('takes all of it for what is larger than the whole limit', () => {
    const bucket = new Bucket({ calls: 100, perMs: 60_000 });
    expect(bucket.take(500, 0)).toBe(0);
    expect(bucket.take(1, 0)).toBeGreaterThan(0);
  });
});
