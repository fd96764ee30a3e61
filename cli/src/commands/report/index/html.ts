import { page } from '../../../report/page/page';
import { escapeXml, element, round } from '../../../report/plot/svg';
import { SORT_SCRIPT } from './sort';
import type { IndexRow, Course } from './row';
import { formatNumber } from '../../../ui/numbers';

const WIDTH = 120;
const HEIGHT = 28;
/** So that the stroke is not cut off. */
const EDGE = 3;
/** More points than pixels say no more. */
const MAX_POINTS = WIDTH;

/** A line as high as a line of text, with its ends in words for those who do not see it; empty of one value. */
export function sparkline({ label, values }: Course): string {
  const known = values.filter((value) => value !== null && Number.isFinite(value)).map(Number);
  if (known.length < 2) return '';
  const min = Math.min(0, ...known);
  const max = known.reduce((a, b) => Math.max(a, b), min);
  const height = max > min ? max - min : 1;
  const step = Math.max(1, Math.ceil(values.length / MAX_POINTS));
  let d = '';
  let pen = false;
  for (let index = 0; index < values.length; index += step) {
    const value = highest(values.slice(index, index + step));
    if (value === null) {
      pen = false;
      continue;
    }
    const x = EDGE + (index / Math.max(1, values.length - 1)) * (WIDTH - 2 * EDGE);
    const y = HEIGHT - EDGE - ((value - min) / height) * (HEIGHT - 2 * EDGE);
    d += `${pen ? 'L' : 'M'}${round(x)} ${round(y)}`;
    pen = true;
  }
  const words = `${label}: ${String(known.length)} values from ${formatNumber(Math.min(...known))} to ${formatNumber(max)}, last ${formatNumber(known.at(-1) ?? 0)}`;
  return element(
    'svg',
    {
      class: 'sparkline',
      viewBox: `0 0 ${String(WIDTH)} ${String(HEIGHT)}`,
      width: WIDTH,
      height: HEIGHT,
      role: 'img',
      'aria-label': words,
    },
    `<title>${escapeXml(words)}</title>`,
    element('path', { class: 'curve s0', d }),
  );
}

/** The highest value on a pixel, so that no peak is missed. */
function highest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null && Number.isFinite(value)).map(Number);
  return known.length === 0 ? null : Math.max(...known);
}

export interface IndexEntry extends IndexRow {
  /** Link to its report, relative to the index. */
  href: string;
}

interface Column {
  title: string;
  /** In text; what it is sorted by; numbers are written at the right. */
  cell(entry: IndexEntry): string;
  by(entry: IndexEntry): string | number | null;
  isNumber?: boolean;
}

const number = (value: number | null): string => (value === null ? '-' : formatNumber(value));

const COLUMNS: Column[] = [
  {
    title: 'Started (UTC)',
    cell: ({ startedAt }) => escapeXml(startedAt.slice(0, 16).replace('T', ' ')),
    by: ({ startedAt }) => startedAt,
  },
  {
    title: 'Report',
    cell: ({ kind, workload, href, sentence }) =>
      `<a href="${escapeXml(href)}">${escapeXml(`${kind} of ${workload === '' ? 'several workloads' : workload}`)}</a><span class="faint">${escapeXml(sentence)}</span>`,
    by: ({ kind, workload }) => `${workload} ${kind}`,
  },
  {
    title: 'Verdict',
    cell: ({ word, tone }) => `<strong class="${tone}">${escapeXml(word)}</strong>`,
    by: ({ word }) => word,
  },
  {
    title: 'Rate (per second)',
    cell: ({ ratePerSecond }) => number(ratePerSecond),
    by: ({ ratePerSecond }) => ratePerSecond,
    isNumber: true,
  },
  {
    title: 'p95 (ms)',
    cell: ({ p95Ms }) => number(p95Ms),
    by: ({ p95Ms }) => p95Ms,
    isNumber: true,
  },
  {
    title: 'Errors (%)',
    cell: ({ errorShare }) => number(errorShare === null ? null : 100 * errorShare),
    by: ({ errorShare }) => errorShare,
    isNumber: true,
  },
  {
    title: 'Limited by',
    cell: ({ limitedBy }) => escapeXml(limitedBy ?? '-'),
    by: ({ limitedBy }) => limitedBy,
  },
];

const INDEX_STYLE = `table.index th button{font:inherit;color:inherit;background:none;border:0;padding:0;cursor:pointer;text-align:inherit}
.index th button::after{content:"\\2195";margin-left:.3rem;opacity:.6}
.index th[aria-sort=ascending] button::after{content:"\\2191";opacity:1}.index th[aria-sort=descending] button::after{content:"\\2193";opacity:1}
.index a{color:var(--s0)}.index td:nth-child(2){min-width:16rem}.index td .faint{display:block;font-size:.95em}
.index td:first-child{white-space:nowrap;font-variant-numeric:tabular-nums}.index strong{color:var(--c);white-space:nowrap}
.sparkline .curve{fill:none;stroke:var(--s0);stroke-width:1.5;stroke-linejoin:round;stroke-linecap:round}
@media print{.index th button::after{content:none}.index td:nth-child(2){min-width:0}.index td:first-child,.index strong{white-space:normal}.sparkline{width:4rem}}`;

/** All results of a folder, the newest first; any column sorts them. */
export function renderIndexHtml(title: string, entries: readonly IndexEntry[]): string {
  const rows = [...entries].sort((a, b) => b.startedAt.localeCompare(a.startedAt));
  const count = (tone: IndexRow['tone']): number =>
    rows.filter((entry) => entry.tone === tone).length;
  const head = COLUMNS.map(
    ({ title: name, isNumber }, index) =>
      `<th scope="col"${index === 0 ? ' aria-sort="descending"' : ''}${isNumber === true ? ' data-kind="number"' : ''}><button type="button">${escapeXml(name)}</button></th>`,
  ).join('');
  const body = rows.map(
    (entry) =>
      `<tr>${COLUMNS.map(({ cell, by, isNumber }) => `<td${isNumber === true ? ' class="number"' : ''} data-by="${escapeXml(String(by(entry) ?? ''))}">${cell(entry)}</td>`).join('')}<td>${sparkline(entry.course)}</td></tr>`,
  );
  const content = [
    `<h1>${escapeXml(title)}</h1>`,
    `<p class="faint">${escapeXml(`${String(rows.length)} results: ${String(count('good'))} good, ${String(count('bad'))} bad, ${String(count('unsure'))} undecided. Select a column heading to sort by that column.`)}</p>`,
    `<div class="wide" tabindex="0" role="region" aria-label="Results"><table class="index"><thead><tr>${head}<th scope="col">Course</th></tr></thead><tbody>${body.join('')}</tbody></table></div>`,
    '<p class="faint">The column Course shows the main figure of each result over time. For a run, it shows p95; for a search, the offered rate of each probe; for a comparison, the ratio of each pair. For a drill, it shows the requests that were not answered and executed once; for a sweep, the rate of each cell; for a proof, the worst SLO of each attempt. The vertical axis of each curve begins at zero.</p>',
  ];
  return page(title, content.join('\n'), { style: INDEX_STYLE, script: SORT_SCRIPT });
}
