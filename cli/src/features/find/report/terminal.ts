import type { FindRecord } from '../record';
import { findFigures, findWord } from './figures';
import { renderRows, renderVerdict, type TerminalStyle } from '../../../report/text/terminal';

const COLOURS = {
  found: 32,
  'not confirmed': 33,
  inconclusive: 33,
  'nothing sustained': 31,
  invalid: 33,
} as const;

export function renderFindTerminal(record: FindRecord, style: TerminalStyle): string {
  return [
    ...renderVerdict(findWord(record), record.sentence, COLOURS[record.verdict], style),
    '',
    ...renderRows(findFigures(record), style),
    ...renderRows(
      record.doubts.map((value) => ({ name: 'Doubt', value })),
      style,
    ),
  ].join('\n');
}
