/** Several drills side by side: one row each. */
import { notKnown } from '../analysis/not-known';
import { LEDGER_CLASSES, LEDGER_WORDS } from '../analysis/ledger-class';
import type { DrillRecord } from '../record';
import { row as csvRow } from '../../../record/csv';
import { markdownOf, table } from '../../../report/text/markdown';
import { renderColumns } from '../../../report/text/terminal';
import { formatNumber, percent } from '../../../ui/numbers';

export interface DrillRow {
  fault: string;
  /** Null: it did not come to a record, and `reason` says why. */
  record: DrillRecord | null;
  reason: string;
  /** Folder of the drill below that of the table; null without a record. */
  folder: string | null;
}

const HEAD = [
  'fault',
  'verdict',
  'sent',
  'lost of exposed',
  'at most',
  'errors',
  'detect',
  'recover',
];

const cellsOf = ({ fault, record, reason }: DrillRow): string[] => {
  if (record === null) return [fault, 'not made', ...Array<string>(6).fill('-')];
  const { ledger, figures, verdict } = record;
  const after = (seconds: number | null | undefined): string =>
    seconds === null || seconds === undefined ? '-' : `${formatNumber(seconds)} s`;
  return [
    ...[fault, reason === '' ? verdict.outcome.toUpperCase() : 'INVALID'],
    formatNumber(ledger.sent),
    `${formatNumber(ledger.lost)} of ${formatNumber(ledger.exposed)}`,
    notKnown(ledger) > 0 ? '-' : percent(ledger.lossBound),
    formatNumber(figures?.errors?.requests ?? 0),
    ...[after(figures?.detectSeconds), after(figures?.recoverSeconds)],
  ];
};

/** Why a drill did not pass. */
const causesOf = ({ record, reason }: DrillRow): string[] => {
  if (record === null) return [reason];
  const broken = record.verdict.promises
    .filter(({ kept }) => !kept)
    .map(({ promise, measured }) => `${promise.text}: ${measured}`);
  return [...(reason === '' ? [] : [reason]), ...record.verdict.invalid, ...broken];
};

const classesOf = ({ ledger }: DrillRecord): string =>
  LEDGER_CLASSES.filter((name) => name !== 'once' && ledger.classes[name].requests > 0)
    .map((name) => `${formatNumber(ledger.classes[name].requests)} ${LEDGER_WORDS[name].title}`)
    .join(', ');

export function renderDrillsTerminal(rows: readonly DrillRow[]): string {
  return [...renderColumns(HEAD, rows.map(cellsOf)), ...rows.flatMap(notes)].join('\n');
}

function notes(row: DrillRow): string[] {
  const causes = causesOf(row);
  return causes.length === 0 ? [] : [`${row.fault}:`, ...causes.map((cause) => `  ${cause}`)];
}

export function renderDrillsMarkdown(rows: readonly DrillRow[]): string {
  const first = rows.find(({ record }) => record !== null)?.record ?? null;
  const versions = Object.entries(first?.versions ?? {}).map((pair) => pair.join(' '));
  return markdownOf([
    '# Drills',
    '',
    ...(first === null
      ? []
      : [
          `Workload ${first.workload.name} at ${formatNumber(first.ratePerSecond)} requests per second; ${versions.join(', ')}.`,
          '',
        ]),
    ...table(
      [...HEAD, 'other classes', 'why'],
      rows.map((row) => [
        ...cellsOf(row).map((cell, column) =>
          column === 0 && row.folder !== null ? `[${cell}](${row.folder}/report.md)` : cell,
        ),
        row.record === null ? '-' : classesOf(row.record),
        causesOf(row).join('; '),
      ]),
    ),
    '',
    '"lost of exposed": accepted and not done, of the requests that were open at the fault or due later; "at most": the share',
    'that may be lost in truth, with 95% confidence; "-" where requests were still running, or nothing is known of them. A',
    'drill is one sample.',
    '',
  ]);
}

const CSV_FIGURES = ['exposed', 'lossBound', 'detectSeconds', 'recoverSeconds'];

export const drillsCsv = (rows: readonly DrillRow[]): string =>
  [
    csvRow(['fault', 'verdict', 'sent', ...LEDGER_CLASSES, ...CSV_FIGURES, 'folder']),
    ...rows.map(({ fault, record, folder }) =>
      csvRow([
        ...[fault, record?.verdict.outcome ?? 'not made', record?.ledger.sent ?? ''],
        ...LEDGER_CLASSES.map((name) => record?.ledger.classes[name].requests ?? ''),
        ...[record?.ledger.exposed ?? '', record?.ledger.lossBound ?? ''],
        ...[record?.figures?.detectSeconds ?? '', record?.figures?.recoverSeconds ?? ''],
        folder ?? '',
      ]),
    ),
  ].join('');
