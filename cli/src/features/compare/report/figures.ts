import { patchesInForce } from '../../../record/patches';
import { adviceFor } from '../../../analysis/limits/table';
import { alignedPairs, largestDifference, MAX_RATIO, type Comparison } from '../analysis/compare';
import { commonLimit, commonLimitText } from '../../../analysis/limits/limit-seen';
import { median, type Interval } from '../../../analysis/statistics/statistics';
import { COMPARE_METRICS, NEVER } from '../analysis/metric';
import type { CompareRecord, Side } from '../record';
import { inWords, n8nText, patchesOf, placeText } from '../../../report/conditions';
import { type Figure, costFigures } from '../../../report/text/units';
import type { ComparedRuns } from './seen';
import { counted, duration, formatNumber, percent, withUnit } from '../../../ui/numbers';

/** What B is, after `B is`: `better than A by 2.8x (2.6 to 3)`, and without the name of A: `better by 2.8x (2.6 to 3)`. */
export function answerText(comparison: Comparison, a?: string): string {
  const { answer, ratio } = comparison;
  const than = a === undefined ? '' : ` than ${a}`;
  const named = (words: string): string => (a === undefined ? '' : `${words} ${a}: `);
  switch (answer) {
    case 'better':
      return `better${than} ${byText(ratio)}`;
    case 'worse': {
      const { value, low, high } = ratio;
      return `worse${than} ${byText({ value: 1 / value, low: 1 / high, high: 1 / low })}`;
    }
    case 'no difference':
      return `${named('like')}no difference larger than the noise (${percent(largestDifference(ratio))})`;
    case 'unknown':
      return `${named('not yet distinguishable from')}${whyUnknown(comparison)}`;
  }
}

function byText({ value, low, high }: Interval): string {
  // Beyond this only the direction is known.
  return value >= 0.99 * MAX_RATIO
    ? 'by more than can be measured'
    : `by ${formatNumber(value)}x (${formatNumber(low)} to ${formatNumber(high)})`;
}

function whyUnknown({ unknownBecause, ratio }: Comparison): string {
  switch (unknownBecause?.kind) {
    case 'rejections': {
      const { a, b } = unknownBecause.goodShares;
      return `its share of expected responses is ${percent(b)}, compared with ${percent(a)}`;
    }
    case 'noise':
      return `a difference of ${formatNumber(1 + largestDifference(ratio))}x would be within the noise: measure more pairs, or use longer runs`;
    case 'no interval':
      return 'too few pairs for an interval';
    default:
      return 'too few pairs';
  }
}

/** What has a value on both sides; the rest of a side was left alone when the comparison ended. */
export const pairsOf = ({ a, b }: CompareRecord): ReturnType<typeof alignedPairs> =>
  alignedPairs(a.values, b.values);

/** How many times as good B was as A in each pair. */
export function ratiosOf(record: CompareRecord): number[] {
  const { moreIsBetter } = COMPARE_METRICS[record.metric];
  return pairsOf(record).map(({ a, b }) => {
    const ratio = moreIsBetter ? b / a : a / b;
    return a === b ? 1 : Math.min(MAX_RATIO, Math.max(1 / MAX_RATIO, ratio));
  });
}

/** The figures of a comparison, in reading order; the same in HTML, Markdown and the terminal. */
export function compareFigures(record: CompareRecord): Figure[] {
  const { title, unit, moreIsBetter } = COMPARE_METRICS[record.metric];
  return [
    { name: 'Compared by', value: `${title}, ${moreIsBetter ? 'more' : 'less'} is better` },
    { name: 'A', value: sideText(record.a, unit) },
    { name: 'B', value: sideText(record.b, unit) },
    { name: 'B is', value: ratioText(record) },
    ...equalPriceFigure(record),
    ...differenceFigure(record),
    ...limitFigure('A', record.a),
    ...limitFigure('B', record.b),
  ];
}

/** What both ran on; what differs between them by side. */
export function sidesRanOn(record: CompareRecord): string {
  const { a, b, machine } = record;
  const [one = '', other = ''] = [a, b].map((side) =>
    n8nText(side.topology, versionOf(side, record), side.patches),
  );
  const n8n =
    one === other ? [one] : [`A: ${one || `n8n ${UNKNOWN}`}`, `B: ${other || `n8n ${UNKNOWN}`}`];
  return [...n8n, placeText(machine)].filter(Boolean).join('; ');
}

const UNKNOWN = 'of an unknown version';

