import type { Random } from '../../../../loadtests/lib/random';

export { exponential, seededRandom, type Random } from '../../../../loadtests/lib/random';

/** Standard normal, by the Box-Muller transform. */
export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** The values in random order (Fisher-Yates); the argument is left as it was. */
export function shuffled<T>(values: readonly T[], random: Random): T[] {
  const rest = [...values];
  const result: T[] = [];
  while (rest.length > 0) result.push(...rest.splice(Math.floor(random() * rest.length), 1));
  return result;
}
