import type { RunRecord } from '../record/record';
import { outcomeWord, runFigures } from './figures';

export interface TerminalStyle {
  width: number;
  colour: boolean;
}

const COLOURS = { held: 32, failed: 31, invalid: 33, aborted: 33 } as const;

/** A run in about 15 lines. */
export function renderTerminal(record: RunRecord, style: TerminalStyle): string {
  const paint = (code: number, text: string) =>
    style.colour ? `\u001b[${code}m${text}\u001b[0m` : text;
  const lines = [
    ...wrap(record.verdict.sentence, style.width - 9).map((line, index) =>
      index === 0
        ? `${paint(COLOURS[record.verdict.outcome], outcomeWord(record).padEnd(8))} ${line}`
        : `         ${line}`,
    ),
    '',
  ];
  for (const figure of runFigures(record)) lines.push(...row(figure.name, figure.value, style));
  const limit = record.verdict.limitedBy;
  lines.push(
    ...row('Limited by', limit.evidence ? `${limit.name}: ${limit.evidence}` : limit.name, style),
  );
  for (const doubt of record.verdict.doubts) lines.push(...row('Doubt', doubt, style));
  return lines.join('\n');
}

const NAME = 17;

function row(name: string, value: string, style: TerminalStyle): string[] {
  return wrap(value, style.width - NAME).map(
    (line, index) => (index === 0 ? name : '').padEnd(NAME) + line,
  );
}

/** Breaks at spaces; a word longer than the width stays whole. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
