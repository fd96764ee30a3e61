import { sectionsOf, type Block, type ReportDocument } from '../document';
import { escapeXml } from '../plot/svg';
import { figure } from './figure';
import { cellsTable, page } from './page';

/** A document as a page that needs nothing beside itself. */
export function renderHtml(document: ReportDocument): string {
  const { title, subtitle, verdict, summary } = document;
  const notes = (verdict.notes ?? []).map((note) => faint(note)).join('');
  const figures = summary.map(
    ({ name, value }) => `<div><dt>${escapeXml(name)}</dt><dd>${escapeXml(value)}</dd></div>`,
  );
  const body = [
    `<h1>${escapeXml(title)}</h1>`,
    faint(subtitle),
    `<section class="verdict ${verdict.tone}"><strong>${escapeXml(verdict.word)}</strong><p>${escapeXml(verdict.sentence)}</p>${notes}</section>`,
    figures.length === 0 ? '' : `<dl class="summary">${figures.join('')}</dl>`,
    ...sectionsOf(document).map(
      ({ title: heading, blocks }) =>
        `<h2>${escapeXml(heading)}</h2>${blocks.map(blockHtml).join('')}`,
    ),
  ];
  return page(title, body.join('\n'));
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
        ? block.charts.map(figure).join('')
        : `<div class="plots">${block.charts.map(figure).join('\n')}</div>`;
    case 'code':
      return `<pre tabindex="0">${escapeXml(block.lines.join('\n'))}</pre>`;
  }
}
