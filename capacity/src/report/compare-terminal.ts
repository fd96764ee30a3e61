import { METRICS } from '../compare/metric';
import type { CompareRecord, Side } from '../record/compare-record';
import { median } from '../analysis/statistics';
import { formatNumber } from './plot/scale';
import { renderRows, renderVerdict, type TerminalStyle } from './terminal';

const WORDS = {
  better: ['BETTER', 32],
  worse: ['WORSE', 31],
  'no difference': ['ALIKE', 33],
  unknown: ['UNKNOWN', 33],
} as const;

export function renderCompareTerminal(record: CompareRecord, style: TerminalStyle): string {
  const [word, colour] = WORDS[record.answer];
  const { unit } = METRICS[record.metric];
  const side = ({ name, values }: Side): string =>
    `${name}: ${values.length === 0 ? '-' : `median ${formatNumber(median(values))} ${unit}, ${formatNumber(Math.min(...values))} to ${formatNumber(Math.max(...values))}`}`;
  return [
    ...renderVerdict(word, record.sentence, colour, style),
    '',
    ...renderRows(
      [
        { name: 'A', value: side(record.a) },
        { name: 'B', value: side(record.b) },
        {
          name: 'Pairs',
          value: `${String(Math.min(record.a.values.length, record.b.values.length))} in ${formatNumber(record.totalSeconds)} s`,
        },
        ...record.doubts.map((value) => ({ name: 'Doubt', value })),
      ],
      style,
    ),
  ].join('\n');
}
