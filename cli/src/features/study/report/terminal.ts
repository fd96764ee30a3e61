import type { NamedStudy, Published, Study } from '../plan';
import type { StudyRecord } from '../record';
import { renderColumns, renderRows, type TerminalStyle } from '../../../report/text/terminal';
import { formatNumber } from '../../../ui/numbers';

const RECORDS = {
  full: 'there is one',
  quick: 'of a quick run only',
  none: 'none yet',
} satisfies Record<NamedStudy['kept'], string>;

export function renderStudies(studies: readonly NamedStudy[], style: TerminalStyle): string[] {
  return studies.flatMap((study) => [
    ...renderRows([{ name: study.name, value: study.question }], style),
    ...renderRows(
      [
        { name: '  published', value: study.published.map(publishedText).join('; ') || 'nothing' },
        { name: '  record', value: RECORDS[study.kept] },
        { name: '  takes', value: takes(study) },
      ],
      style,
    ),
    '',
  ]);
}

export const publishedText = ({ what, value, unit }: Published): string =>
  `${what}: ${formatNumber(value)}${unit === 'x' || unit === '' ? unit : ` ${unit}`}`;

const takes = ({ full, quick }: Study): string =>
  [
    `${minutes(full.minutes)}`,
    quick === undefined ? 'no --quick' : `--quick ${minutes(quick.minutes)}`,
  ].join('; ');

const minutes = (value: number): string => `about ${formatNumber(value)} min`;

export function renderStudy({ steps, seconds, isWhole }: StudyRecord): string[] {
  return [
    ...renderColumns(
      ['exit code', 'time', 'command'],
      steps.map(({ command, seconds: took, exitCode }) => [
        String(exitCode),
        `${formatNumber(Math.round(took))} s`,
        command,
      ]),
    ),
    `${isWhole ? 'complete' : 'broken off: the same command continues with the rest'}, ${formatNumber(Math.round(seconds))} s`,
  ];
}
