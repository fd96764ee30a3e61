// A terminal as a picture: a command and what it printed, in columns whatever the font of the reader.
import { escapeXml } from '../../cli/src/report/plot/svg';
import { linesOf, type Run } from './ansi';

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

/** As wide as its columns, whatever the font. */
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
