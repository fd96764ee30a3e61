import type { CompareRecord } from '../record';
import { compareCharts } from './charts';
import {
  compareFigures,
  compareWord,
  firstFigures,
  pairTable,
  takesFigures,
  topologyTable,
} from './figures';
import type { ComparedRuns } from './seen';
import { repeatCommand } from '../../../report/text/units';
import { escapeXml } from '../../../report/plot/svg';
import { cellsTable, page } from '../../../report/page/page';
import {
  firstPlot,
  list,
  measuredRows,
  plots,
  subtitle,
  summary,
} from '../../../report/page/parts';

export const COMPARE_TONES = {
  better: 'good',
  worse: 'bad',
  'no difference': 'unsure',
  unknown: 'unsure',
} as const;

/** The report of one comparison of two topologies. */
export function renderCompareHtml(record: CompareRecord, runs: ComparedRuns): string {
  const { a, b } = record;
  const pairs = pairTable(record);
  const topologies = topologyTable(record);
  const picture = firstPlot(compareCharts(record, runs), 'sides');
  const isPaired = ({ id }: { id: string }): boolean => id === 'pairs' || id === 'ratios';
  const distributions = picture.rest.filter((chart) => !isPaired(chart));
  const body = [
    `<h1>${escapeXml(`${b.name} compared with ${a.name}`)}</h1>`,
    subtitle(record),
    `<section class="verdict ${COMPARE_TONES[record.answer]}"><strong>${compareWord(record)}</strong><p>${escapeXml(record.sentence)}</p></section>`,
    summary(firstFigures(record, runs)),
    list('What makes this result doubtful', record.doubts),
    picture.first,
    '<h2>Every figure</h2>',
    cellsTable(
      ['', ''],
      [...compareFigures(record), ...takesFigures(record, runs)].map((f) => [f.name, f.value]),
    ),
    distributions.length === 0 ? '' : `<h2>Both distributions</h2>${plots(distributions)}`,
    `<h2>Pair by pair</h2>${plots(picture.rest.filter(isPaired))}`,
    cellsTable(pairs.head, pairs.rows),
    '<p class="faint">Each value is a run of its own, with its own report, in the folder runs/ beside this file.</p>',
    `<h2>The two topologies</h2>${cellsTable(topologies.head, topologies.rows)}`,
    `<h2>How to repeat it</h2><pre tabindex="0">${escapeXml(repeatCommand(record.command))}</pre>`,
    `<h2>Exactly what was measured</h2>${cellsTable(['', ''], measuredRows(record))}`,
  ];
  return page(`${b.name} compared with ${a.name}`, body.join('\n'));
}
