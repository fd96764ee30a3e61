import { axisTitle, SERIES_COLOURS, type Axis, type LineChart, type LineSeries } from './chart';
import { formatNumber, roundTicks, roundTop } from './scale';
import { element, escapeXml, round } from './svg';

export const LINE_WIDTH = 720;
export const LINE_HEIGHT = 280;
const MARGIN = { left: 58, right: 14, top: 12, bottom: 42 };
const INNER = {
  width: LINE_WIDTH - MARGIN.left - MARGIN.right,
  height: LINE_HEIGHT - MARGIN.top - MARGIN.bottom,
};

interface Scale {
  low: number;
  high: number;
  ticks: number[];
  place: (value: number) => number;
}

/**
 * A line chart as SVG. The curves lie in a nested <svg class="area"> whose viewBox is the plot area,
 * so that the page's script zooms by changing one attribute.
 */
export function drawLine(chart: LineChart): string {
  const points = chart.series.flatMap((s) => s.points);
  const markValues = (axis: 'x' | 'y') =>
    (chart.marks ?? []).filter((m) => m.axis === axis).map((m) => m.at);
  const x = scaleOf(chart.x, [...points.map((p) => p[0]), ...markValues('x')], INNER.width, false);
  const y = scaleOf(
    chart.y,
    [...points.flatMap((p) => [p[1], p[3]]).filter((v) => v != null), ...markValues('y')],
    INNER.height,
    true,
  );

  const area = element(
    'svg',
    {
      class: 'area',
      x: MARGIN.left,
      y: MARGIN.top,
      width: INNER.width,
      height: INNER.height,
      viewBox: `0 0 ${INNER.width} ${INNER.height}`,
      preserveAspectRatio: 'none',
      'data-x-low': x.low,
      'data-x-high': x.high,
      'data-x-scale': chart.x.scale ?? 'linear',
    },
    ...chart.series.map((series, index) => drawSeries(series, index, x, y)),
    ...(chart.marks ?? []).map((mark) => drawMark(mark, x, y)),
  );

  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      class: 'plot line',
      viewBox: `0 0 ${LINE_WIDTH} ${LINE_HEIGHT}`,
      role: 'img',
      'aria-label': chart.title,
    },
    drawYAxis(chart.y, y),
    drawXAxis(chart.x, x),
    area,
    ...(chart.marks ?? []).map((mark) => drawMarkLabel(mark, x, y)),
  );
}

function scaleOf(axis: Axis, values: number[], length: number, upward: boolean): Scale {
  const log = axis.scale === 'log';
  const finite = values.filter((v) => Number.isFinite(v) && (!log || v > 0));
  const least = finite.reduce((a, b) => Math.min(a, b), Infinity);
  const most = finite.reduce((a, b) => Math.max(a, b), -Infinity);
  const empty = finite.length === 0;
  const low =
    axis.min ?? (empty ? (log ? 1 : 0) : log ? least : upward ? Math.min(0, least) : least);
  let high = axis.max ?? (empty ? 1 : upward && !log ? roundTop(most) : most);
  if (high <= low) high = log ? low * 10 : low + 1;
  const share = log
    ? (v: number) => Math.log(v / low) / Math.log(high / low)
    : (v: number) => (v - low) / (high - low);
  const place = (v: number) => (upward ? 1 - share(v) : share(v)) * length;
  return { low, high, place, ticks: log ? logTicks(low, high) : roundTicks(low, high) };
}

function logTicks(low: number, high: number): number[] {
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power++)
    for (const unit of [1, 2, 5]) {
      const tick = unit * 10 ** power;
      if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push(tick);
    }
  return ticks.length > 8 ? ticks.filter((t) => Number.isInteger(Math.log10(t))) : ticks;
}

