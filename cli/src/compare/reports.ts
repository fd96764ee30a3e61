import type { FileBeside } from '../record/beside';
import type { CompareRecord } from '../record/compare-record';
import { compareCharts } from '../report/compare/charts';
import { renderCompareMarkdown } from '../report/compare/markdown';
import { renderCompareHtml } from '../report/compare/html';
import { drawChartFile } from '../report/plot/draw';
import type { ComparedRuns } from '../report/compare/seen';

export const compareReports = (record: CompareRecord, runs: ComparedRuns): FileBeside[] => [
  { name: 'report.html', content: renderCompareHtml(record, runs) },
  { name: 'report.md', content: renderCompareMarkdown(record, runs) },
  ...compareCharts(record, runs).map((chart) => ({
    name: `plots/${chart.id}.svg`,
    content: drawChartFile(chart),
  })),
];
