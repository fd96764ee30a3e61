import { writeBeside } from '../../record/write-beside';
import { drawChartFile } from '../../report/plot/draw';
import { predictCharts } from './report/charts';
import { renderPredictHtml } from './report/html';
import { renderPredictMarkdown } from './report/markdown';
import type { SizePrediction } from './analysis/answer';

/** Returns what could not be written. */
export function writePredictReports(folder: string, answer: SizePrediction): string[] {
  const files = [
    { name: 'report.html', content: renderPredictHtml(answer) },
    { name: 'report.md', content: renderPredictMarkdown(answer) },
    ...predictCharts(answer).map((chart) => ({
      name: `plots/${chart.id}.svg`,
      content: drawChartFile(chart),
    })),
  ];
  return writeBeside(folder, files);
}
