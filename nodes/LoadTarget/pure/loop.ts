/** The published loop, from `from` to below `to`: its sum goes on where an earlier part ended. */
export function addUp(sum: number, from: number, to: number): number {
  let count = sum;
  for (let i = from; i < to; i += 1) count += i;
  return count;
}
