/** The two tables of a run's folder, and CSV for others that write it. */
import type { MetricSample, RequestSample } from './record';

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

/** Of the columns as the table's head names them. */
export function requestReader(
  head: readonly string[],
): (cells: readonly string[]) => RequestSample {
  const [tMs, durationMs, status, ok, errorKind, id, workload, ranBy, lateMs, connected] =
    REQUEST_COLUMNS.map((column) => head.indexOf(column));
  const cellAt = (cells: readonly string[], place = -1): string => cells[place] ?? '';
  return (cells) => {
    const late = cellAt(cells, lateMs);
    const opened = cellAt(cells, connected);
    return {
      tMs: Number(cellAt(cells, tMs)),
      durationMs: Number(cellAt(cells, durationMs)),
      status: Number(cellAt(cells, status)),
      ok: cellAt(cells, ok) === 'true',
      errorKind: cellAt(cells, errorKind),
      id: cellAt(cells, id),
      workload: cellAt(cells, workload),
      ranBy: cellAt(cells, ranBy),
      ...(late === '' ? {} : { lateMs: Number(late) }),
      ...(opened === '' ? {} : { connected: Number(opened) }),
    };
  };
}

export function parseSamples(text: string): MetricSample[] {
  return tableOf(text, SAMPLE_COLUMNS).map((cells) => ({
    tMs: Number(cells.tMs),
    role: cells.role,
    instance: cells.instance,
    metric: cells.metric,
    value: Number(cells.value),
  }));
}

export type CsvCell = string | number | boolean | null | undefined;

/** One line of a CSV file as RFC 4180 has it; what is not there is an empty cell. */
export function row(values: readonly CsvCell[]): string {
  return `${values.map(cell).join(',')}\n`;
}

function cell(value: CsvCell): string {
  const text = value === null || value === undefined ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** By the names in the head, so that a column may be added. */
export function tableOf<Column extends string>(
  text: string,
  columns: readonly Column[],
): Record<Column, string>[] {
  const lines = new RowReader();
  const [head = [], ...rows] = lines.read(text);
  const places = columns.map((column) => [column, head.indexOf(column)] as const);
  return rows
    .filter((cells) => cells.length === head.length)
    .map(
      (cells) =>
        Object.fromEntries(places.map(([column, place]) => [column, cells[place] ?? ''])) as Record<
          Column,
          string
        >,
    );
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
        if (text !== '') rows.push(text.split(','));
      } else if (hasEveryQuoteClosed(whole)) {
        rows.push(cellsOf(withoutCr(whole)));
        this.open = '';
      } else this.open = whole;
    }
    return rows;
  }
}

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
