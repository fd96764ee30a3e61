import { sectionsOf, type Block, type ReportDocument } from '../document';
import { escapeXml } from '../plot/svg';
import { figure } from './figure';
import { cellsTable, page } from './page';

/** Is not broken in two at the end of a line. */
const TIME = /\d{4}-\d\d-\d\d \d\d:\d\d UTC/;

/** A document as a page that needs nothing beside itself. */
export function renderHtml(document: ReportDocument): string {
  const { title, subtitle, ranOn, verdict } = document;
  const notes = (verdict.notes ?? []).map((note) => faint(note)).join('');
  const body = [
    `<h1>${escapeXml(title)}</h1>`,
    faint(subtitle).replace(TIME, '<span class="time">$&</span>'),
    faint(ranOn),
    `<section class="verdict ${verdict.tone}"><strong>${escapeXml(verdict.word)}</strong><p>${escapeXml(verdict.sentence)}</p>${notes}</section>`,
    first(document),
    ...sectionsOf(document).map(
      ({ title: heading, blocks }) =>
        `<h2>${escapeXml(heading)}</h2>${blocks.map(blockHtml).join('')}`,
    ),
  ];
  return page(title, body.join('\n'));
}

/** What answers the question: beside each other on a wide screen, the pictures first on a narrow one. */
function first({ pictures, summary }: ReportDocument): string {
  const rows = summary.map(
    ({ name, value }) => `<div><dt>${escapeXml(name)}</dt><dd>${escapeXml(value)}</dd></div>`,
  );
  const figures = rows.length === 0 ? '' : `<dl class="summary">${rows.join('')}</dl>`;
  if (pictures.length === 0) return figures;
  return `<div class="first"><div class="pictures">${pictures.map((picture) => figure(picture, 'h2')).join('')}</div>${figures}</div>`;
}

const faint = (text: string): string =>
  text === '' ? '' : `<p class="faint">${escapeXml(text)}</p>`;

function blockHtml(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
      return faint(block.text);
    case 'list':
      return `<ul>${block.items.map((item) => `<li>${escapeXml(item)}</li>`).join('')}</ul>`;
    case 'figures':
      return cellsTable(
        ['', ''],
        block.figures.map(({ name, value }) => [name, value]),
      );
    case 'terms':
      return `<ul class="terms">${block.terms
        .map(
          ({ name, value }) => `<li><strong>${escapeXml(name)}</strong>: ${escapeXml(value)}</li>`,
        )
        .join('')}</ul>`;
    case 'table':
      return cellsTable(block.head, block.rows);
    case 'plots':
      return block.charts.length === 1
        ? block.charts.map((chart) => figure(chart)).join('')
        : `<div class="plots">${block.charts.map((chart) => figure(chart)).join('\n')}</div>`;
    case 'code':
      return `<pre tabindex="0">${escapeXml(block.lines.join('\n'))}</pre>`;
  }
}
