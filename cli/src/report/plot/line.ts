import {
  axisTitle,
  colourOf,
  type Axis,
  type LineChart,
  type LineSeries,
  type XAxis,
} from './chart';
import { apart, textWidth, TICK_FONT, type Box } from './labels';
import { drawMark, drawMarkLabels, type Area } from './marks';
import { roundTicks, roundTop } from './scale';
import { element, escapeXml, round } from './svg';
import { formatNumber, percent } from '../../ui/numbers';

export const LINE_WIDTH = 580;
const LINE_HEIGHT = 272;
const LOW_HEIGHT = 190;
/** About the number of ticks that fit in the letters of a phone. */
const TICKS = 5;
const LOW_TICKS = 3;
const MIN_TICKS = 3;
const TICK_HEIGHT = 1.3 * TICK_FONT;
/** A large dot is twice as wide as the others. */
const LARGE = 'stroke-width:12';
/** The height of a second row of ticks. */
const ROW = 22;
/** Above lies the title of the y axis, below the ticks and the title of the x axis, in letters of any size. */
const MARGIN = { right: 24, top: 26, bottom: 54 };
const MIN_LEFT = 36;
const TICK_GAP = 6;

export const heightOf = ({ isLow, x }: LineChart): number =>
  (isLow === true ? LOW_HEIGHT : LINE_HEIGHT) + (x.share === undefined ? 0 : ROW);

const bottomOf = ({ x }: LineChart): number => MARGIN.bottom + (x.share === undefined ? 0 : ROW);

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
  const height = heightOf(chart);
  const areaHeight = height - MARGIN.top - bottomOf(chart);
  const y = scaleOf(
    chart.y,
    [...points.flatMap((p) => [p[1], p[3]]).filter((v) => v != null), ...markValues('y')],
    areaHeight,
    true,
    chart.isLow === true ? LOW_TICKS : TICKS,
  );
  const inner = areaBeside(y.ticks, areaHeight);
  const ends = chart.span === undefined ? [] : [chart.span.from, chart.span.to];
  const x = scaleOf(
    chart.x,
    [...points.map((p) => p[0]), ...markValues('x'), ...ends],
    inner.width,
    false,
    TICKS,
  );
  const marks = chart.marks ?? [];
  const placeOf = ({ axis, at }: (typeof marks)[number]): number =>
    axis === 'y' ? y.place(at) : x.place(at);

  // Dots lie on curves, and both on marks; the colour of a series is that of its place in the chart.
  const drawn = [...chart.series.entries()].sort(
    ([, one], [, other]) => Number(one.style === 'dots') - Number(other.style === 'dots'),
  );

  const area = element(
    'svg',
    {
      class: 'area',
      x: inner.left,
      y: inner.top,
      width: inner.width,
      height: inner.height,
      viewBox: `0 0 ${round(inner.width)} ${round(inner.height)}`,
      preserveAspectRatio: 'none',
      'data-x-low': x.low,
      'data-x-high': x.high,
      'data-x-scale': chart.x.scale ?? 'linear',
    },
    chart.span === undefined ? '' : drawSpan(chart.span, x, inner),
    ...marks.map((mark) => drawMark(mark, placeOf, inner)),
    ...drawn.map(([index, series]) => drawSeries(series, index, x, y)),
  );

  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      class: 'plot line',
      viewBox: `0 0 ${LINE_WIDTH} ${height}`,
      role: 'img',
      'aria-label': chart.title,
    },
    drawYAxis(chart.y, y, inner),
    drawXAxis(chart.x, x, inner, height),
    area,
    ...drawMarkLabels(marks, placeOf, inner, dotsOf(chart.series, x, y, inner)),
  );
}

/** Right of the labels of the ticks. */
function areaBeside(ticks: readonly number[], height: number): Area {
  const widest = Math.max(0, ...ticks.map((tick) => textWidth(formatNumber(tick), TICK_FONT)));
  const left = Math.max(MIN_LEFT, Math.ceil(widest) + TICK_GAP);
  return { left, top: MARGIN.top, width: LINE_WIDTH - left - MARGIN.right, height };
}

/** Across, as a phone draws one: its plots are small, and its dots are not. */
const DOT = 10;

const dotsOf = (series: readonly LineSeries[], x: Scale, y: Scale, { left, top }: Area): Box[] =>
  series
    .flatMap((one) => (one.style === 'dots' ? one.points : lonely(one.points)))
    .flatMap(([px, py]) =>
      py === null
        ? []
        : [
            {
              x: left + x.place(px) - DOT / 2,
              y: top + y.place(py) - DOT / 2,
              width: DOT,
              height: DOT,
            },
          ],
    );

function scaleOf(
  axis: Axis,
  values: number[],
  length: number,
  upward: boolean,
  wanted: number,
): Scale {
  const log = axis.scale === 'log';
  const finite = values.filter((v) => Number.isFinite(v) && (!log || v > 0));
  const min = finite.reduce((a, b) => Math.min(a, b), Infinity);
  const max = finite.reduce((a, b) => Math.max(a, b), -Infinity);
  const empty = finite.length === 0;
  const low = axis.min ?? (empty ? (log ? 1 : 0) : log ? min : upward ? Math.min(0, min) : min);
  let high = axis.max ?? (empty ? 1 : upward && !log ? roundTop(max, wanted) : max);
  if (high <= low) high = log ? low * 10 : low + 1;
  const share = log
    ? (v: number) => Math.log(v / low) / Math.log(high / low)
    : (v: number) => (v - low) / (high - low);
  const place = (v: number) => (upward ? 1 - share(v) : share(v)) * length;
  const round = log ? logTicks(low, high, place) : roundTicks(low, high, wanted);
  // Counts have no halves.
  const ticks = finite.every(Number.isInteger) ? round.filter(Number.isInteger) : round;
  return { low, high, place, ticks };
}

