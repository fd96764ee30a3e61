import type { CompareRecord } from '../../record/compare-record';
import type { DrillRecord } from '../../record/drill-record';
import type { FindRecord } from '../../record/find-record';
import type { RunRecord } from '../../record/record';
import type { Chart } from '../plot/chart';
import { escapeXml } from '../plot/svg';
import type { Figure } from '../text/units';
import { figure } from './figure';

export const list = (title: string, items: readonly string[]): string =>
  items.length === 0
    ? ''
    : `<h2>${title}</h2><ul>${items.map((i) => `<li>${escapeXml(i)}</li>`).join('')}</ul>`;

/** The figures that are read first, side by side. */
export const summary = (figures: readonly Figure[]): string =>
  `<dl class="summary">${figures
    .map(({ name, value }) => `<div><dt>${escapeXml(name)}</dt><dd>${escapeXml(value)}</dd></div>`)
    .join('')}</dl>`;

/** Plots side by side. */
export const plots = (charts: readonly Chart[]): string =>
  `<div class="plots">${charts.map(figure).join('\n')}</div>`;

/** The one plot that is read first, or what there is, and all others. */
export function firstPlot(
  charts: readonly Chart[],
  id: string,
): { first: string; rest: readonly Chart[] } {
  const first = charts.find((chart) => chart.id === id) ?? charts[0];
  return {
    first: first === undefined ? '' : `<h2>In one picture</h2>${figure(first)}`,
    rest: charts.filter((chart) => chart !== first),
  };
}

/** What was measured, exactly: enough to build it again. */
export function layoutRows(record: RunRecord | FindRecord | DrillRecord): string[][] {
  return [
    ['Target', `${record.target.kind}, ${record.target.url}`],
    ...Object.entries('server' in record.target ? (record.target.server ?? {}) : {})
      .filter(([name, value]) => name !== 'url' && !isEmpty(value))
      .map(([name, value]) => [`Server: ${name}`, inWords(value)]),
    ...measuredRows(record),
    ...Object.entries(record.topology ?? {})
      .filter(([, value]) => value !== undefined && !isEmpty(value))
      .map(([key, value]) => [`Topology: ${key}`, inWords(value)]),
  ];
}

/** All but where it ran and how that was laid out. */
export function measuredRows(
  record: RunRecord | FindRecord | CompareRecord | DrillRecord,
): string[][] {
  const { machine, workload } = record;
  const parameters = Object.entries(workload.parameters).map(([k, v]) => `${k}=${v}`);
  return [
    ['Workload', [workload.name, workload.variant, ...parameters].filter(Boolean).join(', ')],
    ['SLO', record.slo.length === 0 ? 'none given' : record.slo.map((s) => s.text).join(', ')],
    ['Machine', `${machine.cpu}, ${machine.cores} cores, ${machine.memoryMiB} MiB, ${machine.os}`],
    ...Object.entries(record.versions).map(([name, version]) => [`Version of ${name}`, version]),
    ['Record', record.id],
  ];
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

export function inWords(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .filter(([, part]) => !isEmpty(part))
    .map(
      ([key, part]) => `${key} ${typeof part === 'object' ? JSON.stringify(part) : String(part)}`,
    )
    .join(', ');
}
