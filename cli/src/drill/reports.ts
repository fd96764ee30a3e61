import type { FileBeside } from '../record/beside';
import type { DrillRecord } from '../record/drill-record';
import { drillCharts, type DrillParts } from '../report/drill/charts';
import { renderDrillHtml } from '../report/drill/html';
import { renderDrillMarkdown } from '../report/drill/markdown';
import { drawChartFile } from '../report/plot/draw';

export const drillReports = (record: DrillRecord, parts: DrillParts): FileBeside[] => [
  { name: 'report.html', content: renderDrillHtml(record, parts) },
  { name: 'report.md', content: renderDrillMarkdown(record, parts) },
  ...drillCharts(record, parts).map((chart) => ({
    name: `plots/${chart.id}.svg`,
    content: drawChartFile(chart),
  })),
];
