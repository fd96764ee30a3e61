import { writeBeside } from '../../record/write-beside';
import type { FindRecord } from './record';
import { findCharts } from './report/charts';
import { renderFindMarkdown } from './report/markdown';
import { renderFindHtml } from './report/html';
import { drawChartFile } from '../../report/plot/draw';

export const writeFindReports = (folder: string, record: FindRecord): string[] =>
  writeBeside(folder, [
    { name: 'report.html', content: renderFindHtml(record) },
    { name: 'report.md', content: renderFindMarkdown(record) },
    ...findCharts(record).map((c) => ({ name: `plots/${c.id}.svg`, content: drawChartFile(c) })),
  ]);
