/** Distribution functions, computed from their textbook series and continued fractions. */

/** Natural logarithm of the gamma function for x > 0 (Stirling's series after shifting x above 10). */
export function logGamma(x: number): number {
  let shift = 0;
  let z = x;
  while (z < 10) {
    shift -= Math.log(z);
    z += 1;
  }
  const inverse = 1 / z;
  const square = inverse * inverse;
  const series =
    inverse *
    (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188))));
  return shift + (z - 0.5) * Math.log(z) - z + 0.5 * Math.log(2 * Math.PI) + series;
}

/** Regularised incomplete beta function I_x(a, b). */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  // The continued fraction converges fast only below the mean; above it the symmetric one does.
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(
    logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x),
  );
  return (front / a) * betaFraction(x, a, b);
}

/** Lentz's evaluation of the continued fraction of the incomplete beta function. */
function betaFraction(x: number, a: number, b: number): number {
  const tiny = 1e-300;
  const nonZero = (value: number) => (Math.abs(value) < tiny ? tiny : value);
  let c = 1;
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1));
  let result = d;
  for (let m = 1; m <= 10_000; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonZero(1 + even * d);
    c = nonZero(1 + even / c);
    result *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonZero(1 + odd * d);
    c = nonZero(1 + odd / c);
    const change = d * c;
    result *= change;
    if (Math.abs(change - 1) < 1e-14) break;
  }
  return result;
}

/** P(X <= k) for X binomial with n trials of probability p. */
export function binomialCdf(k: number, n: number, p: number): number {
  if (k < 0) return 0;
  if (k >= n) return 1;
  return incompleteBeta(1 - p, n - Math.floor(k), Math.floor(k) + 1);
}

/** P(T <= t) of Student's t. */
export function studentCdf(t: number, degrees: number): number {
  const tail = incompleteBeta(degrees / (degrees + t * t), degrees / 2, 0.5) / 2;
  return t > 0 ? 1 - tail : tail;
}

/** The t below which a share p of Student's distribution lies. */
export function studentQuantile(p: number, degrees: number): number {
  return invert((t) => studentCdf(t, degrees), p);
}

/** P(Z <= z) of the standard normal. */
export function normalCdf(z: number): number {
  const x = Math.abs(z);
  const density = Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
  if (density === 0) return z > 0 ? 1 : 0;
  const upper = x < 3 ? 0.5 - density * oddSeries(x) : density / tailFraction(x);
  return z > 0 ? 1 - upper : upper;
}

/** x + x^3/3 + x^5/15 + ...: the area from 0 to x over the density at x. */
function oddSeries(x: number): number {
  let term = x;
  let sum = x;
  for (let n = 3; term > sum * 1e-17; n += 2) {
    term *= (x * x) / n;
    sum += term;
  }
  return sum;
}

/** Laplace's continued fraction for the density over the upper tail. */
function tailFraction(x: number): number {
  let value = x;
  for (let n = 60; n >= 1; n -= 1) value = x + n / value;
  return value;
}

/** The z below which a share p of the standard normal lies. */
export function normalQuantile(p: number): number {
  return invert(normalCdf, p);
}

/** Inverts a symmetric distribution function around 0 by bisection. */
function invert(cdf: (x: number) => number, p: number): number {
  if (!(p > 0 && p < 1)) return p <= 0 ? -Infinity : Infinity;
  let low = -1;
  let high = 1;
  while (cdf(low) > p) low *= 2;
  while (cdf(high) < p) high *= 2;
  for (let i = 0; i < 200 && high - low > 1e-12 * Math.max(1, Math.abs(low)); i += 1) {
    const middle = (low + high) / 2;
    if (cdf(middle) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Wilson and Hilferty's formula; within 2% from one degree of freedom on. */
export function chiSquaredQuantile(p: number, degrees: number): number {
  const ninth = 2 / (9 * degrees);
  return degrees * Math.max(0, 1 - ninth + normalQuantile(p) * Math.sqrt(ninth)) ** 3;
}

/** What is integrated below is smooth and vanishes at both ends, so few steps are enough. */
const NORMAL_STEP = 0.5;

/** P(R <= w) for the range R, minimum to maximum, of `count` standard normals: the integral is over the maximum. */
function rangeCdf(w: number, count: number): number {
  let sum = 0;
  for (let z = -7; z <= 7; z += NORMAL_STEP) {
    const between = Math.max(0, normalCdf(z) - normalCdf(z - w));
    sum += Math.exp((-z * z) / 2) * between ** (count - 1);
  }
  return (count * NORMAL_STEP * sum) / Math.sqrt(2 * Math.PI);
}

/**
 * Tukey's studentized range: the q below which a share p of the ranges of `count` equal values lies, in units of a
 * standard deviation that is itself estimated, with the given degrees of freedom.
 */
export function studentizedRangeQuantile(p: number, count: number, degrees: number): number {
  const half = degrees / 2;
  const front = Math.log(2) + half * Math.log(half) - logGamma(half);
  // Over u = ln(s / sigma), whose density is the narrower, the more degrees of freedom there are.
  const step = 0.3 / Math.sqrt(degrees);
  const points: { s: number; weight: number }[] = [];
  for (let u = -24 / degrees; u <= 2.5; u += step) {
    const weight = step * Math.exp(front + degrees * u - half * Math.exp(2 * u));
    if (weight > 1e-8) points.push({ s: Math.exp(u), weight });
  }
  return invert(
    (q) => points.reduce((sum, { s, weight }) => sum + weight * rangeCdf(q * s, count), 0),
    p,
  );
}
