import { seededRandom } from '../../../analysis/statistics/random';
import { lowestOf, type Bound, type Uncertain } from '../analysis/bounds';
import type { Interval } from '../../../analysis/statistics/statistics';
import { leftOut, sizes, type Group, type SizePrediction } from '../analysis/answer';
import type { MeasuredSize } from '../analysis/measurement';
import { SCALES } from '../analysis/scale';
import { workloadName } from '../../../plan/chosen-workload';
import { type Figure } from '../../../report/text/units';
import { counted, formatNumber, perSecond, percent, signed } from '../../../ui/numbers';

export function predictSentence({
  over,
  n,
  group,
  lowest,
  bounds,
  refused: [noLaw = ''],
}: SizePrediction): string {
  const size = `${formatNumber(n)} ${SCALES[over].title}`;
  const workload = loadedWith(group);
  if (lowest !== null) {
    const { ratePerSecond, name } = lowest;
    return `n8n with ${size} should sustain ${withSpan(ratePerSecond, ` req/s of ${workload}`)}, bounded by ${NAMES[name]}.`;
  }
  const upper = lowestOf(bounds);
  const known =
    upper === null
      ? ''
      : ` The upper bound is ${withSpan(upper.ratePerSecond)}, from ${NAMES[upper.name]}.`;
  return `The capacity of ${workload} with ${size} cannot be predicted: ${noLaw}.${known}`;
}

export const predictTitle = ({ over, n, group }: SizePrediction): string =>
  `Predicted capacity of ${loadedWith(group)} with ${formatNumber(n)} ${SCALES[over].title}`;

/** Workload, SLO and machine are the same in all measurements of a group. */
export function anyOf({ measurements: [first] }: Group): MeasuredSize {
  if (first === undefined) throw new Error('a group has measurements');
  return first;
}

const loadedWith = (group: Group): string => workloadName(anyOf(group).workload);

const NAMES: Record<Bound['name'], string> = {
  'worker slots': 'the slots of the workers',
  'runner slots': 'the slots of the task runners',
  CPU: 'the CPU',
  'CPU of main': 'the CPU of main',
  'CPU of the workers': 'the CPU of the workers',
  'CPU of the webhook processors': 'the CPU of the webhook processors',
  scaling: 'how n8n scales',
};

/** What is decided from: how much, what bounds it, what would bound it next, and how far from it was measured. */
export function firstFigures({ bounds, lowest, group, over }: SizePrediction): Figure[] {
  const [, next] = [...bounds].sort((a, b) => a.ratePerSecond.value - b.ratePerSecond.value);
  const upper = lowestOf(bounds);
  const largest = group.points.reduce((max, point) => (point.n > max.n ? point : max));
  return [
    ...(lowest === null ? [] : [{ name: 'Expected', value: withSpan(lowest.ratePerSecond) }]),
    ...(upper === null ? [] : [boundFigure(upper, lowest !== null)]),
    ...(next === undefined
      ? []
      : [
          {
            name: 'Next bound',
            value: `${NAMES[next.name]}, at ${perSecond(next.ratePerSecond.value)}`,
          },
        ]),
    {
      name: 'Largest measured',
      value: `${perSecond(largest.ratePerSecond)} with ${formatNumber(largest.n)} ${SCALES[over].title}`,
    },
  ];
}

const boundFigure = ({ name, evidence, ratePerSecond }: Bound, isExpected: boolean): Figure =>
  isExpected
    ? { name: 'Bounded by', value: `${NAMES[name]}: ${evidence}` }
    : {
        name: 'Upper bound',
        value: `${withSpan(ratePerSecond)}, from ${NAMES[name]}: ${evidence}`,
      };

const span = ({ low, high }: Interval): string => `${formatNumber(low)} to ${formatNumber(high)}`;

/** `38/s (36 to 41)`, or `about 38/s`. */
const withSpan = ({ value, low, high }: Uncertain, unit = '/s'): string =>
  low === null || high === null
    ? `about ${formatNumber(value)}${unit}`
    : `${formatNumber(value)}${unit} (${span({ value, low, high })})`;

/** A prediction is as sure as what was measured. */
export const howSure = ({ group, over }: SizePrediction): string =>
  `${counted(group.points.length, 'measurement')} at ${sizes(group).map(formatNumber).join(', ')} ${SCALES[over].title}`;

export function predictFigures(answer: SizePrediction): Figure[] {
  const { bounds, fit, refused } = answer;
  return [
    ...bounds.map((bound) => ({
      name: bound.name === answer.lowest?.name ? `Lowest: ${bound.name}` : bound.name,
      value: `${withSpan(bound.ratePerSecond)}: ${bound.evidence}`,
    })),
    { name: 'Measured', value: howSure(answer) },
    ...(typeof fit === 'string'
      ? []
      : [
          {
            name: 'Law',
            value: `size 1 sustains ${coefficient(fit.g)}/s; contention ${coefficient(fit.a)}, coherency ${coefficient(fit.b)}${fit.peak === null ? '' : `; highest rate at size ${formatNumber(fit.peak)}`}`,
          },
        ]),
    ...leftOutFigure(answer),
    ...refused.map((value) => ({ name: 'Refused', value })),
  ];
}

/** With as few sizes as the law needs, only the law itself, fitted to one less, can be asked. */
function leftOutFigure({ group, fit }: SizePrediction): Figure[] {
  const whole = leftOut(group, seededRandom(SEED));
  const errors = whole.length > 0 || typeof fit === 'string' ? whole : fit.leaveOneOut;
  if (errors.length === 0) return [];
  const each = errors
    .map(({ n, error }) => `${signed(error, percent)} at ${formatNumber(n)}`)
    .join(', ');
  return [{ name: 'Left out', value: `each size predicted from the other sizes: off by ${each}` }];
}

/** The same measurements give the same figures. */
const SEED = 1;

const coefficient = (interval: Interval): string =>
  `${formatNumber(interval.value)} (${span(interval)})`;
