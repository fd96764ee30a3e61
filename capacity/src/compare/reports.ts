import { writeBeside } from '../record/beside';
import type { CompareRecord } from '../record/compare-record';
import { compareCharts } from '../report/compare/charts';
import { renderCompareMarkdown } from '../report/compare/markdown';
import { renderCompareHtml } from '../report/compare/html';
import { drawChartFile } from '../report/plot/draw';
import { comparedRuns } from './seen';

export async function writeCompareReports(
  folder: string,
  record: CompareRecord,
): Promise<string[]> {
  const runs = await comparedRuns(folder, record);
  return writeBeside(folder, [
    { name: 'report.html', content: renderCompareHtml(record, runs) },
    { name: 'report.md', content: renderCompareMarkdown(record, runs) },
    ...compareCharts(record, runs).map((chart) => ({
      name: `plots/${chart.id}.svg`,
      content: drawChartFile(chart),
    })),
  ]);
}
