import type { SizePrediction } from '../analysis/answer';
import { SCALES } from '../analysis/scale';
import { cellsTable, page } from '../../../report/page/page';
import {
  firstPlot,
  list,
  machineText,
  sloRow,
  summary,
  topologyRows,
  workloadText,
} from '../../../report/page/parts';
import { escapeXml } from '../../../report/plot/svg';
import { predictCharts } from './charts';
import {
  anyOf,
  firstFigures,
  predictFigures,
  predictSentence,
  predictTitle,
  predictWord,
} from './figures';
import { formatNumber, perSecond } from '../../../ui/numbers';

/** The report of one prediction. */
export function renderPredictHtml(answer: SizePrediction): string {
  const { group, lowest, over, refused, topology } = answer;
  const { workload, slo, machine } = anyOf(group);
  const title = predictTitle(answer);
  const body = [
    `<h1>${escapeXml(title)}</h1>`,
    `<p class="faint">${escapeXml(workload.title)}</p>`,
    `<section class="verdict ${lowest === null ? 'unsure' : 'good'}"><strong>${predictWord(answer)}</strong><p>${escapeXml(predictSentence(answer))}</p></section>`,
    summary(firstFigures(answer)),
    list('What cannot be predicted', refused),
    firstPlot(predictCharts(answer), 'prediction').first,
    '<h2>Every figure</h2>',
    cellsTable(
      ['', ''],
      predictFigures(answer).map(({ name, value }) => [name, value]),
    ),
    `<h2>From these measurements</h2>${cellsTable(
      ['record', SCALES[over].title, 'sustained'],
      group.measurements.map(({ source, ratePerSecond }, index) => [
        source,
        formatNumber(group.points[index]?.n ?? 0),
        perSecond(ratePerSecond),
      ]),
    )}`,
    `<h2>Exactly what was predicted</h2>${cellsTable(
      ['', ''],
      [
        ['Workload', workloadText(workload)],
        sloRow(slo),
        ['Machine', machineText(machine)],
        ...topologyRows(topology),
      ],
    )}`,
  ];
  return page(title, body.join('\n'));
}
