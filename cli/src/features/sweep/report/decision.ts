/** What a sweep decides: which cell did best under each load, what limits it, and what to change for more. */
import { counted, formatNumber } from '../../../ui/numbers';
import { adviceFor } from '../../../analysis/limits/table';
import { commonLimit, commonLimitText } from '../../../analysis/limits/limit-seen';
import { driftOf, minDifference } from '../analysis/drift-and-order';
import { mainMetric, metricsOf, type SweepMetric } from '../analysis/metric';
import type { Cell } from '../plan/cells';
import { changedDimensions, isServerCell } from '../plan/plan-cells';
import type { CellRecord, SweepRecord } from '../record';
import type { Tone } from '../../../report/document';
import type { Figure } from '../../../report/text/units';
import {
  cellName,
  cellParts,
  cellRows,
  cellsInOrder,
  spreadOf,
  spreadText,
  type CellRow,
} from './table';

/** A rate that was found or that clients got; where the rate was given, what became of the latency. */
export function decidingMetric({ plan, steps }: SweepRecord): {
  metric: SweepMetric;
  moreIsBetter: boolean;
} {
  const main = mainMetric(plan, steps);
  if (main.id === 'p99Ms') return { metric: main, moreIsBetter: false };
  const [rate = main] = metricsOf(plan, steps);
  return { metric: rate, moreIsBetter: true };
}

/** Cells that had the same to do, the best first; those without a value at the end. */
export interface CellGroup {
  /** What they had to do; empty where all cells had the same. */
  name: string;
  rows: CellRow[];
}

/** Cells that differ in one of these were asked for different things: their figures do not compare. */
const OF_LOAD = /^(workload|variant|request|profile|clients|ratePerSecond|param\..*)$/;

/** Dimensions that differ between cells: those of the load, and those of what was loaded. */
export function dimensionsOf(cells: readonly Cell[]): { load: string[]; layout: string[] } {
  const changed = changedDimensions(cells);
  const layout = changed.filter((name) => !OF_LOAD.test(name));
  // If only the load changes, the sweep is about the load.
  if (layout.length === 0) return { load: [], layout: changed };
  return { load: changed.filter((name) => OF_LOAD.test(name)), layout };
}

export function groupsOf(sweep: SweepRecord, records: readonly CellRecord[]): CellGroup[] {
  const cells = cellsInOrder(sweep);
  const { load } = dimensionsOf(cells);
  const { metric, moreIsBetter } = decidingMetric(sweep);
  const groups = new Map<string, CellRow[]>();
  for (const row of cellRows(records, cells)) {
    const name = load.length === 0 ? '' : cellName(row.cell, load);
    groups.set(name, [...(groups.get(name) ?? []), row]);
  }
  const worst = moreIsBetter ? -Infinity : Infinity;
  const valueOf = (row: CellRow): number => spreadOf(row, metric).median ?? worst;
  const direction = moreIsBetter ? 1 : -1;
  return [...groups].map(([name, rows]) => ({
    name,
    rows: [...rows].sort((a, b) =>
      valueOf(a) === valueOf(b) ? 0 : direction * (valueOf(b) - valueOf(a)),
    ),
  }));
}

/** More of them are in the table of all cells. */
const MAX_GROUPS = 6;

export function decisionFigures(sweep: SweepRecord, records: readonly CellRecord[]): Figure[] {
  const measured = measuredGroups(sweep, records);
  const minApart = minDifferenceOf(sweep, records);
  const bests = measured.slice(0, MAX_GROUPS).map(({ name, rows }) => ({
    name: name === '' ? 'Best cell' : `Best for ${name}`,
    value: bestText(sweep, rows, minApart),
  }));
  const smallest = smallestFigures(sweep, records);
  const [only, ...others] = measured;
  const best = only?.rows.find(metsSlo);
  const decided = [...smallest, ...bests];
  return best === undefined || others.length > 0 ? decided : [...decided, ...limitFigures(best)];
}

/** Without the cells that have no value. */
function measuredGroups(sweep: SweepRecord, records: readonly CellRecord[]): CellGroup[] {
  const { metric } = decidingMetric(sweep);
  return groupsOf(sweep, records)
    .map(({ name, rows }) => ({
      name,
      rows: rows.filter((row) => spreadOf(row, metric).median !== null),
    }))
    .filter(({ rows }) => rows.length > 0);
}

