import {
  binomialCdf,
  logGamma,
  normalCdf,
  normalQuantile,
  studentizedRangeQuantile,
  studentQuantile,
} from '../../../../cli/src/analysis/statistics/distributions';
import { exponential, normal, seededRandom } from '../../../../cli/src/analysis/statistics/random';
import {
  mean,
  median,
  percentile,
  percentileInterval,
  poissonInterval,
  shareInterval,
  sorted,
  standardDeviation,
} from '../../../../cli/src/analysis/statistics/statistics';
import { PIECE_MS, shareOf, type Piece } from '../../../../cli/src/analysis/statistics/share';
import { correlation, slope } from '../../../../cli/src/analysis/statistics/trend';

describe('percentiles', () => {
  const twenty = sorted([15, 20, 35, 40, 50, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 100]);

  test.each([
    [0, 1],
    [0.05, 1],
    [0.5, 10],
    [0.501, 11],
    [0.95, 50],
    [0.951, 100],
    [1, 100],
  ])('the nearest rank of %p among 20 values is %p', (p, expected) => {
    expect(percentile(twenty, p)).toBe(expected);
  });

  test('a percentile is always a value that was observed', () => {
    expect(percentile(sorted([10, 20]), 0.5)).toBe(10);
    expect(percentile(sorted([7]), 0.999)).toBe(7);
  });

  test('the interval of a median holds the ranks of the published tables', () => {
    // n = 20, 95%: ranks 6 and 15; n = 10: ranks 2 and 9.
    const numbers = (n: number) => Float64Array.from({ length: n }, (_, i) => i + 1);
    expect(percentileInterval(numbers(20), 0.5)).toEqual({ value: 10, low: 6, high: 15 });
    expect(percentileInterval(numbers(10), 0.5)).toEqual({ value: 5, low: 2, high: 9 });
  });

  test('the interval of a p95 of 300 exponential values covers the truth as often as it says', () => {
    const random = seededRandom(1);
    const truth = -Math.log(0.05);
    let covered = 0;
    for (let i = 0; i < 400; i += 1) {
      const sample = sorted(Array.from({ length: 300 }, () => exponential(random, 1)));
      const { low, high } = percentileInterval(sample, 0.95);
      if (low <= truth && truth <= high) covered += 1;
    }
    expect(covered / 400).toBeGreaterThan(0.93);
    expect(covered / 400).toBeLessThan(0.99);
  });

  test('too few values for the confidence give no bound', () => {
    expect(percentileInterval(sorted([1, 2, 3]), 0.99)).toEqual({
      ...{ value: 3, low: 2, high: Infinity },
    });
    expect(percentileInterval(sorted([1, 2, 3]), 0.01).low).toBe(-Infinity);
  });
});

describe('centre and spread', () => {
  const sample = [2, 4, 4, 4, 5, 5, 7, 9];

  test('of a textbook sample are as printed', () => {
    expect(mean(sample)).toBe(5);
    expect(median(sample)).toBe(4.5);
    expect(median([3, 1, 2])).toBe(2);
    expect(standardDeviation(sample)).toBeCloseTo(Math.sqrt(32 / 7), 12);
  });
});

describe('distributions', () => {
  test('agree with the printed tables', () => {
    expect(logGamma(5)).toBeCloseTo(Math.log(24), 12);
    expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.sqrt(Math.PI)), 12);
    expect(normalCdf(1.959963984540054)).toBeCloseTo(0.975, 12);
    expect(normalCdf(-3.5)).toBeCloseTo(2.3262907903552504e-4, 14);
    expect(normalQuantile(0.995)).toBeCloseTo(2.5758293035489, 10);
    expect(studentQuantile(0.975, 1)).toBeCloseTo(12.7062047364, 8);
    expect(studentQuantile(0.975, 10)).toBeCloseTo(2.228138852, 8);
    expect(studentQuantile(0.05, 4)).toBeCloseTo(-2.1318467863, 8);
    expect(binomialCdf(3, 10, 0.5)).toBeCloseTo(176 / 1024, 12);
    expect(binomialCdf(0, 3, 0.1)).toBeCloseTo(0.729, 12);
  });

  test.each([
    [2, 2, 6.08],
    [8, 2, 13.03],
    [3, 10, 3.88],
    [5, 4, 6.29],
    [20, 60, 5.24],
  ])('the studentized range of %i values with %i degrees of freedom is as printed', (k, df, q) => {
    expect(studentizedRangeQuantile(0.95, k, df)).toBeCloseTo(q, 1);
  });

  test('the interval of a share is that of Wilson', () => {
    const five = shareInterval(5, 100);
    expect(five.low).toBeCloseTo(0.0215437, 6);
    expect(five.high).toBeCloseTo(0.1117505, 6);
    for (let trials = 1; trials < 1000; trials += 1) {
      expect([shareInterval(0, trials).low, shareInterval(trials, trials).high]).toEqual([0, 1]);
    }
    expect(shareInterval(0, 0)).toEqual({ value: NaN, low: 0, high: 1 });
  });
});

