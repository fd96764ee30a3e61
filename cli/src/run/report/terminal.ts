import { type TerminalStyle, renderVerdict, renderRows } from '../../report/text/terminal';
import type { RunRecord } from '../../record/run-record';
import { limitFigures, outcomeWord, runFigures } from './figures';
import { adviceFigures, takesFigures } from './first';

/** Of the terminal: green, red, yellow. */
const COLOURS = {
  sustained: 32,
  'not sustained': 31,
  inconclusive: 33,
  invalid: 33,
  aborted: 33,
} as const;

/** A run in about 15 lines. */
export function renderTerminal(record: RunRecord, style: TerminalStyle): string {
  const { verdict } = record;
  return [
    ...renderVerdict(outcomeWord(record), verdict.sentence, COLOURS[verdict.outcome], style),
    '',
    ...renderRows(runFigures(record), style),
    ...renderRows(limitFigures(record), style),
    // What it takes is in the report, unless its price was asked for.
    ...renderRows(
      record.prices === undefined ? adviceFigures(record) : takesFigures(record),
      style,
    ),
    ...renderRows(
      verdict.doubts.map((value) => ({ name: 'Doubt', value })),
      style,
    ),
  ].join('\n');
}
