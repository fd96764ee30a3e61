import { median } from '../../../analysis/statistics/statistics';
import { cellKey, type Cell, type Value } from '../plan/cells';
import { cellsOf, changedDimensions } from '../plan/plan-cells';
import type { CellRecord, SweepRecord } from '../record';
import { CAPACITY, type SweepMetric } from '../analysis/metric';
import { counted, formatNumber, perSecond } from '../../../ui/numbers';

/** All measurements of one cell; controls apart, since they are there to watch the machine. */
export interface CellRow {
  cell: Cell;
  records: CellRecord[];
}

export interface CellSpread {
  /** Null where nothing was measured. */
  median: number | null;
  low: number;
  high: number;
  all: number[];
  /** The interval of the search, where there was a single one. */
  interval?: { low: number; high: number };
}

/** In the order of the plan, not in that of the measurements. */
export function cellsInOrder({ plan, steps }: SweepRecord): Cell[] {
  const measured = new Set(steps.map(({ cell }) => cellKey(cell)));
  return cellsOf(plan).possible.filter((cell) => measured.has(cellKey(cell)));
}

export function cellRows(records: readonly CellRecord[], cells: readonly Cell[]): CellRow[] {
  return cells.map((cell) => ({
    cell,
    records: records.filter((one) => !one.isControl && cellKey(one.cell) === cellKey(cell)),
  }));
}

export function spreadOf({ records }: CellRow, metric: SweepMetric): CellSpread {
  const all = records.flatMap(({ outcome, figures }) => {
    const value = metric.of(figures);
    return value === null || outcome === 'invalid' ? [] : [value];
  });
  if (all.length === 0) return { median: null, low: NaN, high: NaN, all };
  const spread = { median: median(all), low: Math.min(...all), high: Math.max(...all), all };
  const only = records.find(({ figures }) => metric.of(figures) === all[0]);
  const { capacityLow: low = null, capacityHigh: high = null } = only?.figures ?? {};
  return metric !== CAPACITY || all.length > 1 || low === null || high === null
    ? spread
    : { ...spread, interval: { low, high } };
}

/** The median, and where there are several measurements the least and the most; else what the only one is sure of. */
export function spreadText({ median, low, high, all, interval }: CellSpread): string {
  if (median === null) return '-';
  const range = interval ?? (all.length > 1 ? { low, high } : null);
  return range === null
    ? formatNumber(median)
    : `${formatNumber(median)} (${formatNumber(range.low)} to ${formatNumber(range.high)})`;
}

/** What sets the cell apart from the others, in words; all of it where nothing does. */
export function cellName(cell: Cell, changed: readonly string[]): string {
  return cellParts(cell, changed).join(', ') || 'everything at its default';
}

export function cellParts(cell: Cell, changed: readonly string[]): string[] {
  const names = changed.length > 0 ? changed : Object.keys(cell);
  return names.flatMap((name) => {
    const value = cell[name];
    return value === undefined ? [] : [valueName(name, value)];
  });
}

/** What names itself, or is told by its unit. */
const NAMES: Record<string, (value: Value) => string> = {
  workload: String,
  request: String,
  command: String,
  mode: (value) => `${String(value)} mode`,
  cpuMillicores: (value) => `${String(value)}m CPU`,
  memoryMiB: (value) => `${mebibytes(Number(value))} memory`,
  heapMiB: (value) =>
    typeof value === 'number' ? `${mebibytes(value)} heap` : `heap ${String(value)}`,
  workers: (value) => counted(Number(value), 'worker'),
  webhooks: (value) => counted(Number(value), 'webhook processor'),
  instances: (value) => counted(Number(value), 'instance'),
  clients: (value) => counted(Number(value), 'client'),
  ratePerSecond: (value) => perSecond(Number(value)),
};

const valueName = (name: string, value: Value): string =>
  NAMES[name]?.(value) ?? `${dimensionTitle(name)} ${String(value)}`;

const mebibytes = (value: number): string =>
  value % 512 === 0 ? `${formatNumber(value / 1024)} GiB` : `${formatNumber(value)} MiB`;

const TITLES: Record<string, string> = {
  cpuMillicores: 'CPU (millicores)',
  memoryMiB: 'memory (MiB)',
  heapMiB: 'heap (MiB)',
  webhooks: 'webhook processors',
  ratePerSecond: 'requests per second',
};

export const dimensionTitle = (name: string): string => TITLES[name] ?? name.replace(/^\w+\./, '');

/** Numbers upwards, words in the order in which they come. */
export function valuesOf(cells: readonly Cell[], name: string): Cell[string][] {
  const all = [...new Set(cells.map((cell) => cell[name]))].filter((value) => value !== undefined);
  return all.every((value) => typeof value === 'number') ? all.sort((a, b) => a - b) : all;
}

/**
 * The changed dimensions in the order in which plots use them: along the axis goes the one with the most
 * numbers, then comes the one with the most values.
 */
export function axesOf(cells: readonly Cell[]): string[] {
  const rank = (name: string): number => {
    const values = valuesOf(cells, name);
    return values.length + (values.every((value) => typeof value === 'number') ? 1000 : 0);
  };
  return changedDimensions(cells).sort((a, b) => rank(b) - rank(a));
}
