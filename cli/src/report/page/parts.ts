import type { Machine, RunRecord } from '../../record/run-record';
import type { RecordedWorkload } from '../../plan/recorded';
import type { Topology } from '../../plan/topology';
import type { Chart } from '../plot/chart';
import { escapeXml } from '../plot/svg';
import { utc, type Figure } from '../text/units';
import { figure } from './figure';

/** Beneath the headline: the workload in words, its request, and when it was measured. */
export function subtitle(
  { workload, startedAt }: Pick<RunRecord, 'workload' | 'startedAt'>,
  ...more: readonly string[]
): string {
  const { title, method, path } = workload;
  const request = `${method} ${path}`;
  // A request of your own has itself for a title.
  const named = title === request ? [title] : [title, request];
  return `<p class="faint">${escapeXml([...named, ...more, utc(startedAt)].join(', '))}</p>`;
}

export const list = (title: string, items: readonly string[]): string =>
  items.length === 0
    ? ''
    : `<h2>${title}</h2><ul>${items.map((i) => `<li>${escapeXml(i)}</li>`).join('')}</ul>`;

/** The figures that are read first, side by side. */
export const summary = (figures: readonly Figure[]): string =>
  `<dl class="summary">${figures
    .map(({ name, value }) => `<div><dt>${escapeXml(name)}</dt><dd>${escapeXml(value)}</dd></div>`)
    .join('')}</dl>`;

/** What the words in a table mean. */
export const terms = (meanings: readonly Figure[]): string =>
  meanings.length === 0
    ? ''
    : `<ul class="terms">${meanings
        .map(
          ({ name, value }) => `<li><strong>${escapeXml(name)}</strong>: ${escapeXml(value)}</li>`,
        )
        .join('')}</ul>`;

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

/** What every record says of how it was measured. */
type MeasuredRecord = Pick<RunRecord, 'id' | 'workload' | 'slo' | 'machine' | 'versions'>;

/** What was measured, exactly: enough to build it again. */
export function layoutRows(
  record: MeasuredRecord &
    Pick<RunRecord, 'topology'> & { target: Pick<RunRecord['target'], 'kind' | 'url' | 'server'> },
): string[][] {
  return [
    ['Target', `${record.target.kind}, ${record.target.url}`],
    ...Object.entries(record.target.server ?? {})
      .filter(([name, value]) => name !== 'url' && !isEmpty(value))
      .map(([name, value]) => [`Server: ${name}`, inWords(value)]),
    ...measuredRows(record),
    ...topologyRows(record.topology),
  ];
}

export const topologyRows = (topology: Topology | null): string[][] =>
  Object.entries(topology ?? {})
    .filter(([, value]) => value !== undefined && !isEmpty(value))
    .map(([key, value]) => [`Topology: ${key}`, inWords(value)]);

/** All but where it ran and how that was laid out. */
export function measuredRows(record: MeasuredRecord): string[][] {
  return [
    ['Workload', workloadText(record.workload)],
    sloRow(record.slo.map(({ text }) => text)),
    ['Machine', machineText(record.machine)],
    ...Object.entries(record.versions).map(([name, version]) => [`Version of ${name}`, version]),
    ['Record', record.id],
  ];
}

export function workloadText({ name, variant, parameters }: RecordedWorkload): string {
  const given = Object.entries(parameters).map(([key, value]) => `${key}=${String(value)}`);
  return [name, variant, ...given].filter(Boolean).join(', ');
}

export const sloRow = (slo: readonly string[]): string[] => [
  'SLO',
  slo.length === 0 ? 'none given' : slo.join(', '),
];

export const machineText = ({ cpu, cores, memoryMiB, os }: Machine): string =>
  `${cpu}, ${String(cores)} cores, ${String(memoryMiB)} MiB, ${os}`;

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