function drawSeries(series: LineSeries, index: number, x: Scale, y: Scale): string {
  const colour = `s${index % SERIES_COLOURS}`;
  const parts: string[] = [];
  const band = series.points.filter((p) => p[2] !== undefined && p[3] !== undefined);
  if (band.length > 1) {
    const upper = band.map((p) => `${round(x.place(p[0]))},${round(y.place(p[3] ?? 0))}`);
    const lower = band.map((p) => `${round(x.place(p[0]))},${round(y.place(p[2] ?? 0))}`).reverse();
    parts.push(
      element('polygon', { class: `band ${colour}`, points: [...upper, ...lower].join(' ') }),
    );
  }
  if (series.style === 'dots') {
    for (const [px, py] of series.points)
      if (py !== null)
        // A line of no length with round ends stays a round dot however the area is stretched.
        parts.push(
          element('path', {
            class: `dot ${colour}`,
            d: `M${round(x.place(px))} ${round(y.place(py))}h0`,
          }),
        );
    return parts.join('');
  }
  const d = path(series, x, y);
  if (series.style === 'area' && d !== '')
    parts.push(element('path', { class: `fill ${colour}`, d: closed(series, x, y) }));
  parts.push(element('path', { class: `curve ${colour}${series.dashed ? ' dashed' : ''}`, d }));
  return parts.join('');
}

/** Gaps stay gaps: a missing value ends one stretch and the next value begins another. */
function path(series: LineSeries, x: Scale, y: Scale): string {
  let d = '';
  let pen = false;
  for (const [px, py] of series.points) {
    if (py === null) {
      pen = false;
      continue;
    }
    const [sx, sy] = [round(x.place(px)), round(y.place(py))];
    d += pen ? (series.style === 'step' ? `H${sx}V${sy}` : `L${sx} ${sy}`) : `M${sx} ${sy}`;
    pen = true;
  }
  return d;
}

function closed(series: LineSeries, x: Scale, y: Scale): string {
  const known = series.points.filter((p) => p[1] !== null);
  const [first, last] = [known[0], known[known.length - 1]];
  if (!first || !last) return '';
  const floor = round(y.place(y.low));
  return `M${round(x.place(first[0]))} ${floor}${path({ ...series, points: known }, x, y).replace('M', 'L')}L${round(x.place(last[0]))} ${floor}Z`;
}

type Mark = NonNullable<LineChart['marks']>[number];

function drawMark(mark: Mark, x: Scale, y: Scale): string {
  const at = round(mark.axis === 'y' ? y.place(mark.at) : x.place(mark.at));
  const d = mark.axis === 'y' ? `M0 ${at}H${INNER.width}` : `M${at} 0V${INNER.height}`;
  return element('path', { class: 'mark', d });
}

function drawMarkLabel(mark: Mark, x: Scale, y: Scale): string {
  const [tx, ty] =
    mark.axis === 'y'
      ? [MARGIN.left + INNER.width - 4, MARGIN.top + y.place(mark.at) - 4]
      : [MARGIN.left + x.place(mark.at) + 4, MARGIN.top + 11];
  const anchor = mark.axis === 'y' ? 'end' : 'start';
  return element(
    'text',
    { class: 'mark-label', x: tx, y: ty, 'text-anchor': anchor },
    escapeXml(mark.label),
  );
}

function drawYAxis(axis: Axis, y: Scale): string {
  const lines = y.ticks.map((tick) => {
    const at = MARGIN.top + y.place(tick);
    return (
      element('path', { class: 'grid', d: `M${MARGIN.left} ${round(at)}h${INNER.width}` }) +
      element('text', { x: MARGIN.left - 6, y: at + 4, 'text-anchor': 'end' }, formatNumber(tick))
    );
  });
  const middle = MARGIN.top + INNER.height / 2;
  const title = element(
    'text',
    {
      class: 'axis-title',
      transform: `translate(13 ${round(middle)}) rotate(-90)`,
      'text-anchor': 'middle',
    },
    escapeXml(axisTitle(axis)),
  );
  return element('g', { class: 'y-axis' }, ...lines, title);
}

function drawXAxis(axis: Axis, x: Scale): string {
  const labels = x.ticks.map((tick) =>
    element(
      'text',
      {
        class: 'x-tick',
        x: MARGIN.left + x.place(tick),
        y: LINE_HEIGHT - MARGIN.bottom + 16,
        'text-anchor': 'middle',
      },
      formatNumber(tick),
    ),
  );
  const title = element(
    'text',
    {
      class: 'axis-title',
      x: MARGIN.left + INNER.width / 2,
      y: LINE_HEIGHT - 6,
      'text-anchor': 'middle',
    },
    escapeXml(axisTitle(axis)),
  );
  return element('g', { class: 'x-axis' }, element('g', { class: 'x-ticks' }, ...labels), title);
}
