// A terminal as a picture: a command and what it printed, in columns whatever the font of the reader.
import { escapeXml } from '../../cli/src/report/plot/svg';
import { readComparison } from '../../cli/src/features/compare/record';
import { compareDocument } from '../../cli/src/features/compare/report/document';
import type { FindRecord } from '../../cli/src/features/find/record';
import { readFind } from '../../cli/src/features/find/read';
import { findDocument } from '../../cli/src/features/find/report/document';
import { renderTerminal } from '../../cli/src/report/text/terminal';
import { runDocument } from '../../cli/src/run/report/document';
import { readUnpacked, refuseUnlessFound, runAt, SHOWN_SEARCH, type Generated } from './records';
import { runOf } from './studies/capacity';

// Text with ANSI colours as runs of one style each, line by line.

interface Style {
  /** 0 to 15. */
  colour: number | null;
  bold: boolean;
  faint: boolean;
}
export interface Run extends Style {
  text: string;
}

const ESCAPE = '\u001b';
/** Select Graphic Rendition, which sets colours; any other control sequence; a carriage return. */
const TOKENS = new RegExp(
  `${ESCAPE}\\[([\\d;]*)m|${ESCAPE}\\[[\\d;?]*[A-Za-z]|\\r|([^${ESCAPE}\\r]+|${ESCAPE})`,
  'g',
);

const PLAIN: Style = { colour: null, bold: false, faint: false };

/** What is not a colour is left out. */
export function linesOf(text: string): Run[][] {
  let style = PLAIN;
  return text.split('\n').map((line) => {
    const runs: Run[] = [];
    for (const [token, codes, plain] of line.matchAll(TOKENS)) {
      if (codes !== undefined) style = codes.split(';').map(Number).reduce(styled, style);
      else if (plain !== undefined && token !== ESCAPE) runs.push({ text: plain, ...style });
    }
    return runs;
  });
}

function styled(style: Style, code: number): Style {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, faint: true };
  if (code === 22) return { ...style, bold: false, faint: false };
  if (code >= 30 && code <= 37) return { ...style, colour: code - 30 };
  if (code >= 90 && code <= 97) return { ...style, colour: code - 82 };
  if (code === 39) return { ...style, colour: null };
  return style;
}

// docs/terminal/*.svg: what the command prints about records of this repository.

const STYLE = { width: 96, colour: true };

const slos = ({ slo }: { slo: { text: string }[] }): string =>
  slo.map(({ text }) => `--slo '${text}'`).join(' ');

export function findTerminal(search: FindRecord, path: string): string {
  refuseUnlessFound(search, path);
  return terminalSvg({
    command: `n8n-tuned find --workload ${search.workload.name} ${slos(search)} --budget ${String(search.budgetSeconds)}s`,
    output: renderTerminal(findDocument(search), STYLE),
  });
}

/** What is typed today to measure the same: records keep the options of their day. */
export function terminals(): Generated {
  const run = runAt(runOf('studies/proof/results/recommended/proof.json'));
  const compared = readUnpacked('studies/comparisons/results/last-node-regular', readComparison);
  const clients = compared.command[compared.command.indexOf('--vus') + 1] ?? '';
  return {
    files: {
      'docs/terminal/run.svg': terminalSvg({
        command: `n8n-tuned run --workload ${run.workload.name} --rate ${String(run.profile.ratePerSecond)} --duration ${String(run.profile.durationSeconds)}s \\\n  ${slos(run)}`,
        output: renderTerminal(runDocument({ record: run }), STYLE),
      }),
      'docs/terminal/find.svg': findTerminal(readUnpacked(SHOWN_SEARCH, readFind), SHOWN_SEARCH),
      'docs/terminal/compare.svg': terminalSvg({
        command: `n8n-tuned compare ${compared.a.name}.yaml ${compared.b.name}.yaml --workload ${compared.workload.name} --vus ${clients}`,
        output: renderTerminal(compareDocument(compared), STYLE),
      }),
    },
  };
}

const FONT = 14;
const COLUMN = 8.4;
const LINE = 20;
const PADDING = 16;
const BAR = 30;

/** Readable on PAPER, normal and bright: black, red, green, yellow, blue, magenta, cyan, white. */
const COLOURS = [
  ...['#6e7681', '#ff7b72', '#56d364', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', '#c9d1d9'],
  ...['#8b949e', '#ffa198', '#7ee787', '#f2cc60', '#a5d6ff', '#e2c5ff', '#76e3ea', '#f0f6fc'],
];
const PAPER = '#161b22';
const INK = '#e6edf3';
const FAINT = '#8b949e';

/** `command` as it was typed; lines that a shell would continue end in a backslash. */
export function terminalSvg({ command, output }: { command: string; output: string }): string {
  const typed: Run[][] = command.split('\n').map((line, index) => [
    { text: index === 0 ? '$ ' : '  ', colour: null, bold: false, faint: true },
    { text: line, colour: null, bold: true, faint: false },
  ]);
  const lines = [...typed, [], ...linesOf(output.trimEnd())];
  const columns = Math.max(...lines.map(lengthOf));
  const width = Math.ceil(columns * COLUMN) + 2 * PADDING;
  const height = BAR + lines.length * LINE + 2 * PADDING - (LINE - FONT);
  const title = escapeXml(`${command.split('\n').join(' ').replaceAll('\\ ', '')}`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${title}">
<title>${title}</title>
<rect width="${width}" height="${height}" rx="8" fill="${PAPER}"/>
<g fill="${FAINT}"><circle cx="18" cy="17" r="5"/><circle cx="36" cy="17" r="5"/><circle cx="54" cy="17" r="5"/></g>
<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="${FONT}" fill="${INK}">
${lines
  .map(drawLine)
  .filter((line) => line !== '')
  .join('\n')}
</g>
</svg>
`;
}

const lengthOf = (runs: readonly Run[]): number =>
  runs.reduce((sum, { text }) => sum + [...text].length, 0);

function drawLine(runs: readonly Run[], index: number): string {
  const y = BAR + PADDING + index * LINE + FONT - 4;
  let column = 0;
  const spans = runs.flatMap((run) => {
    const start = column;
    column += [...run.text].length;
    return piecesOf(run.text).map(({ text, at }) => drawPiece({ ...run, text }, start + at));
  });
  const drawn = spans.join('');
  return drawn === '' ? '' : `<text y="${y}">${drawn}</text>`;
}

/** Text with where it begins: browsers draw several spaces as one, so none of them is left to draw. */
const piecesOf = (text: string): { text: string; at: number }[] =>
  [...text.matchAll(/\S+(?: \S+)*/g)].map(({ 0: piece, index }) => ({
    text: piece,
    at: [...text.slice(0, index)].length,
  }));

/** A piece is drawn as wide as its columns, whatever the font. */
function drawPiece({ text, colour, bold, faint }: Run, column: number): string {
  const [x, width] = [PADDING + column * COLUMN, [...text].length * COLUMN];
  const fill = colour === null ? (faint ? FAINT : undefined) : COLOURS[colour];
  const attributes = [
    `x="${round(x)}" textLength="${round(width)}"`,
    ...(fill === undefined ? [] : [`fill="${fill}"`]),
    ...(bold ? ['font-weight="bold"'] : []),
  ];
  return `<tspan ${attributes.join(' ')}>${escapeXml(text)}</tspan>`;
}

const round = (value: number): string => String(Math.round(value * 10) / 10);
