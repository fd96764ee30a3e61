/** The known word that a mistyped one was probably meant to be; null where none is near. */
export function nearest(word: string, known: readonly string[]): string | null {
  const isOther = (each: string): boolean => lettersOf(each) !== lettersOf(word);
  const [first] = known
    .map((each) => ({ each, away: distance(word.toLowerCase(), each.toLowerCase()) }))
    // Exchanged letters before another letter: p59 is meant to be p95, not p50.
    .sort((a, b) => a.away - b.away || Number(isOther(a.each)) - Number(isOther(b.each)));
  // A third of the letters: more changes make another word.
  const allowed = Math.min(Math.max(1, Math.floor(word.length / 3)), word.length - 1);
  if (first === undefined || first.away > allowed) return null;
  return first.each;
}

const lettersOf = (word: string): string => [...word.toLowerCase()].sort().join('');

/** Letters that are added, left out, changed or exchanged with their neighbour. */
export function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const ways = [
        at(rows, row - 1, column) + 1,
        (line[column - 1] ?? 0) + 1,
        at(rows, row - 1, column - 1) + (isSame ? 0 : 1),
      ];
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        ways.push(at(rows, row - 2, column - 2) + 1);
      }
      line.push(Math.min(...ways));
    }
    rows.push(line);
  }
  return at(rows, a.length, b.length);
}

const at = (rows: readonly (readonly number[])[], row: number, column: number): number =>
  rows[row]?.[column] ?? 0;

/** For a sentence: empty where nothing is near. */
export function didYouMean(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  return near === null ? '' : ` (did you mean ${near}?)`;
}

/** A sentence without its end: there is no such one, which was meant, and which there are. */
export const unknown = (kind: string, name: string, known: readonly string[]): string =>
  `there is no ${kind} '${name}'${didYouMean(name, known)}: choose one of ${known.join(', ')}`;
