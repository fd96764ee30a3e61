import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeBeside } from '../../record/write-beside';
import type { CellRecord, SweepRecord } from './record';
import { reportFiles } from '../../report/files';
import { renderSweepCsv } from './report/csv';
import { sweepDocument } from './report/document';

/** Beside sweep.json; they can always be made again. Returns what could not be written. */
export function writeSweepReports(
  folder: string,
  sweep: SweepRecord,
  records: readonly CellRecord[],
): string[] {
  const files = [
    ...reportFiles(sweepDocument(sweep, records)),
    { name: 'cells.csv', content: renderSweepCsv(records) },
  ];
  rmSync(join(folder, 'plots'), { recursive: true, force: true });
  return writeBeside(folder, files);
}
