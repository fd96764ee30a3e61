import type { CsvCell } from '../../record/csv';

/** To six digits, as a spreadsheet shows it. */
export const figure = (value: CsvCell): CsvCell =>
  typeof value === 'number' ? Number(value.toPrecision(6)) : value;
