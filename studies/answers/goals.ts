// What the records of this study say of each goal. Pure.
import { median } from '../../cli/src/analysis/statistics/statistics';
import type { FindRecord } from '../../cli/src/features/find/record';
import { SPINNER } from './parts';
import { betweenSteps } from './staircase';

/**
 * The same search with the CPU that n8n itself tells at /metrics, where a step of the other generator has it from: its task
 * runner tells none.
 */
export function asTold<Found extends Pick<FindRecord, 'probes'>>(found: Found): Found {
  const probes = found.probes.map((probe) => {
    if (probe.cpuPerRequest === null) return probe;
    const roles = probe.cpuPerRequest.roles.filter(({ role }) => role !== 'runner');
    return {
      ...probe,
      cpuPerRequest: { roles, allMs: roles.reduce((sum, { ms }) => sum + ms, 0) },
    };
  });
  return { ...found, probes };
}

/** What is kept of a search. Work is a rate times the CPU that a request took: the same on a slow and on a fast machine. */
export interface Answer {
  verdict: string;
  sentence: string;
  ratePerSecond: number;
  low: number;
  high: number | null;
  /** Milliseconds of CPU per request, of all of n8n; null where it was not seen. */
  cpuMs: number | null;
  /** What it would be alone on the machine; null where its price is not known. */
  alonePerSecond: number | null;
}

export type Interval = Pick<Answer, 'low' | 'high' | 'cpuMs'>;

export interface Step {
  ratePerSecond: number;
  sustained: boolean;
  p95Ms: number;
  cpuMs: number;
}

export interface Pairs {
  kind: 'pairs';
  workload: string;
  mode: string;
  search: Answer;
  steps: Step[];
}
export interface Twice {
  kind: 'twice';
  searches: [Answer, Answer];
}
export interface Neighbour {
  kind: 'neighbour';
  when: 'before' | 'middle';
  isNice: boolean;
  /** The process that a refusal or a doubt has to name. */
  pid: number;
  quiet: Answer;
  beside: Answer;
  /** What was said of it: the refusal, or the doubts of the answer. */
  said: string;
}
export interface Spinner {
  kind: 'spinner';
  quiet: Answer;
  beside: Answer;
}
export interface Rate {
  kind: 'rate';
  capacity: Answer;
  asked: {
    /** A part of the capacity, at the price of that moment as far as it was known. */
    share: number;
    ratePerSecond: number;
    /** Milliseconds of CPU per request in its own attempts, over all of n8n; null where it was not seen. */
    cpuMs: number | null;
    answer: 'yes' | 'no' | 'not yet';
    seconds: number;
  }[];
}
export type Kept = Pairs | Twice | Neighbour | Spinner | Rate;

export interface Goal {
  /** The kind of the parts that it is about. */
  kind: Kept['kind'];
  what: string;
  goal: string;
  /** Null while nothing is measured. */
  figure: string | null;
  isMet: boolean;
}

/** Whether its answer is FOUND or ROUGHLY: an interval as wide as that of others overlaps with nearly anything. */
export const isSure = ({ verdict }: Answer): boolean => verdict === 'found' || verdict === 'rough';
const share = (value: number): string => `${(100 * value).toFixed(1)}%`;

export const areConclusive = ({ searches }: Twice): boolean => searches.every(isSure);

/** In milliseconds of CPU a second. */
const workOf = ({ ratePerSecond, low, high, cpuMs }: Answer) =>
  cpuMs === null
    ? null
    : { middle: ratePerSecond * cpuMs, low: low * cpuMs, high: (high ?? Infinity) * cpuMs };

const byWork = ({ steps }: Pick<Pairs, 'steps'>) =>
  steps.map((step) => ({ ...step, ratePerSecond: step.ratePerSecond * step.cpuMs }));

/** The boundary of the steps in the order of their work, which a slow minute does not change; null where all are on one side. */
export const boundaryOf = (pair: Pick<Pairs, 'steps'>): number | null => betweenSteps(byWork(pair));

/** The next step lies beyond all others by this factor if those are on one side. */
const BEYOND = 1.1;