/**
 * Which cell did best under each load, and whether it is ahead of the others by more than the noise; null where nothing was
 * measured.
 */
export function bestAnswer(
  sweep: SweepRecord,
  records: readonly CellRecord[],
): { tone: Tone; text: string } | null {
  const minApart = minDifferenceOf(sweep, records);
  const { layout } = dimensionsOf(cellsInOrder(sweep));
  const groups = measuredGroups(sweep, records).map(({ name, rows }) => {
    const found = bestOf(sweep, rows, minApart);
    const isOpen = rows.length > 1 && (minApart === null || (found?.near.length ?? 0) > 0);
    return { name, best: found?.best ?? null, isAlone: rows.length === 1, isOpen };
  });
  if (groups.length === 0) return null;
  const best = groups.flatMap((group) =>
    group.best === null ? [] : [{ ...group, best: group.best }],
  );
  if (best.length === 0) return { tone: 'bad', text: 'no cell met the SLO' };
  const open = best.filter(({ isOpen }) => isOpen);
  const named = best
    .slice(0, MAX_NAMED)
    .map(
      (group) =>
        `${cellParts(group.best.cell, layout).join(' and ')}${group.name === '' ? '' : ` for ${group.name}`} with ${figureText(sweep, group.best)}`,
    );
  const more = groups.length - named.length;
  return {
    tone: open.length > 0 ? 'unsure' : 'good',
    text: [
      `the best cell has ${inWords(named, ', and ')}`,
      ...(best.every(({ isAlone }) => isAlone) ? [] : [leadText(minApart, open)]),
      ...(more === 0 ? [] : [`${counted(more, 'more load')} below`]),
    ].join('; '),
  };
}

/** `a capacity of 82 (81 to 83) requests per second`. */
function figureText(sweep: SweepRecord, row: CellRow): string {
  const { metric } = decidingMetric(sweep);
  const { id, axis, unit } = metric;
  const value = spreadText(spreadOf(row, metric));
  return id === 'achievedPerSecond' ? `${value} ${axis} ${unit}` : `a ${axis} of ${value} ${unit}`;
}

/** `open`: where the best cell is not clearly ahead. */
function leadText(minApart: number | null, open: readonly { name: string }[]): string {
  if (open.length === 0) return 'its lead over the next cell is larger than the noise';
  const names = open.map(({ name }) => name).filter((name) => name !== '');
  const where = names.length === 0 ? '' : ` for ${inWords(names, ' and ')}`;
  return minApart === null
    ? `too few control measurements tell its lead from noise${where}`
    : `its lead over the next cell is not larger than the noise${where}`;
}

/** What costs money, in the order in which less of it is better. */
const AMOUNTS = ['cpuMillicores', 'memoryMiB', 'workers', 'webhooks'];

/** Cells from the smallest to the largest. */
export interface Sizes extends CellGroup {
  /** The smallest that sustains the load, if no larger one missed it. */
  smallest: CellRow | null;
  /** The smallest that sustains although a larger one missed it. */
  doubtful: { row: CellRow; larger: CellRow } | null;
}

/** With a given rate, the question is which cell is the smallest that sustains it; null where it is another. */
export function sizesOf(sweep: SweepRecord, records: readonly CellRecord[]): Sizes[] | null {
  const { moreIsBetter } = decidingMetric(sweep);
  const { layout } = dimensionsOf(cellsInOrder(sweep));
  const amounts = AMOUNTS.filter((name) => layout.includes(name));
  if (moreIsBetter || amounts.length === 0 || sweep.plan.slo.length === 0) return null;
  return groupsOf(sweep, records).map(({ name, rows }) => {
    const sorted = [...rows].sort((one, other) => compareAmounts(one, other, amounts));
    const passed = sorted.filter(sustains).map((row) => ({
      row,
      larger: sorted.find((other) => hasMissed(other) && isLarger(other, row, layout)),
    }));
    const [doubtful = null] = passed.flatMap(({ row, larger }) =>
      larger === undefined ? [] : [{ row, larger }],
    );
    const smallest = passed.find(({ larger }) => larger === undefined)?.row ?? null;
    return { name, rows: sorted, smallest, doubtful };
  });
}

const hasMissed = ({ records }: CellRow): boolean =>
  records.some(({ outcome }) => outcome === 'not sustained' || outcome === 'crashed');