/** 1, 2 and 5 times each power of ten; steps as of a linear axis where these are too few to read a value. */
function logTicks(low: number, high: number, place: Scale['place']): number[] {
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power++)
    for (const unit of [1, 2, 5]) {
      const tick = unit * 10 ** power;
      if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push(tick);
    }
  if (ticks.length < MIN_TICKS) return farApart(roundTicks(low, high, TICKS), place);
  return ticks.length > 8 ? ticks.filter((t) => Number.isInteger(Math.log10(t))) : ticks;
}

/** The upper of two ticks is left out where it would touch the one before. */
function farApart(ticks: readonly number[], place: Scale['place']): number[] {
  const kept: number[] = [];
  for (const tick of ticks) {
    const before = kept.at(-1);
    if (before === undefined || Math.abs(place(tick) - place(before)) >= TICK_HEIGHT) {
      kept.push(tick);
    }
  }
  return kept;
}

function drawSpan({ from, to }: { from: number; to: number }, x: Scale, { height }: Area): string {
  const [left, right] = [x.place(from), x.place(to)];
  return element('rect', { class: 'band s0', x: left, y: 0, width: right - left, height });
}

function drawSeries(series: LineSeries, index: number, x: Scale, y: Scale): string {
  const colour = colourOf(series, index);
  const parts: string[] = [];
  const band = series.points.filter((p) => p[2] !== undefined && p[3] !== undefined);
  if (band.length > 1) {
    const upper = band.map((p) => `${round(x.place(p[0]))},${round(y.place(p[3] ?? 0))}`);
    const lower = band.map((p) => `${round(x.place(p[0]))},${round(y.place(p[2] ?? 0))}`).reverse();
    parts.push(
      element('polygon', { class: `band ${colour}`, points: [...upper, ...lower].join(' ') }),
    );
  }
  for (const [px, py] of series.style === 'dots' ? series.points : lonely(series.points))
    if (py !== null)
      // A line of no length with round ends stays a round dot however the area is stretched.
      parts.push(
        element('path', {
          class: `dot ${colour}`,
          ...(series.isLarge === true ? { style: LARGE } : {}),
          d: `M${round(x.place(px))} ${round(y.place(py))}h0`,
        }),
      );
  if (series.style === 'dots') return parts.join('');
  const curve = `curve ${colour}${series.dashed ? ' dashed' : ''}`;
  const [only] = band;
  if (band.length === 1 && only !== undefined) {
    const [from, to] = [only[2], only[3]].map((end) => round(y.place(end ?? 0)));
    parts.push(element('path', { class: curve, d: `M${round(x.place(only[0]))} ${from}V${to}` }));
  }
  parts.push(element('path', { class: curve, d: path(series, x, y) }));
  return parts.join('');
}

/** Points without a neighbour, which a curve would not show. */
const lonely = (points: LineSeries['points']): LineSeries['points'] =>
  points.filter(
    ([, py], index) =>
      py !== null && points[index - 1]?.[1] == null && points[index + 1]?.[1] == null,
  );

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

function drawYAxis(axis: Axis, y: Scale, { left, top, width }: Area): string {
  const lines = y.ticks.map((tick) => {
    const at = top + y.place(tick);
    return (
      element('path', { class: 'grid', d: `M${String(left)} ${round(at)}h${String(width)}` }) +
      element('text', { x: left - TICK_GAP, y: at + 4, 'text-anchor': 'end' }, formatNumber(tick))
    );
  });
  const title = element(
    'text',
    { class: 'axis-title', x: left, y: top - 8 },
    escapeXml(axisTitle(axis)),
  );
  return element('g', { class: 'y-axis' }, ...lines, title);
}

function drawXAxis(
  axis: XAxis,
  x: Scale,
  { left, top, width, height }: Area,
  bottom: number,
): string {
  const inFrame = ({ text, at }: { text: string; at: number }) =>
    Math.min(at, LINE_WIDTH - textWidth(text, TICK_FONT) / 2);
  const ticks = x.ticks
    .map((tick) => ({ text: formatNumber(tick), value: tick, at: left + x.place(tick) }))
    .map((label) => ({ ...label, at: inFrame(label) }));
  const kept = apart(ticks, TICK_FONT);
  const rowOf = (name: string, y: number, texts: typeof kept): string[] =>
    texts.map(({ text, at }) =>
      element('text', { class: name, x: at, y, 'text-anchor': 'middle' }, text),
    );
  const labels = rowOf('x-tick', top + height + 26, kept);
  const { share } = axis;
  const shares =
    share === undefined
      ? []
      : rowOf(
          'x-share axis-title',
          top + height + 26 + ROW,
          apart(
            kept.map(({ value, at }) => ({
              text: percent(Math.round(100 * value * share.factor) / 100),
              value,
              at,
            })),
            TICK_FONT,
          ),
        );
  const title = element(
    'text',
    {
      class: 'axis-title',
      x: left + width / 2,
      y: bottom - 6,
      'text-anchor': 'middle',
    },
    escapeXml(axisTitle(axis)),
  );
  const rows = element('g', { class: 'x-ticks' }, ...labels);
  const more =
    share === undefined
      ? []
      : [element('g', { class: 'x-shares', 'data-factor': share.factor }, ...shares)];
  return element('g', { class: 'x-axis' }, rows, ...more, title);
}
