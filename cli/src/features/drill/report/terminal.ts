import { LEDGER_CLASSES, LEDGER_WORDS } from '../analysis/ledger-class';
import type { DrillRecord } from '../record';
import { renderRows, renderVerdict, type TerminalStyle } from '../../../report/text/terminal';
import { drillFigureRows, drillWord } from './figures';
import { formatNumber } from '../../../ui/numbers';

const COLOURS = { pass: 32, fail: 31, invalid: 33 } as const;

export function renderDrillTerminal(record: DrillRecord, style: TerminalStyle): string {
  const { verdict, ledger } = record;
  const classes = LEDGER_CLASSES.filter((name) => ledger.classes[name].requests > 0).map(
    (name) => `${formatNumber(ledger.classes[name].requests)} ${LEDGER_WORDS[name].title}`,
  );
  return [
    ...renderVerdict(drillWord(record), verdict.sentence, COLOURS[verdict.outcome], style),
    '',
    ...renderRows(drillFigureRows(record), style),
    ...renderRows([{ name: 'Ledger', value: classes.join('; ') }], style),
    ...renderRows(
      verdict.promises.map(({ promise, kept, measured }) => ({
        name: kept ? 'Kept' : 'Broken',
        value: `${promise.text}: ${measured}`,
      })),
      style,
    ),
    ...renderRows(
      verdict.doubts.map((value) => ({ name: 'Doubt', value })),
      style,
    ),
  ].join('\n');
}
