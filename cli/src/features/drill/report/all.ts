/** The report of several drills side by side: one row each. */
import { notKnown } from '../analysis/verdict';
import { LEDGER_CLASSES, LEDGER_WORDS } from '../analysis/ledger-class';
import type { DrillRecord } from '../record';
import { row as csvRow } from '../../../record/csv';
import {
  measured,
  measuredFigures,
  ranOn,
  subtitle,
  topologyFigures,
} from '../../../report/conditions';
import {
  list,
  section,
  table,
  terms,
  type ReportDocument,
  type ShownVerdict,
} from '../../../report/document';
import { repeatCommand } from '../../../report/text/units';
import { counted, formatNumber } from '../../../ui/numbers';

export interface DrillRow {
  fault: string;
  /** Null: it did not come to a record, and `reason` says why. */
  record: DrillRecord | null;
  reason: string;
  /** Folder of the drill below that of the table; null without a record. */
  folder: string | null;
}

const HEAD = ['fault', 'verdict', 'sent', 'lost of exposed', 'errors', 'detect', 'recover'];

/** What the columns mean. */
const TERMS = [
  {
    name: 'lost of exposed',
    value:
      'accepted requests that were not completed, out of the requests that were open when the fault began or were due later; "-" means that the fault was not injected',
  },
  {
    name: 'unknown',
    value: 'requests that were still running at the end, or whose outcome is unknown',
  },
];

const wordOf = ({ record, reason }: DrillRow): string => {
  if (record === null) return 'not made';
  return reason === '' ? record.verdict.outcome.toUpperCase() : 'INVALID';
};

function verdictOf(rows: readonly DrillRow[]): ShownVerdict {
  const count = (word: string): number => rows.filter((row) => wordOf(row) === word).length;
  const [passed, failed] = [count('PASS'), count('FAIL')];
  const others = rows.length - passed - failed;
  const sentence = `n8n kept every promise in ${String(passed)} of ${String(rows.length)} drills, and broke a promise in ${String(failed)}${others === 0 ? '' : `; ${others === 1 ? '1 drill has' : `${String(others)} drills have`} no valid result`}.`;
  if (failed > 0) return { tone: 'bad', word: 'FAIL', sentence };
  return others > 0 || rows.length === 0
    ? { tone: 'unsure', word: 'INVALID', sentence }
    : { tone: 'good', word: 'PASS', sentence };
}

export function drillsDocument(rows: readonly DrillRow[]): ReportDocument {
  const first = rows.find(({ record }) => record !== null)?.record ?? null;
  const rate = `${counted(first?.ratePerSecond ?? 0, 'request')} per second`;
  return {
    title: 'Drills, in order',
    subtitle: first === null ? '' : subtitle(first, rate),
    ranOn: first === null ? '' : ranOn(first),
    verdict: verdictOf(rows),
    summary: [],
    pictures: [],
    howSure: `${counted(rows.length, 'drill')}; each of them is a single sample.`,
    doubts: [],
    figures: [],
    sections: [
      { ...section('Every drill', table(HEAD, rows.map(cellsOf))), isInTerminal: true },
      section('What the columns mean', terms(TERMS)),
      { ...section('Why a drill did not pass', list(rows.flatMap(causes))), isInTerminal: true },
      section(
        'Outcome of the other requests',
        table(
          ['fault', 'requests'],
          rows.flatMap(({ fault, record }) =>
            record === null ? [] : [[fault, classesOf(record)]],
          ),
        ),
      ),
      section(
        'The report of each drill, next to this file',
        list(
          rows.flatMap(({ fault, folder }) =>
            folder === null ? [] : [`${fault}: ${folder}/report.html`],
          ),
        ),
      ),
    ],
    howToRepeat: first === null ? [] : [repeatCommand(first.command)],
    conditions: measured(
      ...(first === null ? [] : [...measuredFigures(first), ...topologyFigures(first.topology)]),
    ),
  };
}

function cellsOf(drill: DrillRow): string[] {
  const { fault, record } = drill;
  if (record === null) return [fault, wordOf(drill), ...Array<string>(5).fill('-')];
  const { ledger, figures } = record;
  const open = notKnown(ledger);
  const after = (seconds: number | null | undefined): string =>
    seconds === null || seconds === undefined ? '-' : `${formatNumber(seconds)} s`;
  return [
    ...[fault, wordOf(drill), formatNumber(ledger.sent)],
    `${formatNumber(ledger.lost)} of ${formatNumber(ledger.exposed)}${open === 0 ? '' : `, ${formatNumber(open)} unknown`}`,
    formatNumber(figures?.errors?.requests ?? 0),
    ...[after(figures?.detectSeconds), after(figures?.recoverSeconds)],
  ];
}

function causes({ fault, record, reason }: DrillRow): string[] {
  const broken = (record?.verdict.promises ?? [])
    .filter(({ kept }) => kept !== true)
    .map(({ promise, measured: seen }) => `${promise.text}: ${seen}`);
  return [...(reason === '' ? [] : [reason]), ...(record?.verdict.invalid ?? []), ...broken].map(
    (cause) => `${fault}: ${cause}`,
  );
}

const classesOf = ({ ledger }: DrillRecord): string =>
  LEDGER_CLASSES.filter((name) => name !== 'once' && ledger.classes[name].requests > 0)
    .map((name) => `${formatNumber(ledger.classes[name].requests)} ${LEDGER_WORDS[name].title}`)
    .join(', ') || '-';

const CSV_FIGURES = ['exposed', 'detectSeconds', 'recoverSeconds'];

export const drillsCsv = (rows: readonly DrillRow[]): string =>
  [
    csvRow(['fault', 'verdict', 'sent', ...LEDGER_CLASSES, ...CSV_FIGURES, 'folder']),
    ...rows.map(({ fault, record, folder }) =>
      csvRow([
        ...[fault, record?.verdict.outcome ?? 'not made', record?.ledger.sent ?? ''],
        ...LEDGER_CLASSES.map((name) => record?.ledger.classes[name].requests ?? ''),
        record?.ledger.exposed ?? '',
        ...[record?.figures?.detectSeconds ?? '', record?.figures?.recoverSeconds ?? ''],
        folder ?? '',
      ]),
    ),
  ].join('');