/** The work at which one more step tells more of the boundary than at any other. */
export function workToTryNext(pair: Pick<Pairs, 'steps'>): number {
  const works = byWork(pair).map(({ ratePerSecond }) => ratePerSecond);
  const beyond = pair.steps.every(({ sustained }) => sustained)
    ? Math.max(...works) * BEYOND
    : Math.min(...works) / BEYOND;
  return boundaryOf(pair) ?? beyond;
}

export function comparedAtPrice(pair: Pairs): { error: number; isInside: boolean } | null {
  const [work, boundary] = [workOf(pair.search), boundaryOf(pair)];
  if (work === null || boundary === null) return null;
  return {
    error: work.middle / boundary - 1,
    isInside: work.low <= boundary && boundary <= work.high,
  };
}

/** Whether two answers overlap at equal price; at the rates themselves where one has no price. */
export function agree([one, other]: readonly [Interval, Interval]): boolean {
  const isPriced = one.cpuMs !== null && other.cpuMs !== null;
  const ends = ({ low, high, cpuMs }: Interval) => {
    const price = isPriced ? (cpuMs ?? 1) : 1;
    return { low: low * price, high: (high ?? Infinity) * price };
  };
  const [first, second] = [ends(one), ends(other)];
  return first.low <= second.high && second.low <= first.high;
}

/** How far a search beside something else is from the quiet one, at equal price. */
export function movedAtPrice({ quiet, beside }: Pick<Spinner, 'quiet' | 'beside'>): number {
  const [a, b] = [workOf(quiet), workOf(beside)];
  return a === null || b === null
    ? beside.ratePerSecond / quiet.ratePerSecond - 1
    : b.middle / a.middle - 1;
}

const isNamed = ({ said, pid }: Neighbour): boolean => said.includes(`pid ${String(pid)}`);
/** At equal price: between the two searches, the machine alone can become a third slower or faster. */
function isNear({ quiet, beside }: Neighbour): boolean {
  const alone = { ...beside, ratePerSecond: beside.alonePerSecond ?? beside.ratePerSecond };
  return Math.abs(movedAtPrice({ quiet, beside: alone })) <= 0.2;
}

/** What was asked as a share of the capacity at equal price: the machine can change its speed between the two. */
export function sharesAsked({ capacity, asked }: Rate) {
  const work = workOf(capacity)?.middle;
  return asked.map((one) => ({
    ...one,
    share:
      work === undefined || one.cpuMs === null ? one.share : (one.ratePerSecond * one.cpuMs) / work,
  }));
}
/** Nearer to the capacity than this, both answers can be right. */
export const NEAR_CAPACITY = 0.15;
const isFar = ({ share }: { share: number }): boolean => Math.abs(share - 1) >= NEAR_CAPACITY;
const isRight = ({ share: of, answer }: Rate['asked'][number]): boolean =>
  answer === (of < 1 ? 'yes' : 'no');

/** What the figure of the questions about a rate leaves out, and by part the answers that are not right. */
export function ratesLeft(all: readonly Kept[]) {
  const rates = all.filter((one): one is Rate => one.kind === 'rate');
  const asked = rates.flatMap(sharesAsked);
  const near = asked.filter((one) => !isFar(one));
  const parts = rates.flatMap((rate) => {
    const wrong = sharesAsked(rate).filter((one) => isFar(one) && !isRight(one));
    const costs = wrong.flatMap(({ cpuMs }) => cpuMs ?? []);
    return wrong.length === 0
      ? []
      : [
          {
            ...{
              questions: rate.asked.length,
              wrong: wrong.length,
              notYet: wrong.filter(isNotYet).length,
            },
            ...{ fromMs: rate.capacity.cpuMs, toMs: Math.max(...costs) },
          },
        ];
  });
  return {
    ...{ asked: asked.length, near: near.length, nearNotYet: near.filter(isNotYet).length },
    parts,
  };
}

const isNotYet = ({ answer }: Rate['asked'][number]): boolean => answer === 'not yet';

