/** A number from 0 (included) to 1 (excluded), as Math.random gives it. */
export type Random = () => number;

export type Distribution =
  | { kind: 'fixed'; ms: number }
  | { kind: 'uniform'; minMs: number; maxMs: number }
  | { kind: 'exponential'; meanMs: number }
  | { kind: 'normal'; meanMs: number; deviationMs: number };

/** A duration drawn from the distribution, cut off at 0 and at `limitMs`. */
export function sampleMs(distribution: Distribution, limitMs: number, random: Random): number {
  return Math.min(limitMs, Math.max(0, draw(distribution, random)));
}

function draw(distribution: Distribution, random: Random): number {
  switch (distribution.kind) {
    case 'fixed':
      return distribution.ms;
    case 'uniform':
      return distribution.minMs + random() * (distribution.maxMs - distribution.minMs);
    case 'exponential':
      return -Math.log(1 - random()) * distribution.meanMs;
    case 'normal':
      return distribution.meanMs + standardNormal(random) * distribution.deviationMs;
  }
}

/** Box-Muller; 1 - random() keeps the logarithm away from 0. */
function standardNormal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
