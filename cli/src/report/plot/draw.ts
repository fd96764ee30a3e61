import { drawBar } from './bar';
import { colourOf, type Chart, type LineChart, type LineSeries } from './chart';
import { drawHeat } from './heat';
import { drawLine, heightOf, LINE_WIDTH } from './line';
import { PLOT_STYLE } from './style';
import { element, escapeXml } from './svg';

/** The chart as an SVG element whose colours come from the page around it. */
export function drawChart(chart: Chart): string {
  switch (chart.kind) {
    case 'line':
      return drawLine(chart);
    case 'bar':
      return drawBar(chart);
    case 'heat':
      return drawHeat(chart);
  }
}

/** The chart as a file of its own: it carries its style, and names its series below. */
export function drawChartFile(chart: Chart): string {
  const style = `<style>${PLOT_STYLE}</style>`;
  const drawn = drawChart(chart);
  if (chart.kind !== 'line' || namedSeries(chart).length === 0)
    return drawn.replace('>', `>${style}`);
  const names = chart.series.map(({ label }) => escapeXml(label)).join(', ');
  const height = heightOf(chart);
  const sizeOf = (high: number) => `viewBox="0 0 ${String(LINE_WIDTH)} ${String(high)}"`;
  return drawn
    .replace(sizeOf(height), () => sizeOf(height + legendHeight(chart)))
    .replace('>', () => `><desc>${names}</desc>${style}`)
    .replace(/<\/svg>$/, () => `${legendOf(chart, height).join('')}</svg>`);
}

const LEGEND_LINE = 18;
const LEGEND_LEFT = 58;

/** Charts one below the other, each with its title above and its legend below, for a page that shows the file and nothing beside it. */
export function drawCaptioned(...charts: readonly LineChart[]): string {
  const heights = charts.map(captionedHeight);
  const height = heights.reduce((sum, one) => sum + one, 0);
  let top = 0;
  const drawn = charts.map((chart, index) => {
    const parts = captioned(chart, top);
    top += heights[index] ?? 0;
    return parts;
  });
  const whole = element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      class: 'plot',
      viewBox: `0 0 ${String(LINE_WIDTH)} ${String(height)}`,
      role: 'img',
      'aria-label': charts.map(({ title }) => title).join('; '),
    },
    `<style>${PLOT_STYLE}</style>`,
    ...drawn.flat(),
  );
  return `${whole}\n`;
}

const TITLE_HEIGHT = 22;

const namedSeries = ({ series }: LineChart): LineSeries[] => (series.length > 1 ? series : []);

function legendHeight(chart: LineChart): number {
  const named = namedSeries(chart).length;
  return named === 0 ? 0 : named * LEGEND_LINE + 8;
}

const captionedHeight = (chart: LineChart): number =>
  TITLE_HEIGHT + heightOf(chart) + legendHeight(chart);

/** One line per series, with the dots or the dashes that it has in the chart. */
const legendOf = (chart: LineChart, top: number): string[] =>
  namedSeries(chart).map((series, index) => {
    const { label, style, dashed } = series;
    const y = top + 12 + index * LEGEND_LINE;
    const colour = `${colourOf(series, index)}${dashed === true ? ' dashed' : ''}`;
    const sign =
      style === 'dots'
        ? { class: `dot ${colour}`, d: `M${String(LEGEND_LEFT + 9)} ${String(y)}h0` }
        : { class: `curve ${colour}`, d: `M${String(LEGEND_LEFT)} ${String(y)}h18` };
    return (
      element('path', sign) + element('text', { x: LEGEND_LEFT + 26, y: y + 4 }, escapeXml(label))
    );
  });

function captioned(chart: LineChart, above: number): string[] {
  const top = above + TITLE_HEIGHT;
  const title = element(
    'text',
    { x: LEGEND_LEFT, y: above + 15, 'font-weight': 'bold' },
    escapeXml(chart.title),
  );
  return [
    title,
    drawLine(chart).replace('<svg', `<svg y="${String(top)}" height="${String(heightOf(chart))}"`),
    ...legendOf(chart, top + heightOf(chart)),
  ];
}
