import type { FileBeside } from '../../record/write-beside';
import type { CompareRecord } from './record';
import { compareCharts } from './report/charts';
import { renderCompareMarkdown } from './report/markdown';
import { renderCompareHtml } from './report/html';
import { drawChartFile } from '../../report/plot/draw';
import type { ComparedRuns } from './report/seen';

export const compareReports = (record: CompareRecord, runs: ComparedRuns): FileBeside[] => [
  { name: 'report.html', content: renderCompareHtml(record, runs) },
  { name: 'report.md', content: renderCompareMarkdown(record, runs) },
  ...compareCharts(record, runs).map((chart) => ({
    name: `plots/${chart.id}.svg`,
    content: drawChartFile(chart),
  })),
];
