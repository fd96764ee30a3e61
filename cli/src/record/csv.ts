/** The two tables of a run's folder, and CSV for others that write it. */
import type { MetricSample, RequestSample } from './run-record';

const REQUEST_COLUMNS = [
  'tMs',
  'durationMs',
  'status',
  'ok',
  'errorKind',
  'id',
  'workload',
  'ranBy',
  'lateMs',
  'connected',
] as const;
const SAMPLE_COLUMNS = ['tMs', 'role', 'instance', 'metric', 'value'] as const;

export const REQUESTS_HEAD = `${REQUEST_COLUMNS.join(',')}\n`;
export const SAMPLES_HEAD = `${SAMPLE_COLUMNS.join(',')}\n`;

export function requestRow(sample: RequestSample): string {
  return row(REQUEST_COLUMNS.map((column) => sample[column]));
}

export function sampleRow(sample: MetricSample): string {
  return row(SAMPLE_COLUMNS.map((column) => sample[column]));
}

/** Reads the rows below a head. Throws, as the end of a sentence, where the head or a row is not that of such a table. */
export function requestReader(
  head: readonly string[],
): (cells: readonly string[]) => RequestSample {
  const places = placesOf(head, REQUEST_COLUMNS);
  return (cells) => {
    const at = cellsAt(cells, head, places);
    return {
      tMs: numberAt('tMs', at.tMs),
      durationMs: numberAt('durationMs', at.durationMs),
      status: numberAt('status', at.status),
      ok: truthAt('ok', at.ok),
      errorKind: at.errorKind,
      id: at.id,
      workload: at.workload,
      ranBy: at.ranBy,
      ...(at.lateMs === '' ? {} : { lateMs: numberAt('lateMs', at.lateMs) }),
      ...(at.connected === '' ? {} : { connected: numberAt('connected', at.connected) }),
    };
  };
}

export const parseSamples = (text: string): MetricSample[] =>
  tableOf(text, SAMPLE_COLUMNS).map((cells) => ({
    tMs: numberAt('tMs', cells.tMs),
    role: cells.role,
    instance: cells.instance,
    metric: cells.metric,
    value: numberAt('value', cells.value),
  }));

export function numberAt(column: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) {
    throw new Error(`${column} is '${text.slice(0, 40)}', not a number`);
  }
  return value;
}

function truthAt(column: string, text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new Error(`${column} is '${text.slice(0, 40)}', neither true nor false`);
}

export type CsvCell = string | number | boolean | null | undefined;

/** One line of a CSV file as RFC 4180 has it; what is not there is an empty cell. */
export function row(values: readonly CsvCell[]): string {
  return `${values.map(cell).join(',')}\n`;
}

/** A spreadsheet would compute a text that begins so: the apostrophe makes it a text, and is taken off when it is read. */
const FORMULA = /^['=+\-@\t\r]/;

function cell(value: CsvCell): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The cells of each row by their column. An empty file is an empty table; a head that is not this table's is refused. */
export function tableOf<Column extends string>(
  text: string,
  columns: readonly Column[],
): Record<Column, string>[] {
  const [head, ...rows] = new RowReader().read(text);
  if (head === undefined) {
    if (text !== '') throw new Error('it has no complete line');
    return [];
  }
  const places = placesOf(head, columns);
  return rows.map((cells) => cellsAt(cells, head, places));
}

type Places<Column extends string> = readonly (readonly [Column, number])[];

/** By the names in the head, so that a column may be added. */
function placesOf<Column extends string>(
  head: readonly string[],
  columns: readonly Column[],
): Places<Column> {
  const missing = columns.filter((column) => !head.includes(column));
  if (missing.length > 0) {
    throw new Error(`its first line does not name the column ${missing.join(', ')}`);
  }
  return columns.map((column) => [column, head.indexOf(column)]);
}

function cellsAt<Column extends string>(
  cells: readonly string[],
  head: readonly string[],
  places: Places<Column>,
): Record<Column, string> {
  if (cells.length !== head.length) {
    throw new Error(
      `a line has ${String(cells.length)} cells, but the first line has ${String(head.length)}`,
    );
  }
  const named = {} as Record<Column, string>;
  for (const [column, place] of places) named[column] = cells[place] ?? '';
  return named;
}

/**
 * Puts a CSV file together that comes in pieces; a last line without an end is never given out. Lines end as ours do or,
 * of a file that another program has saved, with CR LF.
 */
export class RowReader {
  private left = '';
  /** Lines of a value in quotes that has not ended yet. */
  private open = '';

  /** The rows that this piece completes. */
  read(piece: string): string[][] {
    const lines = (this.left + piece).split('\n');
    this.left = lines.pop() ?? '';
    const rows: string[][] = [];
    for (const line of lines) {
      const whole = this.open === '' ? line : `${this.open}\n${line}`;
      if (!whole.includes('"')) {
        const text = withoutCr(whole);
        if (text !== '') rows.push(withoutMarks(text.split(',')));
      } else if (hasEveryQuoteClosed(whole)) {
        rows.push(withoutMarks(cellsOf(withoutCr(whole))));
        this.open = '';
      } else this.open = whole;
    }
    return rows;
  }
}

/** The cells as `cell` got them. */
const withoutMarks = (cells: string[]): string[] =>
  cells.some((text) => text.startsWith("'"))
    ? cells.map((text) => (/^'['=+\-@\t\r]/.test(text) ? text.slice(1) : text))
    : cells;

/** A CR that is part of a value stands in quotes. */
const withoutCr = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line);

const hasEveryQuoteClosed = (text: string): boolean => (text.match(/"/g)?.length ?? 0) % 2 === 0;

function cellsOf(line: string): string[] {
  const cells: string[] = [];
  let value = '';
  let quoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at] ?? '';
    if (quoted) {
      if (char !== '"') value += char;
      else if (line[at + 1] === '"') value += line[(at += 1)] ?? '';
      else quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === ',') {
      cells.push(value);
      value = '';
    } else value += char;
  }
  return [...cells, value];
}

/** To six digits, as a spreadsheet shows it. */
export const figure = (value: CsvCell): CsvCell =>
  typeof value === 'number' ? Number(value.toPrecision(6)) : value;
