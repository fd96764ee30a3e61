/**
 * How many values can be reached from an object: numbers, texts, entries of maps, elements of arrays. What grows
 * with what was added to it, whoever keeps it and wherever, grows here.
 */
export function keptIn(root: unknown): number {
  const seen = new Set<unknown>();
  const left: unknown[] = [root];
  let kept = 0;
  while (left.length > 0) {
    const one = left.pop();
    kept += 1;
    if (typeof one !== 'object' || one === null || seen.has(one)) continue;
    seen.add(one);
    if (ArrayBuffer.isView(one)) kept += one.byteLength / 8;
    else if (one instanceof Map) for (const entry of one) left.push(...entry);
    else for (const value of Object.values(one)) left.push(value);
  }
  return kept;
}
