import { predictUsl } from '../analysis/usl';
import { lowestOf } from '../analysis/bounds';
import { sizes, type SizePrediction } from '../analysis/answer';
import { SCALES } from '../analysis/scale';
import type { Chart, LineSeries } from '../../../report/plot/chart';

const STEPS = 40;
/** A bound that lies further above what is shown would press it to the ground. */
const MAX_ABOVE = 2;

/** What was measured, the law through it as far as it may be asked, and the other bounds as they stand at the size. */
export function predictCharts({ over, n, group, fit, bounds }: SizePrediction): Chart[] {
  const min = Math.min(n, ...sizes(group));
  const max = Math.max(n, ...sizes(group));
  const { title } = SCALES[over];
  const series: LineSeries[] = [
    {
      label: 'measured',
      style: 'dots',
      points: group.points.map((point): [number, number] => [point.n, point.ratePerSecond]),
    },
  ];
  if (typeof fit !== 'string') {
    const curve = Array.from({ length: STEPS }, (_, i): LineSeries['points'][number] => {
      const x = min + ((max - min) * i) / (STEPS - 1);
      const rate = predictUsl(fit, x);
      return typeof rate === 'string' ? [x, null] : [x, rate.value, rate.low, rate.high];
    });
    series.push({ label: 'scalability law', points: curve });
  }
  const highest = Math.max(
    lowestOf(bounds)?.ratePerSecond.value ?? 0,
    ...series.flatMap(({ points }) => points.flatMap(([, y, , high]) => [y ?? 0, high ?? 0])),
  );
  return [
    {
      kind: 'line',
      id: 'prediction',
      title: `Capacity over ${title}`,
      x: { label: title, min: 0, max: 1.05 * max },
      y: { label: 'capacity', unit: 'requests per second', min: 0 },
      series,
      marks: [
        { axis: 'x', at: n, label: 'asked for' },
        ...bounds
          .filter(
            ({ name, ratePerSecond }) =>
              name !== 'scaling' && ratePerSecond.value <= MAX_ABOVE * highest,
          )
          .map(({ name, ratePerSecond }) => ({
            axis: 'y' as const,
            at: ratePerSecond.value,
            label: name,
          })),
      ],
    },
  ];
}
