import type { Line } from '../../../loadtests/lib/print';

/** The lines of a text that comes in pieces, those of each piece together; the last one also without its end. */
export async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string[]> {
  let left = '';
  for await (const piece of pieces) {
    const lines = (left + piece).split('\n');
    left = lines.pop() ?? '';
    yield lines;
  }
  if (left !== '') yield [left];
}

/** Null for what k6 itself has to say. */
export function parseLine(text: string): Line | null {
  if (!/^\["[benr]",/.test(text)) return null;
  try {
    return JSON.parse(text) as Line;
  } catch {
    // The last line of a killed generator may be half of one.
    return null;
  }
}