/** No amount of it is less, at least one is more, and nothing else of the layout differs. */
function isLarger({ cell }: CellRow, { cell: other }: CellRow, layout: readonly string[]): boolean {
  const differing = layout.filter((name) => cell[name] !== other[name]);
  return (
    differing.length > 0 &&
    differing.every(
      (name) => AMOUNTS.includes(name) && Number(cell[name] ?? 0) > Number(other[name] ?? 0),
    )
  );
}

/** `250m CPU sustained the load, but the larger 500m CPU did not`. */
function doubtText({ row, larger }: NonNullable<Sizes['doubtful']>, sweep: SweepRecord): string {
  const { layout } = dimensionsOf(cellsInOrder(sweep));
  return `${cellName(row.cell, layout)} sustained the load, but the larger ${cellName(larger.cell, layout)} did not`;
}

/** Cells that did better than a larger one, a sentence for each load. */
export function sizeDoubts(sweep: SweepRecord, records: readonly CellRecord[]): string[] {
  return (sizesOf(sweep, records) ?? []).flatMap(({ name, doubtful }) =>
    doubtful === null
      ? []
      : [
          `${name === '' ? '' : `${name}: `}${doubtText(doubtful, sweep)}: near its limit, a cell sometimes passes by chance.`,
        ],
  );
}

function smallestFigures(sweep: SweepRecord, records: readonly CellRecord[]): Figure[] {
  const { metric } = decidingMetric(sweep);
  const { layout } = dimensionsOf(cellsInOrder(sweep));
  const sizes = (sizesOf(sweep, records) ?? []).filter(({ rows }) => rows.some(isMeasured));
  return sizes.slice(0, MAX_GROUPS).map(({ name, smallest, doubtful }) => ({
    name: name === '' ? 'Smallest that sustains' : `Smallest for ${name}`,
    value:
      smallest === null
        ? doubtful === null
          ? 'no cell met the SLO'
          : `not clear: ${doubtText(doubtful, sweep)}`
        : `${cellName(smallest.cell, layout)}: ${metric.axis} ${spreadText(spreadOf(smallest, metric))} ${metric.unit}`,
  }));
}

/** More of them make no sentence. */
const MAX_NAMED = 3;

/** `the smallest cell that sustains 5 requests per second has 250m CPU for json`; null where no rate was given. */
export function smallestText(sweep: SweepRecord, records: readonly CellRecord[]): string | null {
  const all = sizesOf(sweep, records);
  if (all === null) return null;
  const { load, layout } = dimensionsOf(cellsInOrder(sweep));
  const rate = load.includes('ratePerSecond') ? undefined : rateOf(sweep);
  const loadText = rate === undefined ? 'the load' : `${formatNumber(rate)} requests per second`;
  const named = all.slice(0, MAX_NAMED);
  const of = (name: string): string => (name === '' ? '' : ` for ${name}`);
  const found = named.flatMap(({ name, smallest }) =>
    smallest === null ? [] : [`${cellParts(smallest.cell, layout).join(' and ')}${of(name)}`],
  );
  const none = named.flatMap(({ name, smallest, doubtful }) =>
    smallest === null && doubtful === null ? [name] : [],
  );
  const unclear = named.flatMap(({ name, smallest, doubtful }) =>
    smallest === null && doubtful !== null ? [name] : [],
  );
  if (found.length === 0 && none.length === all.length) return `no cell sustains ${loadText}`;
  const more = all.length - named.length;
  const rateText = found.length > 0 && rate !== undefined ? 'this rate' : loadText;
  return [
    ...(found.length === 0
      ? []
      : [`the smallest cell that sustains ${loadText} has ${inWords(found, ', and ')}`]),
    ...(none.length === 0
      ? []
      : [
          `no cell sustains ${rate === undefined ? 'the load' : 'this rate'} for ${inWords(none, ' or ')}`,
        ]),
    ...(unclear.length === 0
      ? []
      : [
          `it is not clear which cell sustains ${rateText}${unclear.every((name) => name === '') ? '' : ` for ${inWords(unclear, ' or ')}`}: a cell met the SLO, but a larger one did not`,
        ]),
    ...(more === 0 ? [] : [`${counted(more, 'more load')} below`]),
  ].join('; ');
}

