import { drawBar } from './bar';
import type { Chart } from './chart';
import { drawHeat } from './heat';
import { drawLine } from './line';
import { PLOT_STYLE } from './style';

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
