import { findCharts } from './charts';
import { findFigures, findWord, PROBE_COLUMNS, probeRow, probeTerms } from './figures';
import { repeatCommand } from '../../../report/text/units';
import { escapeXml } from '../../../report/plot/svg';
import { workloadName } from '../../../plan/chosen-workload';
import type { FindRecord } from '../record';
import { cellsTable, page } from '../../../report/page/page';
import {
  firstPlot,
  layoutRows,
  list,
  plots,
  subtitle,
  summary,
  terms,
} from '../../../report/page/parts';

export const FIND_TONES = {
  found: 'good',
  'not confirmed': 'unsure',
  inconclusive: 'unsure',
  'nothing sustained': 'bad',
  invalid: 'unsure',
} as const;

/** What is decided from: how much, what it takes, and what to change for more. */
const FIRST = new Set(['Capacity', 'Plan with', 'Uses', 'A million requests', 'For more']);

/** The report of one search for the capacity. */
export function renderFindHtml(record: FindRecord): string {
  const title = `Capacity of ${workloadName(record.workload)}`;
  const figures = findFigures(record);
  const picture = firstPlot(findCharts(record), 'achieved');
  const body = [
    `<h1>${escapeXml(title)}</h1>`,
    subtitle(record),
    `<section class="verdict ${FIND_TONES[record.verdict]}"><strong>${findWord(record)}</strong><p>${escapeXml(record.sentence)}</p></section>`,
    summary(figures.filter(({ name }) => FIRST.has(name))),
    list('What makes this result doubtful', record.doubts),
    picture.first,
    '<h2>Every figure</h2>',
    cellsTable(
      ['', ''],
      figures.map(({ name, value }) => [name, value]),
    ),
    picture.rest.length === 0 ? '' : `<h2>The search</h2>${plots(picture.rest)}`,
    `<h2>Every probe</h2>${cellsTable(PROBE_COLUMNS, record.probes.map(probeRow))}`,
    terms(probeTerms(record)),
    '<p class="faint">Each probe is a run of its own, with its own report, in the folder probes/ beside this file.</p>',
    `<h2>How to repeat it</h2><pre tabindex="0">${escapeXml(repeatCommand(record.command))}</pre>`,
    `<h2>Exactly what was measured</h2>${cellsTable(['', ''], layoutRows(record))}`,
  ];
  return page(title, body.join('\n'));
}
