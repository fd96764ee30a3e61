import type { FileBeside } from '../../record/write-beside';
import type { DrillRecord } from './record';
import { drillCharts, type DrillParts } from './report/charts';
import { renderDrillHtml } from './report/html';
import { renderDrillMarkdown } from './report/markdown';
import { drawChartFile } from '../../report/plot/draw';

export const drillReports = (record: DrillRecord, parts: DrillParts): FileBeside[] => [
  { name: 'report.html', content: renderDrillHtml(record, parts) },
  { name: 'report.md', content: renderDrillMarkdown(record, parts) },
  ...drillCharts(record, parts).map((chart) => ({
    name: `plots/${chart.id}.svg`,
    content: drawChartFile(chart),
  })),
];
