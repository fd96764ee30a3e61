import { commonLimitText } from '../../../analysis/limits/limit-seen';
import { limitName } from '../../../analysis/limits/table';
import type { CellRecord, SweepRecord } from '../record';
import { loadOf } from '../plan/plan-cells';
import { mainMetric, metricsOf } from '../analysis/metric';
import { driftOf } from '../analysis/drift-and-order';
import type { Figure } from '../../../report/text/units';
import { bestAnswer, decisionFigures, minDifferenceOf, sizeDoubts, smallestText } from './decision';
import { axesOf, cellName, cellRows, cellsInOrder, spreadOf, spreadText } from './table';
import { counted, formatNumber, percent, signed, times } from '../../../ui/numbers';

/** Which cell is the smallest that sustains a given rate, otherwise which is the best; what was done while that is open. */
export function sweepSentence(sweep: SweepRecord, records: readonly CellRecord[]): string {
  const { title, steps } = sweep;
  const all = steps.length;
  if (records.length < all) {
    const done = `${String(records.length)} of ${String(all)} measurements are done; run the same command to continue`;
    return `${title}: ${[done, ...outcomes(records)].join(', ')}.`;
  }
  const found = smallestText(sweep, records) ?? bestAnswer(sweep, records)?.text;
  const done = [`all ${String(all)} measurements are done`, ...outcomes(records)].join(', ');
  return `${title}: ${found ?? done}.`;
}

/** `16 sustained`, `4 not sustained`. */
const outcomes = (records: readonly CellRecord[]): string[] =>
  (['sustained', 'not sustained', 'inconclusive', 'crashed', 'invalid'] as const).flatMap((one) => {
    const count = records.filter(({ outcome }) => outcome === one).length;
    return count === 0 ? [] : [`${String(count)} ${one}`];
  });

/** How much was measured, what became of it and what the control says. */
export function sweepSure(sweep: SweepRecord, records: readonly CellRecord[]): string {
  const count = `${counted(records.length, 'measurement')} of ${counted(cellsInOrder(sweep).length, 'cell')}`;
  return `${[count, ...outcomes(records)].join(', ')}; control: ${controlText(sweep, records)}.`;
}

export function sweepFigures(sweep: SweepRecord, records: readonly CellRecord[]): Figure[] {
  const seconds = records.reduce((sum, record) => sum + record.seconds, 0);
  const { repeats, seed } = sweep.plan;
  return [
    ...decisionFigures(sweep, records),
    {
      name: 'Cells',
      value: `${String(cellsInOrder(sweep).length)}, each ${times(repeats)}, in random order (seed ${String(seed)})`,
    },
    { name: 'Left out', value: leftOut(sweep) },
    { name: 'SLO', value: sweep.plan.slo.map(({ text }) => text).join(', ') || 'none given' },
    controlFigure(sweep, records),
    {
      name: 'Took',
      value: `${formatNumber(seconds)} s, estimated ${formatNumber(sweep.estimatedSeconds)} s`,
    },
  ];
}

function leftOut({ skipped }: SweepRecord): string {
  if (skipped.length === 0) return 'nothing';
  const reasons = new Map<string, number>();
  for (const { reason } of skipped) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  return [...reasons].map(([reason, count]) => `${String(count)} (${reason})`).join('; ');
}

export const controlFigure = (sweep: SweepRecord, records: readonly CellRecord[]): Figure => ({
  ...{ name: 'Control', value: controlText(sweep, records) },
});

