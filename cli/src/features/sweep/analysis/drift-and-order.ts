import { type Cell, cellKey, type Step } from '../plan/cells';
import { studentizedRangeQuantile } from '../../../analysis/statistics/distributions';
import { seededRandom, shuffled } from '../../../analysis/statistics/random';
import { mean, standardDeviation } from '../../../analysis/statistics/statistics';
import { slope } from '../../../analysis/statistics/trend';
import type { CellRecord, SweepRecord } from '../record';
import { mainMetric } from './metric';

export interface OrderSettings {
  /** Each block holds every cell once. */
  repeats: number;
  /** The cell that is measured again and again to see the machine drift. */
  control: Cell;
  /** A control run at the start of each block, which has this many cells, and at the very end. */
  controlEvery: number;
  seed: number;
}

/**
 * Cells in random order within each block, so that what changes over the hours (heat, neighbours, a
 * filling disk) spreads over all of them and does not look like the effect of one.
 */
export function order(cells: readonly Cell[], settings: OrderSettings): Step[] {
  const random = seededRandom(settings.seed);
  const steps: Step[] = [];
  let controls = 0;
  const control = (block: number) => {
    controls += 1;
    steps.push({
      id: `control-${String(controls)}`,
      block,
      cell: settings.control,
      isControl: true,
    });
  };
  for (let block = 1; block <= settings.repeats; block += 1) {
    for (const [i, cell] of shuffled(cells, random).entries()) {
      if (i % settings.controlEvery === 0) control(block);
      steps.push({ id: `${String(block)}:${cellKey(cell)}`, block, cell, isControl: false });
    }
  }
  if (cells.length > 0) control(settings.repeats);
  return steps;
}

/** What is still to be done: steps without a record, in their order. A crashed cell has a record. */
export function remaining(steps: readonly Step[], recorded: ReadonlySet<string>): Step[] {
  return steps.filter(({ id }) => !recorded.has(id));
}

/** Seconds that the remaining steps take: as long as those done so far, before the first as planned. */
export function secondsLeft(
  steps: readonly Step[],
  plannedSeconds: (step: Step) => number,
  done: readonly { step: Step; seconds: number }[],
): number {
  const planned = done.reduce((sum, { step }) => sum + plannedSeconds(step), 0);
  const taken = done.reduce((sum, { seconds }) => sum + seconds, 0);
  const pace = planned > 0 ? taken / planned : 1;
  return steps.reduce((sum, step) => sum + plannedSeconds(step) * pace, 0);
}

export interface Drift {
  controls: number;
  /** Relative standard deviation of the controls. */
  noise: number;
  /** Relative change from the first control to the last along a straight line. */
  change: number;
  /** Whether the line's slope can be told from none. */
  isReal: boolean;
}

/** How the control cell changed over the sweep; null with fewer than three controls. */
export function drift(controls: readonly { atSeconds: number; value: number }[]): Drift | null {
  if (controls.length < 3) return null;
  const all = controls.map(({ value }) => value);
  const times = controls.map(({ atSeconds }) => atSeconds);
  const line = slope(controls.map(({ atSeconds, value }) => ({ x: atSeconds, y: value })));
  const centre = mean(all);
  return {
    controls: controls.length,
    noise: standardDeviation(all) / centre,
    change: (line.value * (Math.max(...times) - Math.min(...times))) / centre,
    isReal: line.low > 0 || line.high < 0,
  };
}

/**
 * From where on two cells differ, as a share of the larger value: among many equal cells, even the best and the worst
 * differ by more in 5% of sweeps only. The noise is known from a few controls, which Tukey's range takes into account.
 */
export function minDifference({ controls, noise }: Drift, cells: number, repeats: number): number {
  // Scatter of a median relative to one value; of two values, the median is their mean.
  const ofMedian = Math.min(1, Math.sqrt(Math.PI / 2 / repeats));
  return noise * ofMedian * studentizedRangeQuantile(0.95, Math.max(2, cells), controls - 1);
}

/** How the control cell changed; null with fewer than three of them. */
export function driftOf(sweep: SweepRecord, records: readonly CellRecord[]): Drift | null {
  const metric = mainMetric(sweep.plan, sweep.steps);
  return drift(
    records.flatMap(({ isControl, startedAt, figures }) => {
      const value = metric.of(figures);
      return isControl && value !== null && value > 0
        ? [{ atSeconds: Date.parse(startedAt) / 1000, value }]
        : [];
    }),
  );
}
