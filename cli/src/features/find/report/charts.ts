import type { FindProbe, FindRecord } from '../record';
import type { Chart, LineSeries } from '../../../report/plot/chart';
import { TONES } from '../../../report/tone';

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

/** Charts of a search: the result of each rate, and the narrowing of the answer. */
export function findCharts(record: FindRecord): Chart[] {
  const rates = record.probes.filter(
    (p) => p.ratePerSecond !== undefined && p.result !== 'invalid',
  );
  if (rates.length === 0) return [];
  const capacity = record.capacity.ratePerSecond;
  // Room around the outermost dots.
  const offered = {
    label: 'offered',
    unit: 'requests per second',
    min: 0,
    max: 1.05 * Math.max(...rates.map((p) => p.ratePerSecond ?? 0)),
  };
  const latencies = rates.flatMap((p) => (p.p95Ms === null ? [] : [p.p95Ms]));
  const at = { axis: 'x' as const, at: capacity, label: 'capacity' };
  const latencyBound = record.slo.find(({ metric }) => metric === 'p95');
  return [
    {
      kind: 'line',
      id: 'achieved',
      title: 'Achieved against offered rate',
      x: offered,
      y: { label: 'achieved', unit: 'per second', min: 0 },
      series: [
        ...byResult(rates, (p) => p.achievedPerSecond),
        { label: 'achieved = offered', dashed: true, colour: 7, points: straight(rates) },
      ],
      marks: [at],
    },
    {
      kind: 'line',
      id: 'latency',
      title: 'Latency at each level',
      x: offered,
      y: {
        label: 'p95',
        unit: 'ms',
        scale: 'log',
        min: 0.7 * Math.min(...latencies, latencyBound?.bound ?? Infinity),
        max: 1.4 * Math.max(...latencies, latencyBound?.bound ?? 0),
      },
      series: byResult(rates, (p) => p.p95Ms),
      marks: [
        at,
        ...(latencyBound
          ? [{ axis: 'y' as const, at: latencyBound.bound, label: latencyBound.text }]
          : []),
      ],
    },
    {
      kind: 'line',
      id: 'search',
      title: 'How the search closed in',
      x: { label: 'probe', min: 0, max: record.probes.length + 1 },
      y: { label: 'rate', unit: 'requests per second', min: 0 },
      series: [...numbered(record.probes), ...ladder(record.probes)],
      marks: [{ axis: 'y', at: capacity, label: 'capacity' }],
    },
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

function straight(probes: FindProbe[]): RatePoint[] {
  const most = Math.max(...probes.map((p) => p.ratePerSecond ?? 0));
  return [
    [0, 0],
    [most, most],
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
