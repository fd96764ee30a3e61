import type { Published } from '../plan';
import type { Part, PartResult, State } from '../record';
import { renderColumns, renderRows, type TerminalStyle } from '../../../report/text/terminal';
import { formatNumber } from '../../../ui/numbers';

export const about = (seconds: number): string => {
  const [value, unit] = seconds < 90 ? [seconds, 's'] : [seconds / 60, 'min'];
  return `about ${formatNumber(Math.round(value))} ${unit}`;
};

export interface StudyRow {
  name: string;
  question: string;
  published: readonly Published[];
  needs: readonly string[];
  hasQuick: boolean;
  parts: number;
  /** Those of the parts that have a record in the repository. */
  measured: number;
  seconds: number;
}

export const renderStudies = (studies: readonly StudyRow[], style: TerminalStyle): string[] =>
  studies.flatMap((study) => [
    ...renderRows([{ name: study.name, value: study.question }], style),
    ...renderRows(
      [
        { name: '  published', value: study.published.map(publishedText).join('; ') || 'nothing' },
        { name: '  measured', value: `${String(study.measured)} of ${String(study.parts)} parts` },
        {
          name: '  takes',
          value: `${about(study.seconds)}; ${study.hasQuick ? '--quick less than 3 min' : 'no --quick'}`,
        },
        { name: '  needs', value: study.needs.join(', ') || 'nothing' },
      ],
      style,
    ),
    '',
  ]);

export const publishedText = ({ what, value, unit }: Published): string =>
  `${what}: ${formatNumber(value)}${unit === 'x' || unit === '' ? unit : ` ${unit}`}`;

export function renderParts(parts: readonly (Part & { state: State })[]): string[] {
  const missing = parts.filter(({ state }) => state === 'missing');
  const seconds = missing.reduce((sum, part) => sum + part.seconds, 0);
  return [
    ...renderColumns(
      ['in the repository', 'time', 'part'],
      parts.map(({ state, name, seconds: own }) => [state, about(own), name]),
    ),
    missing.length === 0
      ? 'every part has a record'
      : `missing records: ${String(missing.length)} of ${String(parts.length)} parts, ${about(seconds)} to measure`,
  ];
}

export const renderResults = (
  results: readonly PartResult[],
  left: number,
  folder: string,
): string[] => [
  ...renderColumns(
    ['time', 'part', 'result'],
    results.map(({ name, seconds, sentence }) => [`${formatNumber(seconds)} s`, name, sentence]),
  ),
  left === 0
    ? 'complete'
    : `${String(left)} parts have no record yet: run the same command to continue`,
  folder,
];