/** How the control cell did so far: whether the machine changed, and what is noise. */
export function controlText(sweep: SweepRecord, records: readonly CellRecord[]): string {
  const metric = mainMetric(sweep.plan, sweep.steps);
  const title = metric.title.toLowerCase();
  const found = driftOf(sweep, records);
  if (found === null) {
    const values = records
      .filter(({ isControl }) => isControl)
      .map(({ figures: all }) => metric.of(all))
      .filter((value) => value !== null);
    return values.length === 0
      ? 'not measured yet'
      : `${title} ${values.map(formatNumber).join(', ')} ${metric.unit}: too few to tell drift from noise`;
  }
  const { controls, change, isReal } = found;
  const minApart = minDifferenceOf(sweep, records);
  const differences =
    minApart === null
      ? ''
      : minApart < 1
        ? `; differences below ${percent(minApart)} mean nothing`
        : '; no difference between cells is larger than the noise';
  const drifted = isReal
    ? `drifted by ${signed(change, percent)} over the sweep, which is more than noise`
    : 'no drift larger than the noise';
  return `${title}, measured ${times(controls)}: ${drifted}${differences}`;
}

/** One row per cell. */
export function sweepTable(
  sweep: SweepRecord,
  records: readonly CellRecord[],
): { head: string[]; rows: string[][] } {
  const metrics = metricsOf(sweep.plan, sweep.steps);
  const cells = cellsInOrder(sweep);
  const changed = axesOf(cells);
  return {
    head: [
      'cell',
      ...metrics.map(({ title, unit }) => `${title} (${unit})`),
      'outcome',
      'limited by',
    ],
    rows: cellRows(records, cells).map((row) => [
      cellName(row.cell, changed),
      ...metrics.map((metric) => spreadText(spreadOf(row, metric))),
      words(row.records.map(({ outcome }) => outcome)) || 'not yet',
      words(
        row.records.map(({ limitedBy }) => (limitedBy === null ? '-' : limitName(limitedBy.limit))),
      ),
    ]),
  };
}

/** What limited each cell and what came next, one sentence per cell; none for a cell that names no limit. */
export function sweepLimits(
  sweep: SweepRecord,
  records: readonly CellRecord[],
): { cell: string; text: string }[] {
  const cells = cellsInOrder(sweep);
  const changed = axesOf(cells);
  return cellRows(records, cells).flatMap(({ cell, records: measured }) => {
    const text = commonLimitText(measured.flatMap(({ limitedBy }) => limitedBy ?? []));
    return text === null ? [] : [{ cell: cellName(cell, changed), text }];
  });
}

/** Those that died, with what they said last. */
export const crashes = (records: readonly CellRecord[]): CellRecord[] =>
  records.filter(({ outcome }) => outcome === 'crashed');

export function sweepDoubts(sweep: SweepRecord, records: readonly CellRecord[]): string[] {
  const invalid = records.filter(({ outcome }) => outcome === 'invalid');
  const unbounded = records.filter(
    ({ outcome, figures, cell }) =>
      outcome === 'inconclusive' &&
      figures.capacityPerSecond === null &&
      loadOf(cell, sweep.plan) === null,
  );
  const machines = new Set(
    records.map(({ machine }) => `${machine.cpu}, ${String(machine.cores)} cores`),
  );
  return [
    ...new Set(records.flatMap(({ disturbances = [] }) => disturbances)),
    ...(invalid.length > 0
      ? [
          `${String(invalid.length)} measurements were invalid and do not count: ${invalid.map(({ id }) => id).join(', ')}`,
        ]
      : []),
    ...(unbounded.length > 0
      ? [
          `${counted(unbounded.length, 'search')} reached no upper limit, and ${unbounded.length === 1 ? 'does' : 'do'} not count: ${unbounded.map(({ id }) => id).join(', ')}`,
        ]
      : []),
    ...(machines.size > 1
      ? [`The sweep was measured on several machines: ${[...machines].join('; ')}`]
      : []),
    ...(driftOf(sweep, records)?.isReal === true
      ? ['The speed of the machine changed during the sweep, as the control cell shows.']
      : []),
    ...sizeDoubts(sweep, records),
    ...(sweep.plan.repeats === 1
      ? ['Each cell was measured once, so only the control cell shows the noise.']
      : []),
  ];
}

const words = (all: readonly string[]): string => [...new Set(all)].join(', ');
