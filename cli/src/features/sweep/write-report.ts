import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeBeside } from '../../record/write-beside';
import type { CellRecord, SweepRecord } from './record';
import { drawChartFile } from '../../report/plot/draw';
import { sweepCharts } from './report/charts';
import { renderSweepCsv } from './report/csv';
import { renderSweepHtml } from './report/html';
import { renderSweepMarkdown } from './report/markdown';

/** Beside sweep.json; they can always be made again. Returns what could not be written. */
export function writeSweepReports(
  folder: string,
  sweep: SweepRecord,
  records: readonly CellRecord[],
): string[] {
  const files = [
    { name: 'report.html', content: renderSweepHtml(sweep, records) },
    { name: 'report.md', content: renderSweepMarkdown(sweep, records) },
    { name: 'cells.csv', content: renderSweepCsv(records) },
    ...sweepCharts(sweep, records)
      .flat()
      .map((chart) => ({
        name: `plots/${chart.id}.svg`,
        content: drawChartFile(chart),
      })),
  ];
  rmSync(join(folder, 'plots'), { recursive: true, force: true });
  return writeBeside(folder, files);
}
