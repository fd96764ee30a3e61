import { figures } from '../../analysis/figures';
import { seededRandom } from '../../analysis/random';
import type { Bound } from '../../analysis/predict/bounds';
import type { Interval } from '../../analysis/statistics';
import { leftOut, sizes, type Answer } from '../../analysis/predict/answer';
import { SCALES } from '../../analysis/predict/scale';
import { perSecond, share, type Figure } from '../text/units';
import { formatNumber } from '../plot/scale';

export function predictSentence({ over, n, group, lowest, refused }: Answer): string {
  const { title } = SCALES[over];
  const workload = group.measurements[0]?.workload.title ?? '';
  const where = `${workload} over ${formatNumber(n)} ${title}`;
  if (lowest === null) return `Nothing can be said about ${where}: ${refused.join('; ')}.`;
  const { value } = lowest.ratePerSecond;
  return `${where} should sustain ${figures(value)} requests a second (${span(lowest.ratePerSecond)}), bounded by ${NAMES[lowest.name]}.`;
}

const NAMES: Record<Bound['name'], string> = {
  'worker slots': 'the slots of the workers',
  'runner slots': 'the slots of the task runners',
  CPU: 'the CPU',
  'CPU of main': 'the CPU of main',
  'CPU of the workers': 'the CPU of the workers',
  'CPU of the webhook processors': 'the CPU of the webhook processors',
  scaling: 'how it scales',
};

const span = ({ low, high }: Interval): string => `${figures(low)} to ${figures(high)}`;

export function predictFigures(answer: Answer): Figure[] {
  const { bounds, fit, group, refused } = answer;
  return [
    ...bounds.map((bound) => ({
      name: bound === answer.lowest ? `Lowest: ${bound.name}` : bound.name,
      value: `${perSecond(bound.ratePerSecond.value)} (${span(bound.ratePerSecond)}): ${bound.evidence}`,
    })),
    {
      name: 'Measured',
      value: `${String(group.points.length)} measurements at ${sizes(group).map(formatNumber).join(', ')} ${SCALES[answer.over].title}`,
    },
    ...(typeof fit === 'string'
      ? []
      : [
          {
            name: 'Law',
            value: `one gives ${coefficient(fit.g)}/s; contention ${coefficient(fit.a)}, coherency ${coefficient(fit.b)}${fit.peak === null ? '' : `; most at ${figures(fit.peak)}`}`,
          },
        ]),
    ...leftOutFigure(answer),
    ...refused.map((value) => ({ name: 'Refused', value })),
  ];
}

/** With as few sizes as the law needs, only the law itself, fitted to one less, can be asked. */
function leftOutFigure({ group, fit }: Answer): Figure[] {
  const whole = leftOut(group, seededRandom(SEED));
  const errors = whole.length > 0 || typeof fit === 'string' ? whole : fit.leaveOneOut;
  if (errors.length === 0) return [];
  const each = errors.map(({ n, error }) => `${signed(error)} at ${formatNumber(n)}`).join(', ');
  return [{ name: 'Left out', value: `each size predicted from the others: off by ${each}` }];
}

/** The same measurements give the same figures. */
const SEED = 1;

const coefficient = (interval: Interval): string =>
  `${figures(interval.value)} (${span(interval)})`;

const signed = (error: number): string => `${error > 0 ? '+' : ''}${share(error)}`;
