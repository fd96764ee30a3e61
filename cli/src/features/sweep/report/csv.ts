import { limitName } from '../../../analysis/limits/table';
import { figure, row } from '../../../record/csv';
import { NO_FIGURES, type CellFigures, type CellRecord } from '../record';

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
    ...FIGURES.map((name) => record.figures[name] ?? null),
    record.limitedBy && limitName(record.limitedBy.limit),
    record.limitedBy?.evidence ?? null,
    record.limitedBy?.next ? limitName(record.limitedBy.next) : null,
    record.seconds,
    record.run,
  ]);
  return [head, ...rows].map((cells) => row(cells.map(figure))).join('');
}
