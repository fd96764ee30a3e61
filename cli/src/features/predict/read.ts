import { join } from 'node:path';
import { recordFolder } from '../../record/archive';
import { findRecords } from '../../record/find-records';
import { readRun } from '../../record/read-run';
import { readFind, runOfFind } from '../find/read';
import { SweepFolder } from '../sweep/folder';
import { measurementOf, measurementOfRun, type MeasuredSize } from './analysis/measurement';

/** All that the searches, and the closed-loop cells of sweeps, in these folders tell. */
export function readMeasurements(folders: readonly string[]): MeasuredSize[] {
  const found = folders.map(recordFolder).flatMap(findRecords);
  const searches = found.filter(({ kind }) => kind === 'find').map(({ folder }) => ofFind(folder));
  const sweeps = found.filter(({ kind }) => kind === 'sweep').map(({ folder }) => folder);
  return [...searches, ...sweeps.flatMap(ofSweep)].filter((one) => one !== null);
}

const ofFind = (folder: string): MeasuredSize | null =>
  measurementOf(readFind(folder), (run) => runOfFind(folder, run));

/** Searches among its cells are found by themselves. */
function ofSweep(path: string): (MeasuredSize | null)[] {
  const folder = new SweepFolder(path);
  const sweep = folder.sweep();
  if (sweep === null) return [];
  return folder.records(sweep).map(({ id, run, figures, outcome }) => {
    const index = sweep.steps.findIndex((step) => step.id === id);
    const step = sweep.steps[index];
    const isFind = figures.capacityPerSecond !== null;
    if (step === undefined || run === null || isFind || outcome === 'invalid') return null;
    return measurementOfRun(readRun(join(folder.cell(step, index), run)));
  });
}
