import { hasEstimate, type FindProbe, type FindRecord } from '../record';
import type { Chart, LineChart, LineSeries } from '../../../report/plot/chart';
import { TONES } from '../../../report/document';
import { formatNumber, perSecond } from '../../../ui/numbers';
import { isTooWide } from '../analysis/planned-share';
import { shareAxis, speedChart } from './speed';

type RatePoint = [number, number];

/** Colours of the dots: those of the verdicts, and two that stand for none. */
const COLOURS: Record<FindProbe['result'], number> = {
  sustained: TONES.good.series,
  'not sustained': TONES.bad.series,
  inconclusive: TONES.unsure.series,
  invalid: 7,
};
const LADDER_COLOUR = 0;

export const LADDER_SERIES = 'ladder (achieved rate)';

/** Charts of a search: what answers it, the speed of the machine meanwhile, and how the search came there. */
export function findCharts(record: FindRecord): Chart[] {
  const rates = record.probes.filter(
    (p) => p.ratePerSecond !== undefined && p.result !== 'invalid',
  );
  if (rates.length === 0) return [];
  const capacity = record.capacity.ratePerSecond;
  const charts = [latencyChart(record, rates), speedChart(record)];
  return [
    ...charts.filter((chart) => chart !== null),
    {
      kind: 'line',
      id: 'achieved',
      title: 'Achieved against offered rate',
      x: {
        ...{ label: 'offered', unit: 'requests per second', min: 0 },
        max: 1.05 * Math.max(...rates.map(rateOf)),
      },
      y: { label: 'achieved', unit: 'per second', min: 0 },
      series: [
        ...byResult(rates, (p) => p.achievedPerSecond),
        { label: 'achieved = offered', dashed: true, colour: 7, points: straight(rates) },
      ],
      marks: [{ axis: 'x', at: capacity, label: 'capacity' }],
    },
    {
      kind: 'line',
      id: 'search',
      title: 'Convergence of the search',
      x: { label: 'probe', min: 0, max: record.probes.length + 1 },
      y: { label: 'rate', unit: 'requests per second', min: 0 },
      series: [...numbered(record.probes), ...ladder(record.probes)],
      marks: [{ axis: 'y', at: capacity, label: 'capacity' }],
    },
  ];
}

const rateOf = ({ ratePerSecond = 0 }: FindProbe): number => ratePerSecond;

/** The answer: up to which rate the latency is below its bound, and how much of that to plan with. */
function latencyChart(record: FindRecord, rates: FindProbe[]): LineChart | null {
  const { capacity, verdict, slo, confirmedBy } = record;
  const latencies = rates.flatMap((p) => (p.p95Ms === null ? [] : [p.p95Ms]));
  if (latencies.length === 0) return null;
  const bounds = slo.filter(({ metric }) => metric === 'p95');
  const shown = [...latencies, ...bounds.map(({ bound }) => bound)];
  const { low, high, ratePerSecond } = capacity;
  const isKnown = hasEstimate(verdict) && ratePerSecond > 0;
  const answer = isKnown ? [low, high ?? low, ...plannedOf(record)] : [];
  const across = [...rates.map(rateOf), ...answer].filter((rate) => rate > 0);
  const share = shareAxis(record);
  const confirms = ({ run, result }: FindProbe): boolean =>
    run === confirmedBy && result === 'sustained';
  return {
    kind: 'line',
    id: 'latency',
    title: 'Latency at each rate',
    x: {
      ...{ label: 'offered', unit: 'requests per second' },
      // Room around the outermost dots.
      ...{ min: 0.9 * Math.min(...across), max: 1.05 * Math.max(...across) },
      ...(share === null ? {} : { share }),
    },
    y: {
      ...{ label: 'p95', unit: 'ms', scale: 'log' },
      ...{ min: 0.7 * Math.min(...shown), max: 1.4 * Math.max(...shown) },
    },
    series: [
      ...byResult(
        rates.filter((probe) => !confirms(probe)),
        (p) => p.p95Ms,
      ),
      ...confirming(rates.filter(confirms)),
    ],
    marks: [
      ...(isKnown ? answerMarks(record) : []),
      ...bounds.map(({ bound, text }) => ({ axis: 'y' as const, at: bound, label: text })),
    ],
    ...(isKnown && high !== null ? { span: { from: low, to: high } } : {}),
  };
}

/** The rate to plan with, where there is one. */
const plannedOf = ({ capacity, advised }: FindRecord): number[] =>
  isTooWide(capacity) ? [] : [advised.ratePerSecond];

function answerMarks(record: FindRecord): NonNullable<LineChart['marks']> {
  const { capacity } = record;
  const { ratePerSecond, low, high } = capacity;
  const name =
    high === null
      ? `sustained ${perSecond(low)}`
      : `capacity ${perSecond(ratePerSecond)} (${formatNumber(low)} to ${formatNumber(high)})`;
  return [
    { axis: 'x', at: high === null ? low : ratePerSecond, label: name },
    ...plannedOf(record).map((at) => ({
      ...{ axis: 'x' as const, at, label: `plan with ${perSecond(at)}` },
    })),
  ];
}

function byResult(probes: FindProbe[], value: (p: FindProbe) => number | null): LineSeries[] {
  return (['sustained', 'not sustained', 'inconclusive'] as const)
    .map((result): LineSeries => ({
      label: result,
      colour: COLOURS[result],
      style: 'dots',
      points: probes
        .filter((p) => p.result === result)
        .map((p): [number, number | null] => [p.ratePerSecond ?? 0, value(p)])
        .sort((a, b) => a[0] - b[0]),
    }))
    .filter(({ points }) => points.length > 0);
}

/** The run that the answer rests on. */
const confirming = (probes: FindProbe[]): LineSeries[] =>
  probes.map(({ ratePerSecond = 0, p95Ms }) => ({
    ...{ label: 'sustained at full length', style: 'dots', isLarge: true },
    colour: COLOURS.sustained,
    points: [[ratePerSecond, p95Ms]],
  }));

function straight(probes: FindProbe[]): RatePoint[] {
  const max = Math.max(...probes.map((p) => p.ratePerSecond ?? 0));
  return [
    [0, 0],
    [max, max],
  ];
}

function numbered(probes: FindProbe[]): LineSeries[] {
  return (['sustained', 'not sustained', 'inconclusive', 'invalid'] as const)
    .map((result): LineSeries => ({
      label: result,
      colour: COLOURS[result],
      style: 'dots',
      points: probes.flatMap((p, index): RatePoint[] =>
        p.result === result && p.ratePerSecond !== undefined ? [[index + 1, p.ratePerSecond]] : [],
      ),
    }))
    .filter(({ points }) => points.length > 0);
}

/** Clients have no rate that is offered: what they got shows where the throughput stops growing. */
function ladder(probes: FindProbe[]): LineSeries[] {
  const points = probes.flatMap((p, index): RatePoint[] =>
    p.clients !== undefined && p.result !== 'invalid' ? [[index + 1, p.achievedPerSecond]] : [],
  );
  return points.length === 0
    ? []
    : [{ label: LADDER_SERIES, style: 'dots', colour: LADDER_COLOUR, points }];
}
