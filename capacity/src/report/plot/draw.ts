import { drawBar } from './bar';
import { SERIES_COLOURS, type Chart, type LineChart, type LineSeries } from './chart';
import { drawHeat } from './heat';
import { drawLine, LINE_HEIGHT, LINE_WIDTH } from './line';
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

/** The chart as a file of its own: it carries its style, and names its series. */
export function drawChartFile(chart: Chart): string {
  const legend =
    chart.kind === 'line' && chart.series.length > 1
      ? `<desc>${chart.series.map((s) => s.label.replace(/[<>&]/g, '')).join(', ')}</desc>`
      : '';
  return drawChart(chart).replace(/>/, `>${legend}<style>${PLOT_STYLE}</style>`);
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

function captionedHeight(chart: LineChart): number {
  const named = namedSeries(chart).length;
  return TITLE_HEIGHT + LINE_HEIGHT + named * LEGEND_LINE + (named > 0 ? 8 : 0);
}

function captioned(chart: LineChart, above: number): string[] {
  const top = above + TITLE_HEIGHT;
  const legend = namedSeries(chart).map(({ label }, index) => {
    const y = top + LINE_HEIGHT + 12 + index * LEGEND_LINE;
    const colour = `s${String(index % SERIES_COLOURS)}`;
    return (
      element('path', { class: `curve ${colour}`, d: `M${String(LEGEND_LEFT)} ${String(y)}h18` }) +
      element('text', { x: LEGEND_LEFT + 26, y: y + 4 }, escapeXml(label))
    );
  });
  const title = element(
    'text',
    { x: LEGEND_LEFT, y: above + 15, 'font-weight': 'bold' },
    escapeXml(chart.title),
  );
  return [
    title,
    drawLine(chart).replace('<svg', `<svg y="${String(top)}" height="${String(LINE_HEIGHT)}"`),
    ...legend,
  ];
}
