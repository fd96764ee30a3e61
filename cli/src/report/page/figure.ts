import { axisTitle, colourOf, type Chart, type LineChart, type LineSeries } from '../plot/chart';
import { drawChart } from '../plot/draw';
import { escapeXml } from '../plot/svg';
import { cellsTable } from './page';
import { formatNumber } from '../../ui/numbers';

/** A plot with its legend, the data its hover reads, and the table behind it. */
export function figure(chart: Chart, heading: 'h2' | 'h3' = 'h3'): string {
  const head = `<${heading}>${escapeXml(chart.title)}</${heading}>`;
  const table = `<details><summary>Table</summary>${chartTable(chart)}</details>`;
  if (chart.kind !== 'line')
    return `<figure id="${chart.id}">${head}${drawChart(chart)}${table}</figure>`;
  return `<figure id="${chart.id}" class="zoomable">${head}${legend(chart)}${drawChart(chart)}<script type="application/json">${hoverData(chart)}</script>${table}</figure>`;
}

const legend = (chart: LineChart): string =>
  chart.series.length < 2
    ? ''
    : `<ul class="legend">${chart.series
        .map((s, i) => `<li><i class="${signOf(s, i)}"></i>${escapeXml(s.label)}</li>`)
        .join('')}</ul>`;

const signOf = (series: LineSeries, index: number): string =>
  [
    colourOf(series, index),
    ...(series.style === 'dots' ? ['dots'] : []),
    ...(series.dashed === true ? ['dashed'] : []),
    ...(series.isLarge === true ? ['large'] : []),
  ].join(' ');

const hoverData = (chart: LineChart): string =>
  JSON.stringify({
    unit: chart.y.unit ?? '',
    xUnit: chart.x.unit ?? '',
    series: chart.series.map((s) => ({
      label: s.label,
      points: s.points.map(([x, y]) => [short(x), y === null ? null : short(y)]),
    })),
  }).replace(/</g, '\\u003c');

const short = (value: number): number => Number(value.toPrecision(5));

function chartTable(chart: Chart): string {
  switch (chart.kind) {
    case 'line': {
      const xs = [...new Set(chart.series.flatMap((s) => s.points.map((p) => p[0])))].sort(
        (a, b) => a - b,
      );
      const columns = chart.series.map((s) => new Map(s.points.map((p) => [p[0], p[1]])));
      const cell = (value: number | null | undefined) =>
        value == null ? '-' : formatNumber(value);
      return cellsTable(
        [
          axisTitle(chart.x),
          ...chart.series.map((s) => `${s.label}${chart.y.unit ? ` (${chart.y.unit})` : ''}`),
        ],
        xs.map((x) => [formatNumber(x), ...columns.map((c) => cell(c.get(x)))]),
      );
    }
    case 'bar':
      return cellsTable(
        ['', chart.unit === '' ? 'value' : chart.unit],
        chart.bars.map((b) => [
          b.note === undefined ? b.label : `${b.label} (${b.note})`,
          b.low === undefined || b.high === undefined
            ? formatNumber(b.value)
            : `${formatNumber(b.value)} (${formatNumber(b.low)} to ${formatNumber(b.high)})`,
        ]),
      );
    case 'heat':
      return cellsTable(
        [`${chart.y.label} \\ ${chart.x.label}`, ...chart.x.values],
        chart.y.values.map((y, r) => [
          y,
          ...(chart.cells[r] ?? []).map((v) => (v === null ? '-' : formatNumber(v))),
        ]),
      );
  }
}