/** Records of earlier versions have one n8n for both sides. What was seen of a side comes before what was ordered. */
const versionOf = (
  { versions: own, topology }: Side,
  { versions }: Pick<CompareRecord, 'versions'>,
): string | undefined =>
  own === undefined ? (topology?.n8n ?? versions['n8n']) : (own['n8n'] ?? topology?.n8n);

/** How much was measured, and why no more; the ratio has its interval beside it. */
export function howSure(record: CompareRecord): string {
  if (isOnce(record))
    return 'There is one record per side, which does not show how much results vary.';
  const { totalSeconds, isDuet } = record;
  const pairs = pairsOf(record).length;
  const { maxPairs: max } = record;
  const isEarly = max !== undefined && pairs < max;
  const made = isEarly
    ? `${String(pairs)} of at most ${counted(max, 'pair')}`
    : counted(pairs, 'pair');
  const how =
    isDuet === true ? 'both sides loaded at the same time' : 'measured alternately (ABBA)';
  return `${made} in ${formatNumber(totalSeconds)} s, ${how}: ${endText(record, isEarly)}.`;
}

function endText({ answer, endedBy }: CompareRecord, isEarly: boolean): string {
  if (answer !== 'unknown') return `${isEarly ? 'stopped early' : 'decided'}, ${BECAUSE[answer]}`;
  // A doubt says it where it was stopped or runs failed.
  return isEarly && endedBy === 'time'
    ? 'not decided, and stopped early, because the time was used up'
    : 'not decided';
}

const BECAUSE: Record<Exclude<CompareRecord['answer'], 'unknown'>, string> = {
  better: 'because the interval of the ratio excludes 1',
  worse: 'because the interval of the ratio excludes 1',
  'no difference': 'because a difference larger than the noise is ruled out',
};

/** What is left of the ratio besides what a request costs. */
function equalPriceFigure(record: CompareRecord): Figure[] {
  if (record.equalPrice === undefined) return [];
  const { cpuMs, ratio } = record.equalPrice;
  const isKnown = isOnce(record) || (ratio.low > 0 && Number.isFinite(ratio.high));
  const ratioThere = isKnown ? timesAsGood(ratio) : 'not yet known';
  const cost = `if requests took the same CPU time on both sides; a request took ${duration(cpuMs.a)} in A and ${duration(cpuMs.b)} in B`;
  return [{ name: 'At equal price', value: `${ratioThere}, ${cost}` }];
}

/** Versions and patches that are not the same: what a ratio may come from. */
function differenceFigure(record: CompareRecord): Figure[] {
  const { a, b } = record;
  const [ofSideA, ofSideB] = [a, b].map((side) => versionOf(side, record) ?? UNKNOWN);
  const n8n =
    ofSideA === ofSideB ? [] : [`n8n ${String(ofSideA)} in A and ${String(ofSideB)} in B`];
  const areShown = a.patches !== undefined && b.patches !== undefined;
  const [ofA, ofB] = [a, b].map(({ patches, topology }) => {
    if (areShown && patches !== undefined) return patchesInForce(patches);
    return topology === null ? [] : patchesOf(topology);
  });
  const alone = (letter: string, some: string[] = [], others: string[] = []): string[] => {
    const own = some.filter((patch) => !others.includes(patch));
    if (own.length === 0) return [];
    const they = own.join(', ');
    return [areShown ? `active only in ${letter}: ${they}` : `only ${letter} loads ${they}`];
  };
  const all = [...n8n, ...alone('A', ofA, ofB), ...alone('B', ofB, ofA)];
  return all.length === 0 ? [] : [{ name: 'The sides differ', value: all.join('; ') }];
}

/** What is decided from: by how much, what each takes, and what to change for more. */
export function firstFigures(record: CompareRecord, runs: ComparedRuns): Figure[] {
  const { title, unit } = COMPARE_METRICS[record.metric];
  return [
    { name: 'B is', value: ratioText(record) },
    ...equalPriceFigure(record),
    ...differenceFigure(record),
    { name: `A, ${title}`, value: sideText(record.a, unit) },
    { name: `B, ${title}`, value: sideText(record.b, unit) },
    ...takesFigures(record, runs),
    ...adviceFigure('A', record.a),
    ...adviceFigure('B', record.b),
  ];
}

/** What each side uses, and what a million requests cost there where prices were given. */
export const takesFigures = (record: CompareRecord, runs: ComparedRuns): Figure[] => [
  ...sideTakes('A', runs.a, record.prices),
  ...sideTakes('B', runs.b, record.prices),
];

