import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FindRecord } from '../record/find-record';
import { writeWhole } from '../record/folder';
import { failureText } from '../record/table-file';
import { renderFindMarkdown } from '../report/find-markdown';
import { findCharts } from '../report/find-charts';
import { renderFindHtml } from '../report/html/find';
import { drawChartFile } from '../report/plot/draw';

/** Beside find.json; they can always be made again. Returns what could not be written. */
export function writeFindReports(folder: string, record: FindRecord): string[] {
  const files = [
    { name: 'report.html', content: renderFindHtml(record) },
    { name: 'report.md', content: renderFindMarkdown(record) },
    ...findCharts(record).map((c) => ({ name: `plots/${c.id}.svg`, content: drawChartFile(c) })),
  ];
  for (const { name, content } of files) {
    const file = join(folder, name);
    try {
      mkdirSync(dirname(file), { recursive: true });
      writeWhole(file, content);
    } catch (error) {
      return [failureText(file, error)];
    }
  }
  return [];
}
