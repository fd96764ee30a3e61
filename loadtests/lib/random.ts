/** A source of numbers in [0, 1). Taken as an argument everywhere, so that results can be repeated. */
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

/** The seed of one of several streams that must not be shifted copies of each other. */
export function seedOf(seed: number, stream: number): number {
  let mixed = (seed ^ Math.imul(stream + 1, 0x85ebca6b)) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

export function exponential(random: Random, mean: number): number {
  return -mean * Math.log(1 - random());
}

/** Makes an id of version 4. */
export function uuid(random: Random): string {
  const digits = (count: number): string =>
    Array.from({ length: count }, () => Math.floor(random() * 16).toString(16)).join('');
  const variant = '89ab'.charAt(Math.floor(random() * 4));
  return `${digits(8)}-${digits(4)}-4${digits(3)}-${variant}${digits(3)}-${digits(12)}`;
}
