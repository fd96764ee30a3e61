import { findCharts } from './charts';
import { findFigures, findWord, PROBE_COLUMNS, probeRow } from './figures';
import { repeatCommand } from '../text/units';
import { escapeXml } from '../plot/svg';
import { workloadName } from '../../plan/chosen-workload';
import type { FindRecord } from '../../record/find-record';
import { figure } from '../page/figure';
import { cellsTable, page } from '../page/page';
import { layoutRows, list, summary } from '../page/parts';

export const FIND_TONES = {
  found: 'good',
  'not confirmed': 'unsure',
  inconclusive: 'unsure',
  'nothing sustained': 'bad',
  invalid: 'unsure',
} as const;

/** What is decided from: how much, what it takes, and what to change for more. */
const FIRST = new Set(['Capacity', 'Plan with', 'Uses', 'Per million', 'For more']);

/** The report of one search for the capacity. */
export function renderFindHtml(record: FindRecord): string {
  const { workload } = record;
  const figures = findFigures(record);
  const body = [
    `<h1>Capacity of ${escapeXml(workloadName(workload))}</h1>`,
    `<p class="faint">${escapeXml(`${workload.title}, ${workload.method} ${workload.path}, ${record.startedAt.slice(0, 16).replace('T', ' ')} UTC`)}</p>`,
    `<section class="verdict ${FIND_TONES[record.verdict]}"><strong>${findWord(record)}</strong><p>${escapeXml(record.sentence)}</p></section>`,
    summary(figures.filter(({ name }) => FIRST.has(name))),
    list('What makes this result doubtful', record.doubts),
    `<h2>The search</h2><div class="plots">${findCharts(record).map(figure).join('\n')}</div>`,
    cellsTable(
      ['', ''],
      figures.filter(({ name }) => !FIRST.has(name)).map((f) => [f.name, f.value]),
    ),
    `<h2>Every probe</h2>${cellsTable(PROBE_COLUMNS, record.probes.map(probeRow))}`,
    '<p class="faint">Each probe is a run of its own, with its own report, in the folder probes/ beside this file.</p>',
    `<h2>How to repeat it</h2><pre tabindex="0">${escapeXml(repeatCommand(record.command))}</pre>`,
    `<h2>Exactly what was measured</h2>${cellsTable(['', ''], layoutRows(record))}`,
  ];
  return page(`${workload.title}, capacity`, body.join('\n'));
}
