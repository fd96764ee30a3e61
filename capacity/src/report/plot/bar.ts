import type { BarChart } from './chart';
import { textWidth, TICK_FONT } from './labels';
import { formatNumber, roundTop } from './scale';
import { element, escapeXml } from './svg';

const WIDTH = 720;
const ROW = 26;
const LABEL = 300;
const GAP = 6;

/** Horizontal bars: labels of any length stay readable, also on a phone. */
export function drawBar(chart: BarChart): string {
  const top = roundTop(Math.max(0, ...chart.bars.map((b) => b.high ?? b.value)));
  const valueOf = ({ value }: BarChart['bars'][number]): string =>
    `${formatNumber(value)} ${chart.unit}`.trimEnd();
  const widest = Math.max(0, ...chart.bars.map((bar) => textWidth(valueOf(bar), TICK_FONT)));
  const width = WIDTH - LABEL - Math.ceil(widest) - 2 * GAP;
  const rows = chart.bars.map((bar, index) => {
    const y = index * ROW;
    const length = (Math.max(0, bar.value) / top) * width;
    const parts = [
      element(
        'text',
        { x: LABEL - 8, y: y + 17, 'text-anchor': 'end' },
        escapeXml(fitting(bar.label, LABEL - 8)),
      ),
      element('rect', { class: 'bar', x: LABEL, y: y + 4, width: length, height: ROW - 8, rx: 2 }),
    ];
    if (bar.low !== undefined && bar.high !== undefined) {
      const [from, to] = [bar.low, bar.high].map((v) => LABEL + (v / top) * width);
      parts.push(element('path', { class: 'whisker', d: `M${from} ${y + ROW / 2}H${to}` }));
    }
    const end = LABEL + Math.max(length, ((bar.high ?? 0) / top) * width) + GAP;
    parts.push(element('text', { class: 'value', x: end, y: y + 17 }, escapeXml(valueOf(bar))));
    return parts.join('');
  });
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      class: 'plot bars',
      viewBox: `0 0 ${WIDTH} ${Math.max(1, chart.bars.length) * ROW + 4}`,
      role: 'img',
      'aria-label': chart.title,
    },
    ...rows,
  );
}

/** In the largest letters of a page, those of a phone. */
function fitting(label: string, width: number): string {
  if (textWidth(label, TICK_FONT) <= width) return label;
  let most = label.length;
  while (most > 1 && textWidth(`${label.slice(0, most)}…`, TICK_FONT) > width) most -= 1;
  return `${label.slice(0, most)}…`;
}
