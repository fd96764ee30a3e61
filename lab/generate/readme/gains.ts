// What the kit gains, in four rows: n8n as it comes beside this chart.
import { lostInFaults, lostInRollouts, rolloutsOfEach } from '../measured';
import { link, number, table } from '../records';
import { middle, peer } from '../studies/charts';

export function gains(): string {
  const [chart, variables] = ['tuned', 'official-same'].map((one) =>
    peer('last-node', 'regular', one),
  );
  if (chart === undefined || variables === undefined) throw new Error('no comparison of charts');
  const times = ({ comparison }: typeof chart): string => `${number(comparison.ratio.value)}x`;
  const rate = (side: typeof chart.a): string => middle(side, 'ratePerSecond');
  const lines = table(
    ['', 'default n8n', 'with n8n-tuned'],
    [
      [
        'requests per second of one pod (1 CPU, 1 GiB)',
        rate(chart.a),
        `**${rate(chart.b)}** (${times(chart)}, ${link(chart.file)})`,
      ],
      [
        'the same with [variables alone](docs/only-settings.md)',
        rate(variables.a),
        `**${rate(variables.b)}** (${times(variables)}, ${link(variables.file)})`,
      ],
      [
        `lost in ${number(rolloutsOfEach())} rolling updates`,
        lostInRollouts("n8n's own"),
        `**${lostInRollouts('the chart')}** (${link('studies/charts/results/rollouts.json')})`,
      ],
      [
        'executions lost in faults under load',
        lostInFaults('as-it-comes'),
        `**${lostInFaults('recovery')}** with recovery; without it ${lostInFaults('defaults')} ([study](studies/drills/README.md))`,
      ],
    ],
  );
  return `${lines}

In the first two rows, default n8n means the official chart. They show the shortest workflow, with the load generator on the same
two cores. For a workflow with ten expressions, the ratio is ${number(peer('expressions', 'regular', 'tuned').comparison.ratio.value)}x. Measure your own workflow, because your figures will differ.`;
}
