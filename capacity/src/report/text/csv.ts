import type { Cell } from '../../record/csv';

/** To six digits, as a spreadsheet shows it. */
export const figure = (value: Cell): Cell =>
  typeof value === 'number' ? Number(value.toPrecision(6)) : value;