const inWords = (all: readonly string[], last: string): string =>
  [all.slice(0, -1).join(', '), ...all.slice(-1)].filter((part) => part !== '').join(last);

function rateOf(sweep: SweepRecord): number | undefined {
  const ofCell = cellsInOrder(sweep)[0]?.['ratePerSecond'];
  return ofCell === undefined ? sweep.plan.measure.ratePerSecond : Number(ofCell);
}

const isMeasured = ({ records }: CellRow): boolean => records.length > 0;

const sustains = ({ records }: CellRow): boolean =>
  records.length > 0 && records.every(({ outcome }) => outcome === 'sustained');

function compareAmounts(one: CellRow, other: CellRow, amounts: readonly string[]): number {
  const differing = amounts.find((name) => one.cell[name] !== other.cell[name]);
  return differing === undefined
    ? 0
    : Number(one.cell[differing] ?? 0) - Number(other.cell[differing] ?? 0);
}

const metsSlo = ({ records }: CellRow): boolean =>
  records.every(({ outcome }) => outcome !== 'not sustained' && outcome !== 'crashed');

/**
 * From where on cells that had the same to do differ, as a share of the larger value; null with too few controls, and
 * where the controls were measured by another metric than the cells.
 */
export function minDifferenceOf(sweep: SweepRecord, records: readonly CellRecord[]): number | null {
  const found = driftOf(sweep, records);
  const { metric } = decidingMetric(sweep);
  if (found === null || metric.id !== mainMetric(sweep.plan, sweep.steps).id) return null;
  const max = Math.max(...groupsOf(sweep, records).map(({ rows }) => rows.length));
  return minDifference(found, max, sweep.plan.repeats);
}

/** The best of these rows, the best first, and those that it is not clearly ahead of; null where none met the SLO. */
function bestOf(
  sweep: SweepRecord,
  rows: readonly CellRow[],
  minApart: number | null,
): { best: CellRow; near: CellRow[] } | null {
  const { metric } = decidingMetric(sweep);
  const best = rows.find(metsSlo);
  if (best === undefined) return null;
  const isNear = (row: CellRow): boolean => {
    const [one, other] = [best, row].map((each) => spreadOf(each, metric).median ?? NaN);
    return relativeDifference(one, other) <= (minApart ?? 0);
  };
  return { best, near: rows.filter((row) => row !== best && metsSlo(row) && isNear(row)) };
}

/** `4 workers: capacity 82 (81 to 83) requests per second, not clearly better than 3 workers; worst: 1 worker: 21`. */
function bestText(sweep: SweepRecord, rows: readonly CellRow[], minApart: number | null): string {
  const { metric } = decidingMetric(sweep);
  const { layout } = dimensionsOf(cellsInOrder(sweep));
  const nameOf = ({ cell }: CellRow): string => cellName(cell, layout);
  const found = bestOf(sweep, rows, minApart);
  const worst = rows.at(-1);
  if (found === null) return 'no cell met the SLO';
  const { best, near } = found;
  const few = near.length <= MAX_NAMED;
  const others = few ? inWords(near.map(nameOf), ' and ') : `${counted(near.length, 'other cell')}`;
  const notBetter = near.length === 0 ? '' : `, not clearly better than ${others}`;
  const text = `${nameOf(best)}: ${metric.axis} ${spreadText(spreadOf(best, metric))} ${metric.unit}${notBetter}`;
  return worst === undefined || worst === best
    ? text
    : `${text}; worst: ${nameOf(worst)}: ${spreadText(spreadOf(worst, metric))}`;
}

const relativeDifference = (one = NaN, other = NaN): number =>
  Math.abs(one - other) / Math.max(one, other);

function limitFigures({ cell, records }: CellRow): Figure[] {
  const seen = records.flatMap(({ limitedBy }) => limitedBy ?? []);
  const limit = commonLimitText(seen);
  const advice = adviceFor(commonLimit(seen)?.common.limit ?? null, modeOf(cell));
  return [
    ...(limit === null ? [] : [{ name: 'Limit of the best cell', value: limit }]),
    ...(advice === null ? [] : [{ name: 'For more', value: advice }]),
  ];
}

function modeOf(cell: Cell): 'regular' | 'queue' | null {
  if (isServerCell(cell)) return null;
  return cell['mode'] === 'queue' ? 'queue' : 'regular';
}
