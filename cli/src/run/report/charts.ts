import type { RunData } from './data';
import { METRICS, type Metric } from '../../record/metrics';
import type { RequestWindow } from '../../analysis/requests/timeline';
import { percentile, type Ordered } from '../../analysis/statistics/statistics';
import { FAULT, FAULT_STEP, type MetricSample, type RunRecord } from '../../record/run-record';
import type { Chart, LineChart, LineSeries } from '../../report/plot/chart';
import { metricLines } from './metric-lines';
import { panelChart } from './panel-charts';

const SECONDS = { label: 'time since the load began', unit: 's' };

/** The charts of a run, in reading order. One that has nothing to show is left out. */
export function runCharts(data: RunData): Chart[] {
  const { profile } = data.record;
  const duration = profile.warmupSeconds + profile.durationSeconds;
  const windows = data.requests.byTime();
  const lastMs = data.samples.reduce((last, { tMs }) => Math.max(last, tMs), 0);
  // Samples go on until n8n has finished.
  const loadEnd = lastMs > 1050 * duration ? endMark(duration) : [];
  const timed = (chart: LineChart | null): LineChart | null =>
    chart && { ...chart, marks: [...(chart.marks ?? []), ...timeMarks(data.record)] };
  const sampled = (chart: LineChart | null): LineChart | null =>
    timed(chart && { ...chart, marks: loadEnd });
  const metric = (id: string, name: Metric, title: string, axis = title.toLowerCase()) =>
    sampled(
      metricChart(
        { id, title, axis, unit: plotUnit(name) },
        metricLines(data.samples, name, duration),
      ),
    );

  return [
    timed(rateChart(windows)),
    timed(latencyChart(windows, data.record)),
    distributionChart(data),
    timed(errorChart(windows)),
    metric('memory', 'rssMiB', 'Memory per role', 'memory'),
    metric('cpu', 'cpuCores', 'CPU per role', 'CPU'),
    metric('processes', 'processes', 'Number of processes per role', 'number of processes'),
    ...(profile.name === 'soak' ? [metric('database', 'dbSizeMiB', METRICS.dbSizeMiB.title)] : []),
    sampled(queueChart(data.samples, duration)),
    metric('loop-lag', 'eventLoopLagMs', METRICS.eventLoopLagMs.title),
    spreadChart(data.record),
  ].filter((chart) => chart !== null);
}

/** Lines of what a Prometheus had, by the dashboard that shows them; empty where none was asked. */
export function prometheusCharts({ record, panels }: RunData): Map<string, LineChart[]> {
  const { warmupSeconds, durationSeconds } = record.profile;
  const marks = [...endMark(warmupSeconds + durationSeconds), ...timeMarks(record)];
  const byBoard = new Map<string, LineChart[]>();
  for (const panel of panels?.panels.filter(({ kind }) => kind === 'lines') ?? []) {
    const charts = byBoard.get(panel.board) ?? [];
    byBoard.set(panel.board, [...charts, { ...panelChart(panel), marks }]);
  }
  return byBoard;
}

const endMark = (seconds: number) => [{ axis: 'x' as const, at: seconds, label: 'load ends' }];

const timeMarks = (record: RunRecord) => [
  ...warmupMark(record.profile.warmupSeconds),
  ...faultMarks(record),
];

/** A number of things has no unit on its axis. */
const plotUnit = (metric: Metric): string => {
  const { unit } = METRICS[metric];
  return unit === 'count' ? '' : unit;
};

const warmupMark = (seconds: number) =>
  seconds > 0 ? [{ axis: 'x' as const, at: seconds, label: 'measured from here' }] : [];

/** With more marks in one chart only the first is labelled; labels would overlap. */
const MAX_LABELS = 6;

/** Marks of a drill: the fault, and its later steps. */
const faultMarks = ({ events }: Pick<RunRecord, 'events'>): LineChart['marks'] & object =>
  marksOf(events.filter(({ kind }) => kind === FAULT || kind === FAULT_STEP));

export const marksOf = (
  steps: readonly { tMs: number; text: string }[],
): LineChart['marks'] & object =>
  steps.map(({ tMs, text }, index) => ({
    ...{ axis: 'x', at: tMs / 1000 },
    label: steps.length > MAX_LABELS && index > 0 ? '' : text,
  }));

/** Null where no request is known: a line at 0 would say that none was sent. */
function rateChart(windows: RequestWindow[]): LineChart | null {
  if (windows.every((w) => w.offeredPerSecond === 0)) return null;
  return {
    kind: 'line',
    id: 'rate',
    title: 'Offered against achieved rate',
    x: { ...SECONDS, min: 0 },
    y: { label: 'requests', unit: 'per second', min: 0 },
    series: [
      {
        label: 'offered',
        dashed: true,
        points: windows.map((w) => [w.seconds, w.offeredPerSecond]),
      },
      {
        label: 'achieved (expected responses)',
        points: windows.map((w) => [w.seconds, w.goodPerSecond]),
      },
    ],
  };
}

