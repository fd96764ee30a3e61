import type { Cell } from '../plan/cells';
import type { CellRecord, SweepRecord } from '../record';
import { metricsOf, type SweepMetric } from '../analysis/metric';
import type { BarChart, Chart, HeatMap, LineChart, LineSeries } from '../../../report/plot/chart';
import { roundTop } from '../../../report/plot/scale';
import {
  decidingMetric,
  dimensionsOf,
  groupsOf,
  sizesOf,
  type CellGroup,
  type Sizes,
} from './decision';
import {
  axesOf,
  cellName,
  cellRows,
  cellsInOrder,
  dimensionTitle,
  spreadOf,
  valuesOf,
  type CellRow,
} from './table';

/** More small plots than this tell nobody anything; the table has them all. */
const MAX_PANELS = 12;

/**
 * Each metric over what was changed: one dimension as a line (bars, where its values are words), two as a
 * small plot for each value of the second, three and more as heat maps, one for each value of the rest.
 * A list for each metric, and before them all cells in one plot where no single one of those shows them all.
 */
export function sweepCharts(sweep: SweepRecord, records: readonly CellRecord[]): Chart[][] {
  const byMetric = metricCharts(sweep, records);
  const isWhole = axesOf(cellsInOrder(sweep)).length < 2;
  const { metric } = decidingMetric(sweep);
  const isMeasured = cellRows(records, cellsInOrder(sweep)).some(
    (row) => spreadOf(row, metric).median !== null,
  );
  return isWhole || !isMeasured ? byMetric : [[everyCell(sweep, records)], ...byMetric];
}

/** The plot that is read first: what decides, of every cell. */
export function firstChartId(sweep: SweepRecord): string {
  const { metric } = decidingMetric(sweep);
  return axesOf(cellsInOrder(sweep)).length < 2 ? metric.id : EVERY_CELL;
}

const EVERY_CELL = 'cells';
/** The number that fits on the first screen of a desktop. */
const MAX_BARS = 10;

/** Those that had the same to do beside each other: the best first, or the smallest where this is the question. */
function everyCell(sweep: SweepRecord, records: readonly CellRecord[]): BarChart {
  const { metric } = decidingMetric(sweep);
  const { load, layout } = dimensionsOf(cellsInOrder(sweep));
  const names = [...load, ...layout];
  const sizes = sizesOf(sweep, records);
  const groups: readonly CellGroup[] = sizes ?? groupsOf(sweep, records);
  const max = Math.max(1, Math.floor(MAX_BARS / groups.length));
  const shown =
    sizes?.flatMap((one) => around(one, max)) ?? groups.flatMap(({ rows }) => rows.slice(0, max));
  const isCut = groups.some(({ rows }) => rows.length > max);
  const by = `by ${names.map(dimensionTitle).join(', ')}${isCut ? `: ${bestOf(max, load)}` : ''}`;
  return {
    ...bars(shown, metric, names, '', sizes?.flatMap(({ smallest }) => smallest ?? []) ?? null),
    id: EVERY_CELL,
    title: `${metric.title} ${sizes === null ? by : ofSizes(sizes, load)}`,
  };
}

/** Its labels have the units. */
function ofSizes(sizes: readonly Sizes[], load: readonly string[]): string {
  const isAny = sizes.some(({ smallest }) => smallest !== null);
  const isNone = sizes.every(({ doubtful }) => doubtful === null);
  const each = load.length === 0 ? '' : ` for each ${load.map(dimensionTitle).join(' and ')}`;
  return isAny
    ? `around the smallest cell that sustains the load${each}`
    : `of the largest cells${each}${isNone ? ': none sustains the load' : ''}`;
}

/** The smallest that sustains, the one below it and those above; where none sustains, the largest. */
function around({ rows, smallest }: Sizes, max: number): CellRow[] {
  const before = smallest === null ? rows.length : rows.indexOf(smallest) - (max > 1 ? 1 : 0);
  const from = Math.max(0, Math.min(before, rows.length - max));
  return rows.slice(from, from + max);
}

/** `the best 3 for each workload`: of what had the same to do. */
function bestOf(max: number, load: readonly string[]): string {
  const best = max === 1 ? 'the best' : `the best ${String(max)}`;
  return load.length === 0 ? best : `${best} for each ${load.map(dimensionTitle).join(' and ')}`;
}

function metricCharts(sweep: SweepRecord, records: readonly CellRecord[]): Chart[][] {
  const cells = cellsInOrder(sweep);
  const rows = cellRows(records, cells);
  const [x, y, ...rest] = axesOf(cells);
  const charts = metricsOf(sweep.plan, sweep.steps).map((metric): Chart[] => {
    if (rows.every((row) => spreadOf(row, metric).median === null)) return [];
    if (x === undefined) return [bars(rows, metric, [], '')];
    if (y === undefined) return [along(rows, x, metric, '', null)];
    const isMeasured = (some: Panel): boolean =>
      some.rows.some((row) => spreadOf(row, metric).median !== null);
    if (rest.length === 0) {
      const top = roundTop(Math.max(...rows.flatMap((row) => spreadOf(row, metric).all)));
      return panels(rows, [y])
        .filter(isMeasured)
        .map(({ name, rows: few }) => along(few, x, metric, name, top));
    }
    return panels(rows, rest)
      .filter(isMeasured)
      .map(({ name, rows: few }) => heat(few, x, y, metric, name))
      .filter(({ cells: drawn }) => drawn.flat().some((value) => value !== null));
  });
  return charts.map((some) => some.slice(0, MAX_PANELS)).filter((some) => some.length > 0);
}

