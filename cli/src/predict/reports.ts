import { writeBeside } from '../record/beside';
import { drawChartFile } from '../report/plot/draw';
import { predictCharts } from '../report/predict/charts';
import { renderPredictHtml } from '../report/predict/html';
import { renderPredictMarkdown } from '../report/predict/markdown';
import type { SizePrediction } from '../analysis/predict/answer';

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
