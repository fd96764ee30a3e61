import type { Bar, BarChart } from './chart';
import { fits, fitting, textWidth, TICK_FONT } from './labels';
import { roundTop } from './scale';
import { element, escapeXml } from './svg';
import { withUnit } from '../../ui/numbers';

const WIDTH = 580;
const GAP = 6;
const BAR = 18;

/** Positions in a row: names stand beside their bars, or above if one is too long. */
interface Layout {
  row: number;
  /** Room for a name. */
  name: number;
  nameAt: { x: number; y: number; 'text-anchor'?: string };
  left: number;
  barAt: number;
}

const MAX_NAME = 252;

/** Bars begin where the longest name ends. */
function beside(bars: readonly Bar[]): Layout {
  const name = Math.max(0, ...bars.map(({ label }) => Math.ceil(textWidth(label, TICK_FONT))));
  return {
    ...{ row: 26, name, left: name + 8, barAt: 4 },
    nameAt: { x: name, y: 17, 'text-anchor': 'end' },
  };
}
const ABOVE: Layout = { row: 48, name: WIDTH, left: 0, barAt: 25, nameAt: { x: 0, y: 17 } };

/** Horizontal bars: names of any length stay readable, also on a phone. */
export function drawBar(chart: BarChart): string {
  const layout = chart.bars.every(({ label }) => fits(label, MAX_NAME))
    ? beside(chart.bars)
    : ABOVE;
  const { left, row, barAt } = layout;
  const top = roundTop(Math.max(0, ...chart.bars.map((b) => b.high ?? b.value)));
  const unit = chart.unit === 'requests per second' ? '/s' : chart.unit;
  const valueOf = ({ value, note }: Bar): string =>
    [withUnit(value, unit), ...(note === undefined ? [] : [note])].join(': ');
  const widest = Math.max(0, ...chart.bars.map((bar) => textWidth(valueOf(bar), TICK_FONT)));
  const width = WIDTH - left - Math.ceil(widest) - 2 * GAP;
  const rows = chart.bars.map((bar, index) => {
    const y = index * row;
    const middle = y + barAt + BAR / 2;
    const length = (Math.max(0, bar.value) / top) * width;
    const { nameAt, name } = layout;
    const parts = [
      element('text', { ...nameAt, y: y + nameAt.y }, escapeXml(fitting(bar.label, name))),
      element('rect', {
        ...{ class: bar.isChosen === true ? 'bar chosen' : 'bar', x: left, y: y + barAt },
        ...{ width: length, height: BAR, rx: 2 },
      }),
    ];
    if (bar.low !== undefined && bar.high !== undefined) {
      const [from, to] = [bar.low, bar.high].map((v) => left + (v / top) * width);
      parts.push(element('path', { class: 'whisker', d: `M${from} ${middle}H${to}` }));
    }
    const end = left + Math.max(length, ((bar.high ?? 0) / top) * width) + GAP;
    parts.push(element('text', { class: 'value', x: end, y: middle + 4 }, escapeXml(valueOf(bar))));
    return parts.join('');
  });
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      class: 'plot bars',
      viewBox: `0 0 ${WIDTH} ${Math.max(1, chart.bars.length) * row + 4}`,
      role: 'img',
      'aria-label': chart.title,
    },
    ...rows,
  );
}
