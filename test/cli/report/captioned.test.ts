import { drawCaptioned, drawChartFile } from '../../../cli/src/report/plot/draw';
import { panelChart } from '../../../cli/src/run/report/panel-charts';

const panel = (unit: string, values: number[], labels = ['a <b>', 'c']) => ({
  ...{ board: 'B', title: 'Memory & more', kind: 'lines' as const, unit, meaning: 'm' },
  series: labels.map((label) => ({
    label,
    points: values.map((value, at): [number, number] => [at, value]),
  })),
});

test('a chart names the chart and each line, and makes room for them', () => {
  const two = drawCaptioned(panelChart(panel('short', [1, 2])));
  expect(two).toContain('Memory &amp; more</text>');
  expect(two).toContain('a &lt;b&gt;</text>');
  expect(two).toContain('viewBox="0 0 580 338"');
  const one = drawCaptioned(panelChart(panel('short', [1, 2], ['only'])));
  expect(one).not.toContain('only</text>');
  expect(one).toContain('viewBox="0 0 580 294"');
});

test('a file of one chart names its lines as well, so that it can be read without the page', () => {
  const two = drawChartFile(panelChart(panel('short', [1, 2])));
  expect(two).toMatch(/^<svg [^>]+viewBox="0 0 580 316"[^>]*><desc>a &lt;b&gt;, c<\/desc>/);
  expect(two).toContain('a &lt;b&gt;</text>');
  expect(two).toMatch(/<\/text><\/svg>$/);
  const one = drawChartFile(panelChart(panel('short', [1, 2], ['only'])));
  expect(one).not.toContain('only</text>');
  expect(one).toContain('viewBox="0 0 580 272"');
});

test.each([
  ['bytes', 3 * 1024 * 1024, 'memory (MiB)', 3],
  ['percentunit', 0.25, 'share (%)', 25],
  ['s', 0.05, 'time (ms)', 50],
  ['s', 5, 'time (s)', 5],
])('a chart shows %s of Grafana in a unit of ours', (unit, value, axis, shown) => {
  const chart = panelChart(panel(unit, [value]));
  expect(chart.series[0]?.points[0]?.[1]).toBeCloseTo(shown);
  expect(drawCaptioned(chart)).toContain(axis);
});
