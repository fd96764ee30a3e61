/** The two tables of a run's folder. A value with a comma, a quote or a line end stands in quotes. */
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
  return row(REQUEST_COLUMNS.map((column) => sample[column] ?? ''));
}

export function sampleRow(sample: MetricSample): string {
  return row(SAMPLE_COLUMNS.map((column) => sample[column]));
}

export function readRequests(text: string): RequestSample[] {
  return tableOf(text, REQUEST_COLUMNS).map((cells) => ({
    tMs: Number(cells.tMs),
    durationMs: Number(cells.durationMs),
    status: Number(cells.status),
    ok: cells.ok === 'true',
    errorKind: cells.errorKind,
    id: cells.id,
    workload: cells.workload,
    ranBy: cells.ranBy,
    ...(cells.lateMs === '' ? {} : { lateMs: Number(cells.lateMs) }),
    ...(cells.connected === '' ? {} : { connected: Number(cells.connected) }),
  }));
}

export function readSamples(text: string): MetricSample[] {
  return tableOf(text, SAMPLE_COLUMNS).map((cells) => ({
    tMs: Number(cells.tMs),
    role: cells.role,
    instance: cells.instance,
    metric: cells.metric,
    value: Number(cells.value),
  }));
}

function row(values: readonly (string | number | boolean)[]): string {
  return `${values.map((value) => cell(String(value))).join(',')}\n`;
}

function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** By the names in the head, so that a column may be added; a last line cut short is left out. */
function tableOf<Column extends string>(
  text: string,
  columns: readonly Column[],
): Record<Column, string>[] {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const [head = [], ...rows] = linesOf(whole);
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

function linesOf(text: string): string[][] {
  if (!text.includes('"')) {
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split(','));
  }
  return quotedLinesOf(text);
}

function quotedLinesOf(text: string): string[][] {
  const lines: string[][] = [];
  let cells: string[] = [];
  let value = '';
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (quoted) {
      if (char !== '"') value += char;
      else if (text[at + 1] === '"') value += text[(at += 1)] ?? '';
      else quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === ',' || char === '\n') {
      cells.push(value);
      value = '';
      if (char === '\n') {
        lines.push(cells);
        cells = [];
      }
    } else value += char;
  }
  return lines;
}
