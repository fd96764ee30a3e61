import {
  LIMIT_COLUMNS,
  limitFigures,
  limitRows,
  outcomeWord,
  ROLE_COLUMNS,
  roleRows,
  runFigures,
  runTitle,
} from './figures';
import { repeatCommand } from '../../report/text/units';
import { escapeXml } from '../../report/plot/svg';
import type { RunData } from './data';
import { prometheusCharts, runCharts } from './charts';
import { firstFigures } from './first';
import { cellsTable, page } from '../../report/page/page';
import { firstPlot, layoutRows, list, plots, subtitle, summary } from '../../report/page/parts';
import { duration } from '../../ui/numbers';

/** Classes of the style sheet. */
export const RUN_TONES = {
  sustained: 'good',
  'not sustained': 'bad',
  inconclusive: 'unsure',
  invalid: 'unsure',
  aborted: 'unsure',
} as const;

/** The report of one run. */
export function renderRunHtml(data: RunData): string {
  return page(runTitle(data.record), runSections(data));
}

function runSections(data: RunData): string {
  const { record } = data;
  const { verdict, profile } = record;
  const shape = profile.loop === 'open' ? 'open loop' : `${String(profile.clients ?? '?')} clients`;
  const length = `${String(profile.durationSeconds)} s after ${String(profile.warmupSeconds)} s of warm-up`;
  const picture = firstPlot(runCharts(data), 'latency');
  return [
    `<h1>${escapeXml(runTitle(record))}</h1>`,
    subtitle(record, `profile ${profile.name} (${shape})`, length),
    `<section class="verdict ${RUN_TONES[verdict.outcome]}"><strong>${outcomeWord(record)}</strong><p>${escapeXml(verdict.sentence)}</p>${limitedBy(data)}</section>`,
    summary(firstFigures(record)),
    list(
      'What was missed',
      verdict.breaches.map((b) => b.text),
    ),
    list('What makes this result doubtful', verdict.doubts),
    picture.first,
    '<h2>Every figure</h2>',
    cellsTable(
      ['', ''],
      runFigures(record).map((f) => [f.name, f.value]),
    ),
    '<h2>Over time</h2>',
    plots(picture.rest),
    ...prometheusSections(data),
    record.summary.roles.length > 0
      ? `<h2>Roles</h2>${cellsTable(
          ['role', ...ROLE_COLUMNS],
          roleRows(record).map((r) => [r.role, ...r.cells]),
        )}`
      : '',
    limitRows(record).length > 0
      ? `<h2>Limits</h2>${cellsTable(LIMIT_COLUMNS, limitRows(record))}`
      : '',
    list(
      'What happened during the run',
      record.events.map((e) => `${duration(e.tMs)}, ${e.kind}: ${e.text}`),
    ),
    `<h2>How to repeat it</h2><pre tabindex="0">${escapeXml(repeatCommand(record.command))}</pre>`,
    `<h2>Exactly what was measured</h2>${cellsTable(['', ''], layoutRows(record))}`,
  ].join('\n');
}

const prometheusSections = (data: RunData): string[] =>
  [...prometheusCharts(data)].map(
    ([board, charts], index) =>
      `${index === 0 ? '<h2>From Prometheus</h2>' : ''}<h3>${escapeXml(board)}</h3>${plots(charts)}`,
  );

function limitedBy({ record }: RunData): string {
  return limitFigures(record)
    .map(({ name, value }) => `<p class="faint">${escapeXml(`${name} ${value}`)}</p>`)
    .join('');
}
