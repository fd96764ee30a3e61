/** A source of numbers in [0, 1). Analysis takes it as an argument, so that results can be repeated. */
export type Random = () => number;

/** A seeded generator (splitmix-style 32-bit mixing): the same seed gives the same numbers for ever. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

export function exponential(random: Random, mean: number): number {
  return -mean * Math.log(1 - random());
}

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
