import { median } from '../../analysis/statistics';
import { METRICS } from '../../analysis/compare-metric';
import type { CompareRecord, Side } from '../../record/compare-record';
import { inWords } from '../page/parts';
import type { Figure } from '../text/units';
import { formatNumber } from '../plot/scale';

const WORDS = {
  better: 'BETTER',
  worse: 'WORSE',
  'no difference': 'ALIKE',
  unknown: 'UNKNOWN',
} as const;

export const compareWord = ({ answer }: CompareRecord): string => WORDS[answer];

/** What has a value on both sides; the rest of a side was left alone when the comparison ended. */
export function pairsOf({ a, b }: CompareRecord): { a: number; b: number }[] {
  return a.values.flatMap((value, index) => {
    const other = b.values[index];
    return other === undefined ? [] : [{ a: value, b: other }];
  });
}

/** How many times as good B was as A in each pair. */
export function ratiosOf(record: CompareRecord): number[] {
  const { moreIsBetter } = METRICS[record.metric];
  return pairsOf(record).map(({ a, b }) => (moreIsBetter ? b / a : a / b));
}

/** The figures of a comparison, in reading order; the same in HTML, Markdown and the terminal. */
export function compareFigures(record: CompareRecord): Figure[] {
  const { title, unit, moreIsBetter } = METRICS[record.metric];
  return [
    { name: 'Compared by', value: `${title}, ${moreIsBetter ? 'more' : 'less'} is better` },
    { name: 'A', value: sideText(record.a, unit) },
    { name: 'B', value: sideText(record.b, unit) },
    { name: 'B is', value: ratioText(record) },
    {
      name: 'Pairs',
      value: `${String(pairsOf(record).length)} in ${formatNumber(record.totalSeconds)} s, measured in turns (ABBA)`,
    },
  ];
}

function sideText({ name, values }: Side, unit: string): string {
  if (values.length === 0) return `${name}: not measured`;
  const range = `${formatNumber(Math.min(...values))} to ${formatNumber(Math.max(...values))}`;
  return `${name}: median ${formatNumber(median(values))} ${unit}, ${range}`;
}

function ratioText({ ratio }: CompareRecord): string {
  if (!Number.isFinite(ratio.low) || !Number.isFinite(ratio.high)) return 'not yet known';
  return `${formatNumber(ratio.value)} times as good (${formatNumber(ratio.low)} to ${formatNumber(ratio.high)}, 95 % confidence)`;
}

export function pairTable(record: CompareRecord): { head: string[]; rows: string[][] } {
  const { unit } = METRICS[record.metric];
  const ratios = ratiosOf(record);
  return {
    head: ['pair', `A, ${record.a.name} (${unit})`, `B, ${record.b.name} (${unit})`, 'B over A'],
    rows: pairsOf(record).map(({ a, b }, index) => [
      String(index + 1),
      formatNumber(a),
      formatNumber(b),
      `${formatNumber(ratios[index] ?? 0)}x`,
    ]),
  };
}

/** Both topologies side by side, what differs first. */
export function topologyTable({ a, b }: CompareRecord): { head: string[]; rows: string[][] } {
  const keys = [...new Set([...Object.keys(a.topology), ...Object.keys(b.topology)])];
  const rows = keys
    .map((key) => [key, wordsAt(a, key), wordsAt(b, key)])
    .filter(([, left, right]) => left !== '' || right !== '');
  const isDifferent = ([, left, right]: string[]): boolean => left !== right;
  return {
    head: ['', `A, ${a.name}`, `B, ${b.name}`],
    rows: [
      ...rows.filter(isDifferent).map(([key = '', ...cells]) => [`${key} (differs)`, ...cells]),
      ...rows.filter((row) => !isDifferent(row)),
    ],
  };
}

function wordsAt({ topology }: Side, key: string): string {
  const value = (topology as Record<string, unknown>)[key];
  return value === undefined ? '' : inWords(value);
}
