import { studentQuantile } from './distributions';
import { mean, type Interval } from './statistics';

export interface TrendPoint {
  x: number;
  y: number;
}

/**
 * Slope of the least-squares line through the points, per unit of x.
 *
 * Samples of a queue follow one another, so their errors are not independent and the textbook
 * interval would be far too narrow. The number of points is therefore reduced by the lag-1
 * correlation of the residuals: n (1 - r) / (1 + r), never below 3.
 */
export function slope(points: readonly TrendPoint[], confidence = 0.95): Interval {
  const unknown = { value: NaN, low: -Infinity, high: Infinity };
  if (points.length < 3) return unknown;
  const { meanX, meanY, sumXX, sumXY } = sumsOf(points);
  if (sumXX === 0) return unknown;
  const value = sumXY / sumXX;
  const residuals = points.map(({ x, y }) => y - meanY - value * (x - meanX));
  const squares = residuals.reduce((sum, residual) => sum + residual ** 2, 0);
  const correlation = Math.max(0, lagOneCorrelation(residuals, squares));
  const independent = Math.max(3, (points.length * (1 - correlation)) / (1 + correlation));
  const half =
    studentQuantile((1 + confidence) / 2, independent - 2) *
    Math.sqrt(squares / (independent - 2) / sumXX);
  return { value, low: value - half, high: value + half };
}

/** From -1 to 1; 0 where one of the two is the same in all points. */
export function correlation(points: readonly TrendPoint[]): number {
  const { sumXX, sumXY, sumYY } = sumsOf(points);
  return sumXX * sumYY === 0 ? 0 : sumXY / Math.sqrt(sumXX * sumYY);
}

/** The means, and the sums of squares and products of what is away from them. */
function sumsOf(
  points: readonly TrendPoint[],
): Record<'meanX' | 'meanY' | 'sumXX' | 'sumXY' | 'sumYY', number> {
  const meanX = mean(points.map(({ x }) => x));
  const meanY = mean(points.map(({ y }) => y));
  const sums = { meanX, meanY, sumXX: 0, sumXY: 0, sumYY: 0 };
  for (const { x, y } of points) {
    sums.sumXX += (x - meanX) ** 2;
    sums.sumXY += (x - meanX) * (y - meanY);
    sums.sumYY += (y - meanY) ** 2;
  }
  return sums;
}

function lagOneCorrelation(residuals: readonly number[], squares: number): number {
  if (squares === 0) return 0;
  let products = 0;
  residuals.reduce((before, now) => {
    products += before * now;
    return now;
  });
  return products / squares;
}
