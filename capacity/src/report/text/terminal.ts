import type { Figure } from './units';
import { wrap } from '../../ui/wrap';

export interface TerminalStyle {
  width: number;
  colour: boolean;
}

const NAME = 17;
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
  return rows.flatMap(({ name, value }) =>
    wrap(value, style.width - NAME).map(
      (line, index) => (index === 0 ? name : '').padEnd(NAME) + line,
    ),
  );
}
