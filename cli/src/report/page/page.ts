import { digestOf } from '../../ui/digest';
import { escapeXml } from '../plot/svg';
import { script } from './script';
import { PAGE_STYLE } from './style';

/** How every page of ours begins, by which a file is known as ours. */
export const PAGE_BEGIN = '<!doctype html>\n<!-- Written by n8n-tuned. -->\n';

/** A page that needs nothing beside itself; `more` is what it has beyond the plots of others. */
export function page(
  title: string,
  body: string,
  more: { style: string; script: string } = { style: '', script: '' },
): string {
  const program = `${script}${more.script === '' ? '' : `;${more.script}`}`;
  return `${PAGE_BEGIN}<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf(program)}">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeXml(title)}</title>
<link rel="icon" href="data:,">
<style>${PAGE_STYLE}${more.style}</style>
</head>
<body>
<main>
${body}
</main>
<script>${program}</script>
</body>
</html>
`;
}

/** Nothing is loaded or sent, and no script but this one runs, whatever a record has brought into the page. */
const policyOf = (program: string): string =>
  [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `script-src '${digestOf(program)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');

/** A table of more columns keeps its width on a phone, where it scrolls sideways. */
const MANY = 5;

export const cellsTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  `<div class="wide" tabindex="0"><table${head.length > MANY ? ' class="many"' : ''}><thead><tr>${head.map((h) => (h === '' ? '<td></td>' : `<th scope="col">${escapeXml(h)}</th>`)).join('')}</tr></thead><tbody>${rows
    .map(
      (row) =>
        `<tr>${row
          .map((cell, i) =>
            i === 0 ? `<th scope="row">${escapeXml(cell)}</th>` : `<td>${escapeXml(cell)}</td>`,
          )
          .join('')}</tr>`,
    )
    .join('')}</tbody></table></div>`;
