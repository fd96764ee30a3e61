import { drillAdvice } from '../analysis/advice';
import type { DrillRecord } from '../record';
import { cellsTable, page } from '../../../report/page/page';
import { firstPlot, layoutRows, list, plots, subtitle, summary } from '../../../report/page/parts';
import { escapeXml } from '../../../report/plot/svg';
import { repeatCommand } from '../../../report/text/units';
import { drillCharts, type DrillParts } from './charts';
import {
  drillFigureRows,
  drillTakes,
  drillWord,
  ledgerTable,
  namedIds,
  promiseTable,
} from './figures';
import { duration } from '../../../ui/numbers';

/** Classes of the style sheet. */
export const DRILL_TONES = { pass: 'good', fail: 'bad', invalid: 'unsure' } as const;

/** What is decided from: what it cost, and how long it took until all was well again. */
const FIRST = new Set([
  'Fault',
  'Lost',
  'Errors',
  'Schedule',
  'Recovered',
  'Backlog',
  'Slowest survivor',
]);

/** The report of one drill. */
export function renderDrillHtml(record: DrillRecord, parts: DrillParts): string {
  const { verdict, fault } = record;
  const ledger = ledgerTable(record);
  const promises = promiseTable(record);
  const takes = drillTakes(parts.run.record);
  const figures = [...drillFigureRows(record), ...takes];
  const picture = firstPlot(drillCharts(record, parts), 'ledger');
  const body = [
    `<h1>${escapeXml(`Drill ${fault.name}: ${fault.title}`)}</h1>`,
    subtitle(record),
    `<section class="verdict ${DRILL_TONES[verdict.outcome]}"><strong>${drillWord(record)}</strong><p>${escapeXml(verdict.sentence)}</p></section>`,
    summary([...figures.filter(({ name }) => FIRST.has(name)), ...takes]),
    list('What to change', drillAdvice(record)),
    list('What makes this result doubtful', verdict.doubts),
    picture.first,
    '<h2>Every figure</h2>',
    cellsTable(
      ['', ''],
      figures.map(({ name, value }) => [name, value]),
    ),
    `<h2>The ledger</h2>${cellsTable(ledger.head, ledger.rows)}`,
    '<p class="faint">Every request with its class and what each source says of it is in ledger.csv beside this file.</p>',
    list('Ids', namedIds(record)),
    `<h2>What was promised</h2>${cellsTable(promises.head, promises.rows)}`,
    list(
      'What was done',
      fault.done.map(({ tMs, text }) => `${duration(tMs)}: ${text}`),
    ),
    `<h2>Over time</h2>${plots(picture.rest)}`,
    '<p class="faint">The run under the fault and the control have reports of their own, in the folder runs/ beside this file.</p>',
    `<h2>How to repeat it</h2><pre tabindex="0">${escapeXml(repeatCommand(record.command))}</pre>`,
    `<h2>Exactly what was measured</h2>${cellsTable(['', ''], layoutRows(record))}`,
  ];
  return page(`Drill ${fault.name}, ${drillWord(record).toLowerCase()}`, body.join('\n'));
}
