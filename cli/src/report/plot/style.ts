/**
 * Colours for light paper by default; a page may set the same variables anew for dark.
 * The eight series colours are spread in hue and in lightness.
 */
const LIGHT = `--ink:#1d2433;--faint:#66708a;--rule:#d9dde6;--paper:#fff;
--s0:#1f5fbf;--s1:#c2410c;--s2:#0f7b4d;--s3:#8b2fa8;--s4:#9a6a00;--s5:#0c7c8c;--s6:#b01c55;--s7:#4a5568`;
const DARK = `--ink:#e6e9f0;--faint:#9aa4b8;--rule:#323a4a;--paper:#161b26;
--s0:#7db2ff;--s1:#ff9a5c;--s2:#5fd39a;--s3:#d59bf0;--s4:#e6bf52;--s5:#5fd0e0;--s6:#ff8db5;--s7:#a9b4c8`;

const series = Array.from({ length: 8 }, (_, i) => `.plot .s${i}{--c:var(--s${i})}`).join('');

export const PALETTE = `:root{${LIGHT};color-scheme:light dark}
@media (prefers-color-scheme:dark){:root{${DARK}}}
@media print{:root{${LIGHT};color-scheme:light}}`;

export const PLOT_RULES = `.plot{width:100%;height:auto;display:block;font:12px system-ui,sans-serif}
.plot text{fill:var(--ink)}.plot .axis-title,.plot .x-tick,.plot .y-axis text{fill:var(--faint)}
.plot .grid{stroke:var(--rule);stroke-width:1;fill:none}
${series}
.plot .curve{fill:none;stroke:var(--c);stroke-width:2;vector-effect:non-scaling-stroke;stroke-linejoin:round}
.plot .curve.dashed{stroke-dasharray:6 4}
.plot .dot{stroke:var(--c);stroke-width:6;stroke-linecap:round;vector-effect:non-scaling-stroke}
.plot .band{fill:var(--c);fill-opacity:.16;stroke:none}
.plot .mark{fill:none;stroke:var(--faint);stroke-width:1.5;stroke-dasharray:3 3;vector-effect:non-scaling-stroke}
.plot .mark-label{fill:var(--faint);font-size:11px;paint-order:stroke;stroke:var(--paper);stroke-width:4px;stroke-linejoin:round}
.plot .bar,.plot .cell{fill:var(--s0)}.plot .bar.chosen{fill:var(--s2)}.plot .cell.none{fill:var(--rule)}
.plot .whisker{stroke:var(--ink);stroke-width:2}.plot .on-dark{fill:var(--paper)}`;

export const PLOT_STYLE = `${PALETTE}${PLOT_RULES}`;