describe('the share of requests that fail in bursts', () => {
  const PER_PIECE = 50;
  const PIECES = 120;

  /** Bursts begin at random; each has so many requests on average, geometrically distributed. */
  function bursty(share: number, meanLength: number, seed: number): Piece[] {
    const random = seededRandom(seed);
    const begins = share / (1 - share) / meanLength;
    let fails = random() < share;
    return Array.from({ length: PIECES }, () => {
      let broken = 0;
      for (let i = 0; i < PER_PIECE; i += 1) {
        if (fails) broken += 1;
        fails = fails ? random() >= 1 / meanLength : random() < begins;
      }
      return { requests: PER_PIECE, broken };
    });
  }

  test.each([
    [0.01, 1],
    [0.01, 5],
    [0.02, 20],
    [0.05, 50],
  ])(
    'of %d in bursts of %d is within its interval in at least 90% of the runs',
    (share, meanLength) => {
      const runs = Array.from({ length: 200 }, (_, i) => bursty(share, meanLength, i + 1));
      const coverage = (intervalOf: (pieces: Piece[]) => { low: number; high: number }): number => {
        const hits = runs.map(intervalOf).filter(({ low, high }) => low <= share && share <= high);
        return hits.length / runs.length;
      };
      expect(coverage((pieces) => shareOf(pieces, PIECE_MS / 1000, 0.025, 10))).toBeGreaterThan(
        0.9,
      );
      if (meanLength < 20) return;
      // Were the requests taken for independent, it would be in less than half of them.
      const alone = (pieces: Piece[]) =>
        shareInterval(
          pieces.reduce((sum, { broken }) => sum + broken, 0),
          PIECES * PER_PIECE,
        );
      expect(coverage(alone)).toBeLessThan(0.5);
    },
  );
});

describe('correlation', () => {
  const along = (values: number[]) => values.map((y, i) => ({ x: i, y }));

  it('is 1 on a line that rises, -1 on one that falls, and between them where points scatter', () => {
    expect(correlation(along([1, 3, 5]))).toBeCloseTo(1, 12);
    expect(correlation(along([5, 3, 1]))).toBeCloseTo(-1, 12);
    // Sums of squares 5 and 9, of products 6: 6 / sqrt(45).
    expect(correlation(along([1, 2, 2, 5]))).toBeCloseTo(0.8944, 4);
  });

  it('is 0 where one of the two never changes', () => {
    expect(correlation(along([4, 4, 4]))).toBe(0);
    expect(correlation([])).toBe(0);
  });
});

describe('slope', () => {
  it('is unknown where all points stand above one another', () => {
    const points = [1, 3, 2, 5].map((y) => ({ x: 7, y }));
    expect(slope(points)).toEqual({ value: NaN, low: -Infinity, high: Infinity });
  });

  test('of a textbook line has the interval that is printed', () => {
    const line = [2.1, 3.9, 6.2, 7.8, 10.1].map((y, i) => ({ x: i + 1, y }));
    const { value, low, high } = slope(line);
    expect(value).toBeCloseTo(1.99, 10);
    // s = sqrt(0.107 / 3), standard error = s / sqrt(10), t(0.975, 3) = 3.182446
    const half = 3.182446305 * Math.sqrt(0.107 / 3 / 10);
    expect(value - low).toBeCloseTo(half, 6);
    expect(high - value).toBeCloseTo(half, 6);
  });

  test('a random walk without drift seldom seems to grow', () => {
    const random = seededRandom(3);
    let wrong = 0;
    for (let run = 0; run < 200; run += 1) {
      let y = 0;
      const points = Array.from({ length: 60 }, (_, x) => {
        y = 0.7 * y + normal(random);
        return { x, y };
      });
      const { low, high } = slope(points);
      if (low > 0 || high < 0) wrong += 1;
    }
    expect(wrong).toBeLessThan(20);
  });

  test('two points say nothing', () => {
    expect(
      slope([
        { x: 0, y: 0 },
        { x: 1, y: 1 },
      ]),
    ).toEqual({ value: NaN, low: -Infinity, high: Infinity });
  });
});

test.each([
  // From tables of Garwood's exact limits.
  [0, 0, 3.689],
  [1, 0.0253, 5.572],
  [3, 0.619, 8.767],
  [10, 4.795, 18.39],
  [100, 81.36, 121.6],
])('a count of %p events stands for %p to %p', (count, from, to) => {
  const { value, low, high } = poissonInterval(count);
  expect(value).toBe(count);
  expect(Math.abs(low - from)).toBeLessThan(0.02 + 0.005 * from);
  expect(Math.abs(high / to - 1)).toBeLessThan(0.015);
});

test('a seeded generator repeats itself and is uniform', () => {
  const first = seededRandom(42);
  const second = seededRandom(42);
  const numbers = Array.from({ length: 10_000 }, () => first());
  expect(numbers.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => second()));
  expect(Math.abs(mean(numbers) - 0.5)).toBeLessThan(0.01);
  expect(Math.abs(standardDeviation(numbers) - Math.sqrt(1 / 12))).toBeLessThan(0.005);
});
