import type { Figure } from './units';
import { wrap } from '../../ui/wrap';

export interface TerminalStyle {
  width: number;
  colour: boolean;
}

/** Wide enough for `A million requests`; a longer name takes more of its own line. */
const NAME = 20;
const GAP = 2;
/** The shortest column for a verdict. */
const WORD = 9;

/** The verdict's word in its colour, and the sentence beside it. */
export function renderVerdict(
  word: string,
  sentence: string,
  colour: number,
  style: TerminalStyle,
): string[] {
  const column = Math.max(WORD, word.length + 2);
  const padded = word.padEnd(column);
  const painted = style.colour ? `\u001b[${String(colour)}m${padded}\u001b[0m` : padded;
  return wrap(sentence, style.width - column).map((line, index) =>
    index === 0 ? painted + line : ' '.repeat(column) + line,
  );
}

export function renderRows(rows: readonly Figure[], style: TerminalStyle): string[] {
  return rows.flatMap(({ name, value }) => {
    const column = Math.max(NAME, name.length + GAP);
    return wrap(value, style.width - column).map(
      (line, index) => (index === 0 ? name : '').padEnd(column) + line,
    );
  });
}

/** A table of columns as wide as they must be. */
export function renderColumns(head: readonly string[], rows: readonly string[][]): string[] {
  const widths = head.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(head), ...rows.map(line)];
}
