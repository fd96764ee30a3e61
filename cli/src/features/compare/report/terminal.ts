import type { CompareRecord } from '../record';
import { compareFigures, compareWord, takesFigures } from './figures';
import { NOTHING_SEEN, type ComparedCosts } from './seen';
import { renderRows, renderVerdict, type TerminalStyle } from '../../../report/text/terminal';

const COLOURS = { better: 32, worse: 31, 'no difference': 33, unknown: 33 } as const;

export function renderCompareTerminal(
  record: CompareRecord,
  style: TerminalStyle,
  runs: ComparedCosts = NOTHING_SEEN,
): string {
  return [
    ...renderVerdict(compareWord(record), record.sentence, COLOURS[record.answer], style),
    '',
    ...renderRows(compareFigures(record), style),
    ...renderRows(record.prices === undefined ? [] : takesFigures(record, runs), style),
    ...renderRows(
      record.doubts.map((value) => ({ name: 'Doubt', value })),
      style,
    ),
  ].join('\n');
}