/** The figure also without the answers that are not sure, whose intervals are as wide as anything. */
const amongConclusive = (goal: Goal, rows: readonly boolean[], where: string): Goal => ({
  ...goal,
  figure:
    goal.figure === null
      ? null
      : `${goal.figure}; where ${where}, ${String(rows.filter(Boolean).length)} of ${String(rows.length)}`,
});

/** The figure with the level of each answer: one that is not conclusive promises less. */
const withLevels = (goal: Goal, answers: readonly Answer[]): Goal => ({
  ...goal,
  figure: goal.figure === null ? null : `${goal.figure} (${answers.map(levelOf).join(', ')})`,
});
const levelOf = ({ verdict }: Answer): string =>
  verdict === 'rough' ? 'ROUGHLY' : verdict.toUpperCase();

export function goalsOf(all: readonly Kept[]): Goal[] {
  const of = <Kind extends Kept['kind']>(kind: Kind) =>
    all.filter((one): one is Extract<Kept, { kind: Kind }> => one.kind === kind);
  const counted = (
    kind: Kept['kind'],
    [min, all]: readonly [number, number],
    what: string,
    rows: readonly boolean[],
  ): Goal => {
    const held = rows.filter(Boolean).length;
    return {
      ...{ kind, what, goal: `${String(min)} of ${String(all)}` },
      figure: rows.length === 0 ? null : `${String(held)} of ${String(rows.length)}`,
      isMet: rows.length >= all && held >= Math.ceil((min / all) * rows.length),
    };
  };
  const pairs = of('pairs');
  const compared = pairs.map(comparedAtPrice);
  const neighbours = of('neighbour');
  const twice = of('twice');
  const moved = of('spinner').map(movedAtPrice);
  const asked = of('rate').flatMap(sharesAsked).filter(isFar);
  const right = asked.filter(isRight).length / asked.length;
  const took = median(asked.map(({ seconds }) => seconds));
  const isAsked = asked.length >= ASKED;
  const sure = pairs.map((one) => isSure(one.search));
  const inside = compared.map((one) => one?.isInside === true);
  const agreeing = twice.map(({ searches }) => agree(searches));
  const near = compared.map((one) => one !== null && Math.abs(one.error) <= 0.1);
  return [
    counted('pairs', [10, 12], 'a search of five minutes ends FOUND or ROUGHLY', sure),
    amongConclusive(
      counted('pairs', [11, 12], 'its interval holds the boundary of the staircase', inside),
      inside.filter((_, i) => sure[i]),
      'it is conclusive',
    ),
    counted('pairs', [10, 12], 'both middles are within 10%', near),
    amongConclusive(
      counted('twice', [19, 20], 'two searches of 100 s in a row agree', agreeing),
      agreeing.filter((_, i) => twice[i] !== undefined && areConclusive(twice[i])),
      'both are conclusive',
    ),
    counted('neighbour', [4, 4], 'it names a neighbour of one core', neighbours.map(isNamed)),
    withLevels(
      counted(
        'neighbour',
        [4, 4],
        'and says within 20% what n8n does alone',
        neighbours.map(isNear),
      ),
      neighbours.map(({ beside }) => beside),
    ),
    {
      ...{ kind: 'spinner', what: "a process on n8n's core in half of the probes moves it" },
      goal: 'at most 5% in the median of three',
      figure: moved.length === 0 ? null : moved.map(share).join(', '),
      isMet: moved.length >= SPINNER.parts && Math.abs(median(moved)) <= 0.05,
    },
    {
      ...{ kind: 'rate', what: '`find --rate` is right at 0.7 and 1.3 times the capacity' },
      goal: '98%',
      figure: asked.length === 0 ? null : `${share(right)} of ${String(asked.length)}`,
      isMet: isAsked && right >= 0.98,
    },
    {
      ...{ kind: 'rate', what: 'and takes in the median' },
      goal: 'below 90 s',
      figure: asked.length === 0 ? null : `${took.toFixed(0)} s`,
      isMet: isAsked && took < 90,
    },
  ];
}

/** Questions about one rate of all parts together. */
const ASKED = 20;
