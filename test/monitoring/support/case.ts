/** Series and what an alert makes of them. Values are promtool's: `0+10x60` is 0, 10, 20, ... 600, a minute each. */
export interface Case {
  series: Record<string, string>;
  atMinute: number;
}

export interface Firing extends Case {
  /** Beside severity, namespace and release. */
  labels?: Record<string, string>;
  summary: string;
}

export interface AlertCases {
  fires: readonly Firing[];
  silent: readonly Case[];
}

export type CasesByAlert = Record<string, AlertCases>;

const selector = (labels: Record<string, string>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',');

export const whose = { namespace: 'n8n', release: 'n8n' };

const process = (role: string, number: number): Record<string, string> => ({
  role,
  instance: `${role}-${String(number)}:5678`,
  pod: `n8n-n8n-tuned-${role}-${String(number)}`,
});
export const main = process('main', 1);
export const otherMain = process('main', 2);
export const worker = process('worker', 1);
export const otherWorker = process('worker', 2);
export const webhook = process('webhook', 1);

/** A series of a process of n8n, as a Prometheus has it after the chart's PodMonitor. */
export const of = (
  metric: string,
  from: Record<string, string>,
  more: Record<string, string> = {},
): string => `${metric}{${selector({ ...whose, ...from, ...more })}}`;

/** A series about a container of a worker. */
export const container = (metric: string, more: Record<string, string> = {}): string =>
  `${metric}{${selector({ namespace: 'n8n', pod: worker['pod'] ?? '', container: 'n8n', ...more })}}`;

export const any = (metric: string, labels: Record<string, string>): string =>
  `${metric}{${selector(labels)}}`;
