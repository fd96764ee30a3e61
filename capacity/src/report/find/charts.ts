import type { FindProbe, FindRecord } from '../../record/find-record';
import type { Chart, LineSeries } from '../plot/chart';

type RatePoint = [number, number];

/** Of a search: what each level gave, and how the answer closed in. */
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
        { label: 'all of it', dashed: true, points: straight(rates) },
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
      y: { label: 'offered', unit: 'requests per second', min: 0 },
      series: numbered(record.probes),
      marks: [{ axis: 'y', at: capacity, label: 'capacity' }],
    },
  ];
}

function byResult(probes: FindProbe[], value: (p: FindProbe) => number | null): LineSeries[] {
  return (['sustained', 'not sustained'] as const).map((result) => ({
    label: result,
    style: 'dots',
    points: probes
      .filter((p) => p.result === result)
      .map((p): [number, number | null] => [p.ratePerSecond ?? 0, value(p)])
      .sort((a, b) => a[0] - b[0]),
  }));
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
      style: 'dots',
      points: probes.flatMap((p, index): RatePoint[] =>
        p.result === result && p.ratePerSecond !== undefined ? [[index + 1, p.ratePerSecond]] : [],
      ),
    }))
    .filter(({ points }) => points.length > 0);
}