const LATENCY_LINES = [
  ['p50', 0.5],
  ['p95', 0.95],
  ['p99', 0.99],
] as const;

function latencyChart(windows: RequestWindow[], record: RunRecord): LineChart | null {
  if (windows.every((w) => w.latenciesMs.length === 0)) return null;
  const bounds = record.slo.filter((s) => /^(p\d|max|mean)/.test(s.metric));
  const { unit, per } = latencyUnit(
    windows.reduce((max, w) => Math.max(max, largestOf(w.latenciesMs)), 0),
  );
  return {
    kind: 'line',
    id: 'latency',
    title: 'Latency over time',
    x: { ...SECONDS, min: 0 },
    y: { label: 'latency', unit, min: 0 },
    series: LATENCY_LINES.map(([label, p]): LineSeries => ({
      label,
      points: windows.map((w) => [
        w.seconds,
        w.latenciesMs.length > 0 ? percentile(w.latenciesMs, p) / per : null,
      ]),
    })),
    marks: bounds.map((s) => ({ axis: 'y', at: s.bound / per, label: s.text })),
  };
}

const largestOf = (values: Ordered): number => values.at(values.length - 1) ?? 0;

/** Six digits on an axis are hard to read, and leave no room for its title. */
const latencyUnit = (maxMs: number): { unit: string; per: number } =>
  maxMs >= 10_000 ? { unit: 's', per: 1000 } : { unit: 'ms', per: 1 };

/** Latency by the share of requests slower than it: a straight look at the tail. */
function distributionChart({ requests, record }: RunData): LineChart | null {
  const latencies = requests.latenciesMs();
  if (latencies.length < 20) return null;
  const { unit, per } = latencyUnit(largestOf(latencies));
  const shares = Array.from({ length: 61 }, (_, i) => 10 ** (-i / 20)).filter(
    (share) => share * latencies.length >= 1,
  );
  return {
    kind: 'line',
    id: 'distribution',
    title: 'How many requests were slower than …',
    x: { label: 'latency', unit },
    y: { label: 'share of requests', unit: '%', scale: 'log', max: 100 },
    series: [
      {
        label: 'slower',
        points: shares.map((share) => [percentile(latencies, 1 - share) / per, share * 100]),
      },
    ],
    marks: record.slo
      .filter((s) => /^(p\d|max)/.test(s.metric))
      .map((s) => ({ axis: 'x', at: s.bound / per, label: s.text })),
  };
}

function errorChart(windows: RequestWindow[]): LineChart | null {
  const kinds = [...new Set(windows.flatMap((w) => Object.keys(w.errorsPerSecond)))].sort();
  if (kinds.length === 0) return null;
  return {
    kind: 'line',
    id: 'errors',
    title: 'Errors by kind',
    x: { ...SECONDS, min: 0 },
    y: { label: 'errors', unit: 'per second', min: 0 },
    series: kinds.map((kind) => ({
      label: kind,
      points: windows.map((w) => [w.seconds, w.errorsPerSecond[kind] ?? 0]),
    })),
  };
}

function metricChart(
  { id, title, axis, unit }: Record<'id' | 'title' | 'axis' | 'unit', string>,
  lines: { role: string; points: [number, number | null][] }[],
): LineChart | null {
  if (lines.length === 0) return null;
  return {
    kind: 'line',
    id,
    title,
    x: { ...SECONDS, min: 0 },
    y: { label: axis, unit, min: 0 },
    series: lines.map((line) => ({ label: line.role, points: line.points })),
  };
}

function queueChart(samples: MetricSample[], duration: number): LineChart | null {
  const series = [['queueWaiting', 'waiting'] as const, ['queueActive', 'active'] as const].flatMap(
    ([metric, label]) =>
      metricLines(samples, metric, duration).map((line) => ({
        label,
        points: line.points,
      })),
  );
  if (series.length === 0) return null;
  return {
    kind: 'line',
    id: 'queue',
    title: 'Queue depth',
    x: { ...SECONDS, min: 0 },
    y: { label: 'jobs', min: 0 },
    series,
  };
}

function spreadChart(record: RunRecord): Chart | null {
  const { spread } = record.summary;
  if (spread.length === 0) return null;
  return {
    kind: 'bar',
    id: 'spread',
    title: 'Requests per process',
    unit: '',
    bars: spread
      .slice(0, 40)
      .map((s) => ({ label: `${s.role} ${s.host} ${s.pid}`, value: s.requests })),
  };
}
