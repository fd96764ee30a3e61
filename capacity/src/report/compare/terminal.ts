import type { CompareRecord } from '../../record/compare-record';
import { compareFigures, compareWord } from './figures';
import { renderRows, renderVerdict, type TerminalStyle } from '../text/terminal';

const COLOURS = { better: 32, worse: 31, 'no difference': 33, unknown: 33 } as const;

export function renderCompareTerminal(record: CompareRecord, style: TerminalStyle): string {
  return [
    ...renderVerdict(compareWord(record), record.sentence, COLOURS[record.answer], style),
    '',
    ...renderRows(compareFigures(record), style),
    ...renderRows(
      record.doubts.map((value) => ({ name: 'Doubt', value })),
      style,
    ),
  ].join('\n');
}
