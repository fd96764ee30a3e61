// The parts of the study of answers: by what is asked of a search, how often. Pure.
import type { Part } from '../../cli/src/features/study/study';

export const WORKLOADS = {
  'last-node': 'load-last-node',
  items: 'load-items',
  expressions: 'load-expressions',
};
export const MODES = { regular: [], queue: ['--mode', 'queue', '--workers', '1'] };

/** A search and the staircase of another generator in turns: the machine moves, and both see the same of it. */
export const PAIRS = { rounds: 2, turns: 3, turnBudget: '100s', fullSeconds: 50, stepSeconds: 40 };
/** Load before the steps of a turn, as n8n has just been started: seconds, and share of the estimate. */
export const WARM_UP = { seconds: 20, share: 0.8 };
/** Before each step, at that share of the estimate: n8n ends what is left of the last step, and then the price is seen. */
export const LOOK = { settleSeconds: 4, seconds: 6 };
/** Steps of each turn, as shares of the estimate at the price of the moment; at last, at the boundary of the steps so far. */
export const STEPS = [
  [0.85, 1.15],
  [0.95, 1.05],
  ['boundary', 'boundary', 'boundary'],
] as const;
/** More steps at the end, while all are on one side. */
export const MORE_STEPS = 4;

export const TWICE = { pairs: 20, budget: '100s' };
/** A process that uses one core: there before the search, or in the middle of it, as it comes or at low priority. */
export const NEIGHBOUR = { budget: '3m', fromSeconds: 70, seconds: 60 };
/** Uses n8n's core for a while, and leaves it for as long, so that it is there in half of the probes. */
export const SPINNER = { parts: 3, budget: '5m', onSeconds: 25 };
export const RATE = { parts: 5, budget: '3m', continued: 2, shares: [0.7, 1.3, 0.7, 1.3, 0.7] };

export type Kind = 'pairs' | 'twice' | 'neighbour' | 'spinner' | 'rate';

export interface PlannedPart extends Part {
  kind: Kind;
  workload: keyof typeof WORKLOADS;
  mode: keyof typeof MODES;
  /** The time at which a neighbour works. */
  when?: 'before' | 'middle';
  isNice?: boolean;
}

/** About, the start and the end of n8n included. */
const SECONDS: Record<Kind, number> = {
  pairs: 920,
  twice: 320,
  neighbour: 520,
  spinner: 1_140,
  rate: 900,
};

const keys = <Key extends string>(table: Record<Key, unknown>): Key[] =>
  Object.keys(table) as Key[];
const times = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

const part = (kind: Kind, name: string, rest: Partial<PlannedPart> = {}): PlannedPart => ({
  ...{ name: `${kind}-${name}`, kind, seconds: SECONDS[kind] },
  ...{ workload: 'last-node', mode: 'regular', ...rest },
});

export const PARTS: PlannedPart[] = [
  ...times(PAIRS.rounds).flatMap((round) =>
    keys(WORKLOADS).flatMap((workload) =>
      keys(MODES).map((mode) =>
        part('pairs', `${workload}-${mode}-${String(round)}`, { workload, mode }),
      ),
    ),
  ),
  ...times(TWICE.pairs).map((pair) =>
    part('twice', String(pair), { workload: pair % 2 === 0 ? 'items' : 'last-node' }),
  ),
  ...(['before', 'middle'] as const).flatMap((when) =>
    [false, true].map((isNice) =>
      part('neighbour', `${when}${isNice ? '-nice' : ''}`, { when, isNice }),
    ),
  ),
  ...times(SPINNER.parts).map((one) => part('spinner', String(one))),
  ...times(RATE.parts).map((one) => part('rate', String(one))),
];

/** About how long one of each takes with the shortest budgets; all kinds would take more than the three minutes of a short form. */
const QUICK_SECONDS = { pairs: 80, rate: 75 } satisfies Partial<Record<Kind, number>>;
export const QUICK_PARTS = keys(QUICK_SECONDS).flatMap((kind) =>
  PARTS.filter((one) => one.kind === kind)
    .slice(0, 1)
    .map((one) => ({ ...one, seconds: QUICK_SECONDS[kind] })),
);
