import type { BarChart } from './chart';
import { formatNumber, roundTop } from './scale';
import { element, escapeXml } from './svg';

const WIDTH = 720;
const ROW = 26;
const LABEL = 190;
const VALUE = 80;

/** Horizontal bars: labels of any length stay readable, also on a phone. */
export function drawBar(chart: BarChart): string {
  const top = roundTop(Math.max(0, ...chart.bars.map((b) => b.high ?? b.value)));
  const width = WIDTH - LABEL - VALUE;
  const rows = chart.bars.map((bar, index) => {
    const y = index * ROW;
    const length = (Math.max(0, bar.value) / top) * width;
    const parts = [
      element(
        'text',
        { x: LABEL - 8, y: y + 17, 'text-anchor': 'end' },
        escapeXml(shorten(bar.label, 28)),
      ),
      element('rect', { class: 'bar', x: LABEL, y: y + 4, width: length, height: ROW - 8, rx: 2 }),
    ];
    if (bar.low !== undefined && bar.high !== undefined) {
      const [from, to] = [bar.low, bar.high].map((v) => LABEL + (v / top) * width);
      parts.push(element('path', { class: 'whisker', d: `M${from} ${y + ROW / 2}H${to}` }));
    }
    const end = LABEL + Math.max(length, ((bar.high ?? 0) / top) * width) + 6;
    parts.push(
      element(
        'text',
        { class: 'value', x: end, y: y + 17 },
        escapeXml(`${formatNumber(bar.value)} ${chart.unit}`),
      ),
    );
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

const shorten = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1)}…`;
