import type { SizePrediction } from '../analysis/answer';
import { markdownOf, table } from '../../../report/text/markdown';
import { predictCharts } from './charts';
import { predictFigures, predictSentence, predictTitle } from './figures';

export function renderPredictMarkdown(answer: SizePrediction): string {
  return markdownOf([
    `# ${predictTitle(answer)}`,
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
  ]);
}
