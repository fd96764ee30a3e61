import { wrap } from '../../../ui/wrap';
import type { CellRecord, SweepRecord } from '../record';
import { sweepDoubts, sweepFigures, sweepLimits, sweepSentence, sweepTable } from './figures';
import { renderRows, renderVerdict, type TerminalStyle } from '../../../report/text/terminal';

export function renderSweepTerminal(
  sweep: SweepRecord,
  records: readonly CellRecord[],
  style: TerminalStyle,
): string {
  const isWhole = records.length === sweep.steps.length;
  const { head, rows } = sweepTable(sweep, records);
  return [
    ...renderVerdict(
      isWhole ? 'DONE' : 'STOPPED',
      sweepSentence(sweep, records),
      isWhole ? 32 : 33,
      style,
    ),
    '',
    ...renderRows(sweepFigures(sweep, records), style),
    ...renderRows(
      sweepDoubts(sweep, records).map((value) => ({ name: 'Doubt', value })),
      style,
    ),
    '',
    ...columns([head, ...rows]),
    ...limitLines(sweep, records, style),
  ].join('\n');
}

function limitLines(
  sweep: SweepRecord,
  records: readonly CellRecord[],
  style: TerminalStyle,
): string[] {
  const limits = sweepLimits(sweep, records);
  if (limits.length === 0) return [];
  return [
    '',
    'What limited each cell:',
    ...limits.flatMap(({ cell, text }) => wrap(`${cell}: ${text}`, style.width)),
  ];
}

function columns(rows: readonly string[][]): string[] {
  const widths =
    rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
