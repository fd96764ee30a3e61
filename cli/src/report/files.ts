import type { FileBeside } from '../record/write-beside';
import { chartsOf, type ReportDocument } from './document';
import { renderHtml } from './page/html';
import { drawChartFile } from './plot/draw';
import { renderMarkdown } from './text/markdown';

/** The files of a report, which stand beside its record. */
export const reportFiles = (document: ReportDocument): FileBeside[] => [
  { name: 'report.html', content: renderHtml(document) },
  { name: 'report.md', content: renderMarkdown(document) },
  ...chartsOf(document).map((chart) => ({
    ...{ name: `plots/${chart.id}.svg`, content: drawChartFile(chart) },
  })),
];
