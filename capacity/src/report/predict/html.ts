import type { Answer } from '../../analysis/predict/answer';
import { figure } from '../page/figure';
import { cellsTable, page } from '../page/page';
import { list } from '../page/parts';
import { escapeXml } from '../plot/svg';
import { predictCharts } from './charts';
import { predictFigures, predictSentence } from './figures';

export function renderPredictHtml(answer: Answer): string {
  const known = answer.lowest !== null;
  const { group } = answer;
  const body = [
    '<h1>Prediction</h1>',
    `<section class="verdict ${known ? 'good' : 'unsure'}"><strong>${known ? 'EXPECTED' : 'UNKNOWN'}</strong><p>${escapeXml(predictSentence(answer))}</p></section>`,
    cellsTable(
      ['', ''],
      predictFigures(answer).map(({ name, value }) => [name, value]),
    ),
    `<div class="plots">${predictCharts(answer).map(figure).join('\n')}</div>`,
    list(
      'From these searches',
      group.measurements.map(({ source }) => source),
    ),
  ];
  return page('Prediction', body.join('\n'));
}
