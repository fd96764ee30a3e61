import type { HeatMap } from './chart';
import { fitting, textWidth, TICK_FONT } from './labels';
import { element, escapeXml } from './svg';
import { formatNumber } from '../../ui/numbers';

const WIDTH = 580;
/** Room for the names of the rows; longer ones end with an ellipsis. */
const [MIN_LABEL, MAX_LABEL] = [110, 252];
const ROW = 34;
const HEAD = 28;
const GAP = 8;
/** Two lines, since the letters of a phone are large. */
const LINE = 24;
const FOOT = 2 * LINE + 2;

/** Two dimensions at once; each cell carries its figure, so that colour is never the only sign. */
export function drawHeat(chart: HeatMap): string {
  const known = chart.cells.flat().filter((v): v is number => v !== null);
  const [min, max] = [Math.min(...known), Math.max(...known)];
  const share = (v: number) => (max > min ? (v - min) / (max - min) : 0.5);
  const columns = Math.max(1, chart.x.values.length);
  const widest = Math.max(0, ...chart.y.values.map((name) => textWidth(name, TICK_FONT)));
  const label = Math.min(MAX_LABEL, Math.max(MIN_LABEL, Math.ceil(widest) + GAP));
  const cellWidth = (WIDTH - label) / columns;
  const cells = chart.cells.flatMap((row, r) =>
    row.map((value, c) => {
      const [x, y] = [label + c * cellWidth, HEAD + r * ROW];
      const box = { x: x + 1, y: y + 1, width: cellWidth - 2, height: ROW - 2, rx: 2 };
      const text = { x: x + cellWidth / 2, y: y + ROW / 2 + 4, 'text-anchor': 'middle' };
      if (value === null)
        return element('rect', { class: 'cell none', ...box }) + element('text', text, '–');
      const strength = share(value);
      return (
        element('rect', { class: 'cell', 'fill-opacity': 0.12 + 0.78 * strength, ...box }) +
        element(
          'text',
          { class: strength > 0.55 ? 'on-dark' : 'on-light', ...text },
          formatNumber(value),
        )
      );
    }),
  );
  const columnLabels = chart.x.values.map((v, c) =>
    element(
      'text',
      { x: label + (c + 0.5) * cellWidth, y: HEAD - 8, 'text-anchor': 'middle' },
      escapeXml(v),
    ),
  );
  const rowLabels = chart.y.values.map((v, r) =>
    element(
      'text',
      { x: label - GAP, y: HEAD + r * ROW + ROW / 2 + 4, 'text-anchor': 'end' },
      escapeXml(fitting(v, label - GAP)),
    ),
  );
  const height = HEAD + chart.y.values.length * ROW + FOOT;
  const captions = [`${chart.x.label} across, ${chart.y.label} down`, chart.unit];
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      class: 'plot heat',
      viewBox: `0 0 ${WIDTH} ${height}`,
      role: 'img',
      'aria-label': chart.title,
    },
    ...columnLabels,
    ...rowLabels,
    ...cells,
    ...captions.map((caption, line) =>
      element(
        'text',
        {
          class: 'axis-title',
          x: label + (WIDTH - label) / 2,
          y: height - 8 - (captions.length - 1 - line) * LINE,
          'text-anchor': 'middle',
        },
        escapeXml(caption),
      ),
    ),
  );
}
