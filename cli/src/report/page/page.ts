import { digestOf } from '../../ui/digest';
import { escapeXml } from '../plot/svg';
import { script } from './script';
import { PALETTE, PLOT_RULES } from '../plot/style';
import { TONES } from '../document';

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

const tones = Object.entries(TONES)
  .map(([tone, { series }]) => `.${tone}{--c:var(--s${String(series)})}`)
  .join('');

/** The letters of a plot grow with it, so that one that stands alone is not as wide as the page. */
const PAGE_STYLE = `${PALETTE}
*{box-sizing:border-box}
body{margin:0 auto;padding:1.5rem 1rem 4rem;max-width:76rem;background:var(--paper);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
h1{font-size:1.35rem;line-height:1.3;margin:0 0 .25rem}h2{font-size:1.1rem;margin:2.2rem 0 .6rem}
h3{font-size:1rem;margin:0 0 .3rem;font-weight:600}
p{margin:.4rem 0}.faint{color:var(--faint);font-size:.9rem}.time{white-space:nowrap}
${tones}
.verdict{border-left:.4rem solid var(--c);padding:.2rem 0 .2rem 1rem;margin:1.2rem 0}
.verdict strong{color:var(--c);letter-spacing:.04em}.verdict p{font-size:1.15rem}
dl.summary{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,15rem),1fr));gap:1rem 1.5rem;margin:1.2rem 0}
.summary div{border-top:1px solid var(--rule);padding-top:.5rem}.summary dt{color:var(--faint);font-size:.9rem}.summary dd{margin:.1rem 0 0;font-size:1.05rem}
.first{display:grid;gap:1.2rem 2.5rem;margin:1.2rem 0}.first h2{font-size:1rem;margin:0 0 .3rem}.pictures{min-width:0}.pictures figure+figure{margin-top:1rem}
.first dl.summary{align-content:start;margin:0}
@media(min-width:64rem){.first{grid-template-columns:minmax(0,46rem) minmax(0,1fr)}.first dl.summary{grid-template-columns:1fr}}
ul.terms{list-style:none;padding:0;margin:.6rem 0;color:var(--faint);font-size:.9rem}.terms strong{font-weight:600}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th,td{text-align:left;padding:.3rem .7rem .3rem 0;border-bottom:1px solid var(--rule);vertical-align:top}
thead th{color:var(--faint);font-weight:500}tbody th{font-weight:500;white-space:nowrap}
td.number{text-align:right;font-variant-numeric:tabular-nums}
.wide{overflow-x:auto}table.many{min-width:62rem}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,30rem),1fr));gap:1.6rem 2rem}.plots+.plots{margin-top:1.6rem}
figure{margin:0;position:relative;min-width:0}
:not(.plots)>figure,.plots>figure:only-child{max-width:48rem}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1rem;list-style:none;padding:0;margin:.1rem 0 .2rem;font-size:.85rem;color:var(--ink)}
.legend i{display:inline-block;width:1.1rem;margin-right:.4rem;vertical-align:middle;border-top:.2rem solid var(--c)}
.legend .dashed{border-top-style:dashed}.legend .dots{width:0;border:.27rem solid var(--c);border-radius:50%}.legend .dots.large{border-width:.4rem}
${Array.from({ length: 8 }, (_, i) => `.legend .s${i}{--c:var(--s${i})}`).join('')}
details{margin:.2rem 0;font-size:.9rem}summary{cursor:pointer;color:var(--faint)}
details .wide{max-height:22rem;overflow:auto}
pre{background:color-mix(in srgb,var(--rule) 40%,transparent);padding:.7rem .9rem;overflow-x:auto;font-size:.85rem;border-radius:.3rem;white-space:pre-wrap;overflow-wrap:anywhere}
.tip{position:absolute;pointer-events:none;background:var(--ink);color:var(--paper);font-size:.8rem;padding:.3rem .5rem;border-radius:.25rem;white-space:pre;z-index:2}
.cursor{position:absolute;width:1px;background:var(--faint);pointer-events:none}
.brush{position:absolute;background:color-mix(in srgb,var(--s0) 20%,transparent);pointer-events:none}
.reset{position:absolute;right:.4rem;top:0;font:inherit;font-size:.8rem}
.plot.line{touch-action:pan-y;cursor:crosshair}
${PLOT_RULES}
.plot{font-size:12px}.plot .mark-label{font-size:11px;stroke-opacity:.7}
@media(max-width:40rem){.plot{font-size:19px}.plot .mark-label{font-size:17px}}
@media print{body{max-width:none;padding:0;font-size:.9rem}table{font-size:.75rem}tbody th{white-space:normal}
figure,tr,.verdict,.summary div{break-inside:avoid}h2,h3{break-after:avoid}
.wide{overflow:visible}table.many{min-width:0}.reset,.tip,.cursor,.brush,details:not([open]){display:none}}`;
