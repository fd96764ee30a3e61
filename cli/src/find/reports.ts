import { writeBeside } from '../record/beside';
import type { FindRecord } from '../record/find-record';
import { findCharts } from '../report/find/charts';
import { renderFindMarkdown } from '../report/find/markdown';
import { renderFindHtml } from '../report/find/html';
import { drawChartFile } from '../report/plot/draw';

export const writeFindReports = (folder: string, record: FindRecord): string[] =>
  writeBeside(folder, [
    { name: 'report.html', content: renderFindHtml(record) },
    { name: 'report.md', content: renderFindMarkdown(record) },
    ...findCharts(record).map((c) => ({ name: `plots/${c.id}.svg`, content: drawChartFile(c) })),
  ]);
