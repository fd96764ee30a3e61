import type { Answer } from '../predict/predict';
import { table } from './markdown';
import { predictCharts } from './predict-charts';
import { predictFigures, predictSentence } from './predict-figures';

export function renderPredictMarkdown(answer: Answer): string {
  return [
    '# Prediction',
    '',
    `**${predictSentence(answer)}**`,
    '',
    ...table(
      ['', ''],
      predictFigures(answer).map(({ name, value }) => [name, value]),
    ),
    '',
    ...predictCharts(answer).map(({ id, title }) => `![${title}](plots/${id}.svg)`),
    '',
    '## From',
    '',
    ...answer.group.measurements.map(({ source }) => `- ${source}`),
    '',
  ].join('\n');
}
