import { NO_FIGURES, type CellFigures, type CellRecord } from '../../record/sweep-record';

const FIGURES = Object.keys(NO_FIGURES) as (keyof CellFigures)[];

/** One line a measurement, controls included, in the order in which they were made. */
export function renderSweepCsv(records: readonly CellRecord[]): string {
  const dimensions = [...new Set(records.flatMap(({ cell }) => Object.keys(cell)))];
  const head = [
    'id',
    'block',
    'control',
    ...dimensions,
    'outcome',
    ...FIGURES,
    'limitedBy',
    'limitEvidence',
    'nextLimit',
    'seconds',
    'run',
  ];
  const rows = records.map((record) => [
    record.id,
    record.block,
    record.isControl ? 'yes' : 'no',
    ...dimensions.map((name) => record.cell[name] ?? null),
    record.outcome,
    ...FIGURES.map((name) => record.figures[name]),
    record.limitedBy,
    record.limit?.evidence ?? null,
    record.limit?.next ?? null,
    record.seconds,
    record.run,
  ]);
  return [head, ...rows].map((row) => `${row.map(field).join(',')}\n`).join('');
}

function field(value: string | number | null): string {
  if (value === null) return '';
  const text = typeof value === 'number' ? String(Number(value.toPrecision(6))) : value;
  return /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}
