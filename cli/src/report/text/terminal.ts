import { wrap } from '../../ui/wrap';
import { sectionsOf, type Block, type ReportDocument, type ShownVerdict, TONES } from '../document';
import type { Figure } from './units';

export interface TerminalStyle {
  width: number;
  colour: boolean;
}

/** A document in short: verdict, figures, doubts, and the sections that are for the terminal too. */
export function renderTerminal(document: ReportDocument, style: TerminalStyle): string {
  const { verdict, figures, howSure, doubts, ranOn } = document;
  return [
    ...renderVerdict(verdict, style),
    '',
    ...renderRows(
      [
        ...figures.filter(({ isDetail }) => isDetail !== true),
        { name: 'Ran on', value: ranOn },
        { name: 'How sure', value: howSure },
        ...doubts.map((value) => ({ name: 'Doubt', value })),
      ].filter(({ value }) => value !== ''),
      style,
    ),
    ...sectionsOf(document)
      .filter(({ isInTerminal }) => isInTerminal)
      .flatMap(({ title, blocks }) => [
        ...['', `${title}:`],
        ...blocks.flatMap((block) => blockLines(block, style)),
      ]),
  ].join('\n');
}

/** Plots and commands have no place there. */
function blockLines(block: Block, style: TerminalStyle): string[] {
  switch (block.kind) {
    case 'paragraph':
      return wrap(block.text, style.width);
    case 'list':
      return block.items.flatMap((item) => wrap(item, style.width));
    case 'figures':
      return renderRows(block.figures, style);
    case 'terms':
      return renderRows(block.terms, style);
    case 'table':
      return renderTable(block.head, block.rows, style);
    case 'plots':
    case 'code':
      return [];
  }
}

/** Wide enough for `A million requests`, and for the longest name up to 30; one beyond that takes more of its own line. */
const NAME = { min: 20, max: 30 };
const GAP = 2;
/** The shortest column for a verdict. */
const WORD = 9;

/** The verdict's word in its colour, and the sentence beside it. */
export function renderVerdict(
  { word, tone, sentence }: ShownVerdict,
  style: TerminalStyle,
): string[] {
  const column = Math.max(WORD, word.length + GAP);
  const padded = word.padEnd(column);
  const { terminal } = TONES[tone];
  const painted = style.colour ? `\u001b[${String(terminal)}m${padded}\u001b[0m` : padded;
  return wrap(sentence, style.width - column).map((line, index) =>
    index === 0 ? painted + line : ' '.repeat(column) + line,
  );
}

export function renderRows(rows: readonly Figure[], style: TerminalStyle): string[] {
  const lengths = rows.map(({ name }) => name.length + GAP);
  const shared = Math.max(NAME.min, ...lengths.filter((length) => length <= NAME.max));
  return rows.flatMap(({ name, value }) => {
    const column = Math.max(shared, name.length + GAP);
    return wrap(value, style.width - column).map(
      (line, index) => (index === 0 ? name : '').padEnd(column) + line,
    );
  });
}

/** In columns where they fit; else each row is a list of its cells, named by their columns. */
function renderTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  style: TerminalStyle,
): string[] {
  const lines = renderColumns(head, rows);
  if (lines.every((line) => line.length <= style.width)) return lines;
  return rows.flatMap(([first = '', ...cells]) => [
    first,
    ...renderRows(
      cells
        .map((value, index) => ({ name: `  ${head[index + 1] ?? ''}`, value }))
        .filter(({ value }) => value !== '-'),
      style,
    ),
  ]);
}

/** A table of columns as wide as they must be. */
export function renderColumns(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
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
