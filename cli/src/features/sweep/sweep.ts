/** Goes through the steps of a sweep, one after the other, from wherever it stopped. */
import { remaining, secondsLeft } from './analysis/drift-and-order';
import type { Step } from './plan/cells';
import type { Machine } from '../../record/run-record';
import { type CellRecord, type SweepRecord, NO_FIGURES } from './record';
import type { Progress } from '../../ui/progress';
import { messageOf, Mistake } from '../../ui/exit';
import { cellSeconds } from './estimate';
import type { SweepFolder } from './folder';
import { formatNumber } from '../../ui/numbers';

/** What measuring a cell gives; where n8n does not come up at all, it throws. */
export type CellResult = Pick<
  CellRecord,
  'outcome' | 'sentence' | 'limitedBy' | 'figures' | 'run' | 'versions' | 'patches'
>;

/** Writes below `folder`. Rejects with the signal's reason where it fires. */
export type MeasureCell = (
  step: Step,
  folder: string,
  progress: Progress,
  signal: AbortSignal,
) => Promise<CellResult>;

export interface SweepDeps {
  measureCell: MeasureCell;
  /** Which may not be that on which the sweep began. */
  machine: Machine;
  /** What else used it before the first cell of this call. */
  disturbances: readonly string[];
  progress: Progress;
  /** After each cell, for reports and for those who watch. */
  onCell(record: CellRecord, records: CellRecord[]): void;
}

/** The records of all steps, or of those up to where `signal` fired. */
export async function goThrough(
  folder: SweepFolder,
  sweep: SweepRecord,
  { measureCell, machine, disturbances, progress, onCell }: SweepDeps,
  signal: AbortSignal,
): Promise<CellRecord[]> {
  const records = folder.records(sweep);
  const planned = (step: Step): number => cellSeconds(step.cell, sweep.plan);
  const todo = remaining(sweep.steps, new Set(records.map(({ id }) => id)));
  for (const [at, step] of todo.entries()) {
    if (signal.aborted) break;
    const index = sweep.steps.indexOf(step);
    const path = folder.emptyCell(step, index);
    const done = records.map((record) => ({ step: record, seconds: record.seconds }));
    const left = secondsLeft(todo.slice(at), planned, done);
    const startedAt = new Date();
    const startedMs = performance.now();
    const tell = (text: string): void => {
      const spent = Math.round(performance.now() - startedMs) / 1000;
      progress(
        `cell ${String(index + 1)} of ${String(sweep.steps.length)}, ${timeLeftText(Math.max(0, left - spent))} left · ${text}`,
      );
    };
    const result = await measureCell(step, path, tell, signal).catch((error: unknown) =>
      crashed(error, signal),
    );
    if (result === null) break;
    const record: CellRecord = {
      schemaVersion: 2,
      kind: 'cell',
      ...step,
      startedAt: startedAt.toISOString(),
      seconds: Math.round(performance.now() - startedMs) / 1000,
      machine,
      ...(disturbances.length === 0 ? {} : { disturbances: [...disturbances] }),
      ...result,
    };
    folder.done(index, record);
    records.push(record);
    onCell(record, records);
  }
  return records;
}

/** A cell in which n8n crashes is a result; a mistake of the user's ends the sweep, which can go on later. */
function crashed(error: unknown, signal: AbortSignal): CellResult | null {
  if (signal.aborted) return null;
  if (error instanceof Mistake) throw error;
  return {
    outcome: 'crashed',
    sentence: messageOf(error),
    limitedBy: null,
    figures: NO_FIGURES,
    run: null,
    versions: {},
  };
}

export function timeLeftText(seconds: number): string {
  if (seconds < 90) return `${formatNumber(Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${String(minutes)} min`;
  return `${formatNumber(seconds / 3600)} h`;
}