/** Figures of the run in the middle. */
function sideTakes(
  letter: string,
  { costs }: ComparedRuns['a'],
  prices: CompareRecord['prices'],
): Figure[] {
  const inOrder = [...costs].sort((a, b) => a.perMillion.coreHours - b.perMillion.coreHours);
  const middle = inOrder[Math.floor((inOrder.length - 1) / 2)] ?? null;
  return costFigures(middle, prices).map(({ name, value }) => ({
    ...{ name: `${name}, ${letter}`, value },
  }));
}

function adviceFigure(letter: string, { limits = [], topology }: Side): Figure[] {
  const limit = commonLimit(limits.filter((one) => one !== null));
  const advice = limit === null ? null : adviceFor(limit.common.limit, topology?.mode ?? null);
  return advice === null ? [] : [{ name: `For more from ${letter}`, value: advice }];
}

function limitFigure(letter: string, { limits = [] }: Side): Figure[] {
  const value = commonLimitText(limits.filter((limit) => limit !== null));
  return value === null ? [] : [{ name: `Limit of ${letter}`, value }];
}

function sideText({ name, values }: Side, unit: string): string {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return `${name}: not measured`;
  const [only] = known;
  if (known.length === 1 && only !== undefined) return `${name}: ${valueText(only, unit)}`;
  const range = `${formatValue(Math.min(...known))} to ${formatValue(Math.max(...known))}`;
  return `${name}: median ${valueText(median(known), unit)}, ${range}`;
}

/** Two existing records: nothing tells how much each would vary. */
const isOnce = ({ command }: CompareRecord): boolean => command.length === 0;

const formatValue = (value: number): string => (value >= NEVER ? 'never' : formatNumber(value));

const valueText = (value: number, unit: string): string =>
  value >= NEVER ? 'never' : withUnit(value, unit);

function ratioText(record: CompareRecord): string {
  const { ratio } = record;
  if (isOnce(record)) {
    return `${formatNumber(ratio.value)} times as good, without an interval, from one record per side`;
  }
  if (!Number.isFinite(ratio.low) || !Number.isFinite(ratio.high)) return 'not yet known';
  return `${timesAsGood(ratio)}, 95% confidence`;
}

/** An interval that is not known yet is none. */
function timesAsGood({ value, low, high }: CompareRecord['ratio']): string {
  const times = `${formatNumber(value)} times as good`;
  return low > 0 && Number.isFinite(high)
    ? `${times} (${formatNumber(low)} to ${formatNumber(high)})`
    : times;
}

export function pairTable(record: CompareRecord): { head: string[]; rows: string[][] } {
  const { unit } = COMPARE_METRICS[record.metric];
  const ratios = ratiosOf(record);
  return {
    head: ['pair', `A, ${record.a.name} (${unit})`, `B, ${record.b.name} (${unit})`, 'B over A'],
    rows: pairsOf(record).map(({ a, b, round }, index) => [
      String(round),
      cellOf(record.a, a, round),
      cellOf(record.b, b, round),
      `${formatNumber(ratios[index] ?? 0)}x`,
    ]),
  };
}

/** What missed its SLO says so. */
function cellOf({ outcomes }: Side, value: number, round: number): string {
  const outcome = outcomes?.[round - 1] ?? '';
  return outcome.includes('not') ? `${formatValue(value)} (${outcome})` : formatValue(value);
}

/** Both topologies side by side, what differs first. */
export function topologyTable({ a, b }: CompareRecord): { head: string[]; rows: string[][] } {
  const keys = [...new Set([...Object.keys(a.topology ?? {}), ...Object.keys(b.topology ?? {})])];
  const rows = keys
    .map((key) => [key, wordsAt(a, key), wordsAt(b, key)])
    .filter(([, left, right]) => left !== '' || right !== '');
  const isDifferent = ([, left, right]: string[]): boolean => left !== right;
  return {
    head: ['', `A, ${a.name}`, `B, ${b.name}`],
    rows: [
      ...rows.filter(isDifferent).map(([key = '', ...cells]) => [`${key} (differs)`, ...cells]),
      ...rows.filter((row) => !isDifferent(row)),
    ],
  };
}

function wordsAt({ topology }: Side, key: string): string {
  const value = (topology as Record<string, unknown> | null)?.[key];
  return value === undefined ? '' : inWords(value);
}