interface Panel {
  name: string;
  rows: CellRow[];
}

/** One for each combination of the values of `names`. */
function panels(rows: readonly CellRow[], names: readonly string[]): Panel[] {
  const all = new Map<string, CellRow[]>();
  for (const row of rows) {
    const name = cellName(row.cell, names);
    all.set(name, [...(all.get(name) ?? []), row]);
  }
  return [...all].map(([name, some]) => ({ name, rows: some }));
}

function along(
  rows: readonly CellRow[],
  x: string,
  metric: SweepMetric,
  panel: string,
  top: number | null,
): LineChart | BarChart {
  const values = valuesOf(
    rows.map(({ cell }) => cell),
    x,
  );
  return values.every((value) => typeof value === 'number')
    ? line(rows, x, metric, panel, top)
    : bars(rows, metric, [x], panel);
}

function line(
  rows: readonly CellRow[],
  x: string,
  metric: SweepMetric,
  panel: string,
  top: number | null,
): LineChart {
  const at = ({ cell }: CellRow): number => Number(cell[x]);
  const sorted = [...rows].sort((a, b) => at(a) - at(b));
  // A band is drawn from point to point: over a gap it would show what nobody measured.
  const isWhole = sorted.every((row) => spreadOf(row, metric).median !== null);
  const medians = sorted.map((row): LineSeries['points'][number] => {
    const { median, low, high, all } = spreadOf(row, metric);
    return isWhole && all.length > 1 ? [at(row), median, low, high] : [at(row), median];
  });
  const each = sorted.flatMap((row) =>
    spreadOf(row, metric).all.map((value): [number, number] => [at(row), value]),
  );
  const dead = sorted.filter(({ records }) => records.some(({ outcome }) => outcome === 'crashed'));
  const series: LineSeries[] = [
    { label: 'median', points: medians },
    { label: 'each run', style: 'dots', points: each },
  ];
  if (dead.length > 0) {
    series.push({ label: 'crashed', style: 'dots', points: dead.map((row) => [at(row), 0]) });
  }
  const all = sorted.map(at);
  const room = 0.04 * (Math.max(...all) - Math.min(...all));
  return {
    kind: 'line',
    ...head(metric, [x], panel),
    // Dots on the edge would be cut in half.
    x: { label: dimensionTitle(x), min: Math.min(...all) - room, max: Math.max(...all) + room },
    y: { label: metric.axis, unit: metric.unit, min: 0, ...(top === null ? {} : { max: top }) },
    series,
  };
}

function bars(
  rows: readonly CellRow[],
  metric: SweepMetric,
  names: readonly string[],
  panel: string,
  chosen: readonly CellRow[] | null = null,
): BarChart {
  return {
    kind: 'bar',
    ...head(metric, names, panel),
    unit: metric.unit,
    bars: rows.map((row) => {
      const { median, low, high, all } = spreadOf(row, metric);
      const isChosen = chosen?.includes(row) === true;
      const state = isChosen ? 'smallest' : chosen === null ? undefined : missed(row);
      return {
        label: `${wordsOf(row, names)}${row.records.length > 0 && median === null ? ' (crashed)' : ''}`,
        value: median ?? 0,
        ...(all.length > 1 ? { low, high } : {}),
        ...(isChosen ? { isChosen } : {}),
        ...(state === undefined || median === null ? {} : { note: state }),
      };
    }),
  };
}

const missed = ({ records }: CellRow): string | undefined =>
  records.some(({ outcome }) => outcome === 'not sustained') ? 'not sustained' : undefined;

/** The values that tell a cell from others, of the dimensions that it has: of a single one, the title has the name. */
function wordsOf({ cell }: CellRow, names: readonly string[]): string {
  const [only, ...others] = names;
  if (only === undefined) return 'all';
  return others.length === 0 ? String(cell[only] ?? '') : cellName(cell, names);
}

function heat(
  rows: readonly CellRow[],
  x: string,
  y: string,
  metric: SweepMetric,
  panel: string,
): HeatMap {
  const cells = rows.map(({ cell }) => cell);
  const columns = valuesOf(cells, x);
  const lines = valuesOf(cells, y);
  const at = (one: Cell[string], other: Cell[string]): number | null => {
    const row = rows.find(({ cell }) => cell[x] === one && cell[y] === other);
    return row === undefined ? null : spreadOf(row, metric).median;
  };
  return {
    kind: 'heat',
    ...head(metric, [x, y], panel),
    unit: metric.unit,
    x: { label: dimensionTitle(x), values: columns.map(String) },
    y: { label: dimensionTitle(y), values: lines.map(String) },
    cells: lines.map((other) => columns.map((one) => at(one, other))),
  };
}

function head(
  metric: SweepMetric,
  names: readonly string[],
  panel: string,
): { id: string; title: string } {
  const over = names.length === 0 ? '' : ` over ${names.map(dimensionTitle).join(' and ')}`;
  const where = panel === '' ? '' : `: ${panel}`;
  const slug = panel.replaceAll(/[^\w.]+/g, '-').replace(/-$/, '');
  return {
    id: slug === '' ? metric.id : `${metric.id}-${slug}`,
    title: `${metric.title}${over}${where}`,
  };
}
