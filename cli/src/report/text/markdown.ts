import { sectionsOf, type Block, type ReportDocument } from '../document';
import type { Chart } from '../plot/chart';

/** A document as Markdown; its plots are files beside it. */
export function renderMarkdown(document: ReportDocument): string {
  const { title, subtitle, ranOn, verdict, pictures, summary } = document;
  return markdownOf([
    `# ${title}`,
    '',
    ...[subtitle, ranOn].filter((line) => line !== '').flatMap((line) => [line, '']),
    `**${verdict.word}: ${verdict.sentence}**`,
    '',
    ...(verdict.notes ?? []).flatMap((note) => [note, '']),
    ...spaced(pictures.map(pictureLine)),
    ...spaced(summary.map(({ name, value }) => `- **${name}**: ${value}`)),
    ...sectionsOf(document).flatMap(({ title: heading, blocks }) => [
      ...[`## ${heading}`, ''],
      ...blocks.flatMap((block) => spaced(blockLines(block))),
    ]),
  ]);
}

const spaced = (lines: readonly string[]): string[] => (lines.length === 0 ? [] : [...lines, '']);

const pictureLine = ({ id, title }: Chart): string => `![${title}](plots/${id}.svg)`;

function blockLines(block: Block): string[] {
  switch (block.kind) {
    case 'paragraph':
      return block.text === '' ? [] : [block.text];
    case 'list':
      return block.items.map((item) => `- ${item}`);
    case 'figures':
      return table(
        ['', ''],
        block.figures.map(({ name, value }) => [name, value]),
      );
    case 'terms':
      return block.terms.map(({ name, value }) => `- ${name}: ${value}`);
    case 'table':
      return table(block.head, block.rows);
    case 'plots':
      return block.charts.map(pictureLine);
    case 'code':
      return ['```', ...block.lines, '```'];
  }
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((c) => c.replace(/\|/g, '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

/** A place where HTML begins; `p95<300ms` is not one. */
const TAG = /<(?=[a-z/!?])/gi;

/** A page of lines, of which none is HTML, whatever a record says. What stands between fences is shown as it is. */
export function markdownOf(lines: readonly string[]): string {
  let isFenced = false;
  return lines
    .map((line) => {
      if (line.startsWith('```')) {
        isFenced = !isFenced;
        return line;
      }
      return isFenced ? line.replaceAll('```', "'''") : line.replace(TAG, '&lt;');
    })
    .join('\n');
}
