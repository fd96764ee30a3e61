/** Both sides of a comparison beside each other: their middle, their values, their requests. */
import { COMPARE_METRICS, NEVER } from '../analysis/metric';
import { median } from '../../../analysis/statistics/statistics';
import type { CompareRecord } from '../record';
import type { BarChart, Chart, LineChart, LineSeries } from '../../../report/plot/chart';
import { SLOWER_SHARES, type ComparedRuns } from './seen';

const SIDES = ['a', 'b'] as const;
type Letter = (typeof SIDES)[number];

export function sideCharts(record: CompareRecord, runs: ComparedRuns): Chart[] {
  const all = [middles(record), spread(record), slower(record, runs)];
  return all.filter((chart) => chart !== null);
}

const nameOf = (record: CompareRecord, side: Letter): string =>
  `${side.toUpperCase()}, ${record[side].name}`;

const capital = (text: string): string => `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`;

/** What never came has no place on an axis. */
const known = (record: CompareRecord, side: Letter): number[] =>
  record[side].values
    .filter((value) => value !== null && value < NEVER)
    .map(Number)
    .sort((a, b) => a - b);

function middles(record: CompareRecord): BarChart | null {
  const { title, unit } = COMPARE_METRICS[record.metric];
  const bars = SIDES.flatMap((side) => {
    const values = known(record, side);
    const [low, high] = [values[0], values.at(-1)];
    return low === undefined || high === undefined
      ? []
      : [{ label: nameOf(record, side), value: median(values), low, high }];
  });
  if (bars.length === 0) return null;
  return {
    ...{ kind: 'bar', id: 'sides', unit, bars },
    title: `${capital(title)}: median, lowest and highest value of each side`,
  };
}

/** Steps: of each value, the share of the runs that had at most as much. */
function spread(record: CompareRecord): LineChart | null {
  const { title, unit } = COMPARE_METRICS[record.metric];
  const all = SIDES.flatMap((side) => known(record, side));
  if (all.length < 4) return null;
  const [min, max] = [Math.min(...all), Math.max(...all)];
  const room = 0.02 * Math.max(max - min, max / 10);
  return {
    kind: 'line',
    id: 'spread',
    title: `Share of runs in which the ${title} was at most …`,
    x: { label: title, unit, min: Math.max(0, min - room), max: max + room },
    y: { label: 'share of runs', unit: '%', min: 0, max: 100 },
    series: SIDES.map((side): LineSeries => {
      const counted = record[side].values.filter((value) => value !== null).length;
      const steps = known(record, side).map((value, index): [number, number] => [
        value,
        (100 * (index + 1)) / counted,
      ]);
      const last = steps.at(-1)?.[1] ?? 0;
      return {
        label: nameOf(record, side),
        style: 'step',
        points: [[Math.max(0, min - room), 0], ...steps, [max + room, last]],
      };
    }),
  };
}

/** Latency of each side as the median over its runs, so that one stalled run does not decide the tail. */
function slower(record: CompareRecord, runs: ComparedRuns): LineChart | null {
  const series = SIDES.map((side): LineSeries => ({
    label: nameOf(record, side),
    points: SLOWER_SHARES.flatMap((share, index): [number, number][] => {
      const latencies = runs[side].slower.map((run) => run[index] ?? null);
      const told = latencies.filter((latency) => latency !== null);
      const isComplete = told.length > 0 && told.length === latencies.length;
      return isComplete ? [[median(told), 100 * share]] : [];
    }),
  }));
  if (series.some(({ points }) => points.length < 2)) return null;
  return {
    kind: 'line',
    id: 'slower',
    title: 'Share of requests that took longer than … (median of the runs of each side)',
    x: { label: 'latency', unit: 'ms', scale: 'log' },
    y: { label: 'share of requests', unit: '%', scale: 'log', max: 100 },
    series,
    marks: record.slo
      .filter(({ metric }) => /^(p\d|max)/.test(metric))
      .map(({ bound, text }) => ({ axis: 'x', at: bound, label: text })),
  };
}
