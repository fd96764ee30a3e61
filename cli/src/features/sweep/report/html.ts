import type { CellRecord, SweepRecord } from '../record';
import { repeatCommand, utc } from '../../../report/text/units';
import { cellsTable, page } from '../../../report/page/page';
import { firstPlot, list, machineText, plots, summary } from '../../../report/page/parts';
import { escapeXml } from '../../../report/plot/svg';
import { firstChartId, sweepCharts } from './charts';
import {
  crashes,
  sweepDoubts,
  sweepFigures,
  sweepLimits,
  sweepSentence,
  sweepTable,
} from './figures';

/** What is decided from: which cell is best and what limits it, and from where on a difference is one. */
const FIRST = /^(Best .*|Limit of the best|For more|Control)$/;

/** The report of a sweep, also of one that has not come to its end. */
export function renderSweepHtml(sweep: SweepRecord, records: readonly CellRecord[]): string {
  const isWhole = records.length === sweep.steps.length;
  const { head, rows } = sweepTable(sweep, records);
  const figures = sweepFigures(sweep, records);
  const charts = sweepCharts(sweep, records);
  const picture = firstPlot(charts.flat(), firstChartId(sweep));
  const rest = charts.map((some) => some.filter((chart) => picture.rest.includes(chart)));
  // Small plots of one metric stay together; plots that stand for a metric each go side by side.
  const isOneEach = rest.every((some) => some.length <= 1);
  const blocks = (isOneEach ? [rest.flat()] : rest).filter((some) => some.length > 0);
  const versions = Object.entries(records.find(({ run }) => run !== null)?.versions ?? {});
  const body = [
    `<h1>${escapeXml(sweep.title)}</h1>`,
    `<p class="faint">${utc(sweep.startedAt)}</p>`,
    `<section class="verdict ${isWhole ? 'good' : 'unsure'}"><strong>${isWhole ? 'DONE' : 'STOPPED'}</strong><p>${escapeXml(sweepSentence(sweep, records))}</p></section>`,
    summary(figures.filter(({ name }) => FIRST.test(name))),
    list('What makes this result doubtful', sweepDoubts(sweep, records)),
    picture.first,
    '<h2>Every figure</h2>',
    cellsTable(
      ['', ''],
      figures.map(({ name, value }) => [name, value]),
    ),
    blocks.length === 0 ? '' : '<h2>What came out</h2>',
    ...blocks.map(plots),
    `<h2>Every cell</h2>${cellsTable(head, rows)}`,
    list(
      'What limited each cell',
      sweepLimits(sweep, records).map(({ cell, text }) => `${cell}: ${text}`),
    ),
    list(
      'What crashed',
      crashes(records).map(({ id, sentence }) => `${id}: ${sentence}`),
    ),
    '<p class="faint">Each measurement has its own report in the folder cells/ beside this file.</p>',
    `<h2>How to repeat it</h2><pre tabindex="0">${escapeXml(repeatCommand(sweep.command))}</pre>`,
    `<h2>Exactly what was measured</h2>${cellsTable(
      ['', ''],
      [
        ['Machine', machineText(sweep.machine)],
        ...versions.map(([name, version]) => [`Version of ${name}`, version]),
        ['Record', sweep.id],
      ],
    )}`,
  ];
  return page(sweep.title, body.join('\n'));
}
