/** What a dashboard shows, before it becomes Grafana's JSON. */
export interface PanelSpec {
  title: string;
  kind: 'lines' | 'number';
  /** A unit of Grafana's: https://grafana.com/docs/grafana/latest/panels-visualizations/configure-standard-options/ */
  unit: 'short' | 's' | 'bytes' | 'percentunit' | 'reqps' | 'ops' | 'cps';
  queries: readonly Query[];
  meaning: string;
  whenBad: string;
  /** From which value on the panel is yellow, and from which it is red. */
  bounds?: readonly [warning: number, critical: number];
  max?: number;
}

export interface Query {
  expr: string;
  legend: string;
}

export interface RowSpec {
  title: string;
  panels: readonly PanelSpec[];
}

export interface DashboardSpec {
  uid: `n8n-${string}`;
  title: string;
  description: string;
  rows: readonly RowSpec[];
}

/** Selects by the variables of the dashboard. */
export const chosen = (metric: string, ...matchers: string[]): string =>
  `${metric}{${['namespace=~"$namespace"', 'release=~"$release"', ...matchers].join(',')}}`;

export const rateOf = (metric: string, ...matchers: string[]): string =>
  `rate(${chosen(metric, ...matchers)}[$__rate_interval])`;

/** A process in a legend. */
export const PROCESS = '{{role}} {{pod}} {{instance}}';
const BY_PROCESS = 'role, pod, instance';

export const sumOf = (expression: string, by = ''): string =>
  by === '' ? `sum(${expression})` : `sum by (${by}) (${expression})`;

export const perProcess = (expression: string): string => sumOf(expression, BY_PROCESS);

/** Each main has the figures of the whole queue. */
export const ofQueue = (metric: string): string => `max(${chosen(metric)})`;

/** What no series is made for before it happens the first time. */
export const orZero = (expression: string): string => `(${expression}) or vector(0)`;

export const quantile = (share: number, bucket: string, by = ''): string =>
  `histogram_quantile(${String(share)}, sum by (${['le', by].filter(Boolean).join(', ')}) (${rateOf(bucket)}))`;
