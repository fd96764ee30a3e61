import { COMPARE_METRICS, NEVER } from '../analysis/metric';
import type { CompareRecord } from '../record';
import { pairsOf, ratiosOf } from './figures';
import type { ComparedRuns } from './seen';
import { sideCharts } from './side-charts';
import type { Chart } from '../../../report/plot/chart';

/** Charts of a comparison: both sides, their distributions, the pairs, and the ratio of B to A in each. */
export const compareCharts = (record: CompareRecord, runs: ComparedRuns): Chart[] => [
  ...sideCharts(record, runs),
  ...pairCharts(record),
];

function pairCharts(record: CompareRecord): Chart[] {
  const pairs = pairsOf(record);
  if (pairs.length === 0) return [];
  const { title, unit } = COMPARE_METRICS[record.metric];
  const x = { label: 'pair', min: 0, max: (pairs.at(-1)?.round ?? 0) + 1 };
  const ratios = ratiosOf(record);
  const { value, low, high } = record.ratio;
  const known = [value, low, high].filter(Number.isFinite);
  return [
    {
      kind: 'line',
      id: 'pairs',
      title: `${title[0]?.toUpperCase() ?? ''}${title.slice(1)}, pair by pair`,
      x,
      y: { label: title, unit, min: 0 },
      series: (['a', 'b'] as const).map((side) => ({
        label: `${side.toUpperCase()}, ${record[side].name}`,
        style: 'dots',
        points: pairs
          .filter((pair) => pair[side] < NEVER)
          .map((pair): [number, number] => [pair.round, pair[side]]),
      })),
    },
    {
      kind: 'line',
      id: 'ratios',
      title: 'B relative to A',
      x,
      y: {
        label: 'B relative to A, higher is better',
        min: 0.95 * Math.min(1, ...ratios, ...known),
        max: 1.05 * Math.max(1, ...ratios, ...known),
      },
      series: [
        {
          label: 'each pair',
          style: 'dots',
          points: ratios.map((ratio, index): [number, number] => [pairs[index]?.round ?? 0, ratio]),
        },
        ...(known.length === 3
          ? [
              {
                label: 'all pairs together, with the interval',
                points: [x.min, x.max].map((at): [number, number, number, number] => [
                  at,
                  value,
                  low,
                  high,
                ]),
              },
            ]
          : []),
      ],
      marks: [{ axis: 'y', at: 1, label: 'alike' }],
    },
  ];
}
