import type { CellRecord, SweepRecord } from '../../record/sweep-record';
import { repeatCommand } from '../text/units';
import { figure } from '../page/figure';
import { cellsTable, page } from '../page/page';
import { list } from '../page/parts';
import { escapeXml } from '../plot/svg';
import { sweepCharts } from './charts';
import {
  crashes,
  sweepDoubts,
  sweepFigures,
  sweepLimits,
  sweepSentence,
  sweepTable,
} from './figures';

/** The report of a sweep, also of one that has not come to its end. */
export function renderSweepHtml(sweep: SweepRecord, records: readonly CellRecord[]): string {
  const isWhole = records.length === sweep.steps.length;
  const { head, rows } = sweepTable(sweep, records);
  const { machine } = sweep;
  const versions = Object.entries(records.find(({ run }) => run !== null)?.versions ?? {});
  const body = [
    `<h1>${escapeXml(sweep.title)}</h1>`,
    `<p class="faint">${escapeXml(`${sweep.startedAt.slice(0, 16).replace('T', ' ')} UTC`)}</p>`,
    `<section class="verdict ${isWhole ? 'good' : 'unsure'}"><strong>${isWhole ? 'DONE' : 'STOPPED'}</strong><p>${escapeXml(sweepSentence(sweep, records))}</p></section>`,
    list('What makes this result doubtful', sweepDoubts(sweep, records)),
    cellsTable(
      ['', ''],
      sweepFigures(sweep, records).map(({ name, value }) => [name, value]),
    ),
    '<h2>What came out</h2>',
    ...sweepCharts(sweep, records).map(
      (charts) => `<div class="plots">${charts.map(figure).join('\n')}</div>`,
    ),
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
        [
          'Machine',
          `${machine.cpu}, ${String(machine.cores)} cores, ${String(machine.memoryMiB)} MiB, ${machine.os}`,
        ],
        ...versions.map(([name, version]) => [`Version of ${name}`, version]),
        ['Record', sweep.id],
      ],
    )}`,
  ];
  return page(sweep.title, body.join('\n'));
}
