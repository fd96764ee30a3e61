import { writeBeside } from '../record/beside';
import type { CompareRecord } from '../record/compare-record';
import { compareCharts } from '../report/compare/charts';
import { renderCompareMarkdown } from '../report/compare/markdown';
import { renderCompareHtml } from '../report/compare/html';
import { drawChartFile } from '../report/plot/draw';

export const writeCompareReports = (folder: string, record: CompareRecord): string[] =>
  writeBeside(folder, [
    { name: 'report.html', content: renderCompareHtml(record) },
    { name: 'report.md', content: renderCompareMarkdown(record) },
    ...compareCharts(record).map((c) => ({ name: `plots/${c.id}.svg`, content: drawChartFile(c) })),
  ]);
