// The parts of the plan that compares `find` with a staircase: by round, workload and mode a search, then a staircase
// around its answer. Pure.
import type { Part } from '../../cli/src/features/study/study';

/** How often each comparison is made: all of them once before any is made again, so that the first round says something of all. */
const ROUNDS = [1, 2];
/** The path of each at n8n. */
export const WORKLOADS = {
  'last-node': 'load-last-node',
  items: 'load-items',
  expressions: 'load-expressions',
};
export const MODES = { regular: [], queue: ['--mode', 'queue', '--workers', '1'] };

/** The same budget as that of `make capacity`. */
export const BUDGET = '5m';
/** oha sends evenly and knows no other way. With random arrivals, the default, find answers lower: studies/arrivals. */
export const ARRIVALS = 'even';
export const P95_MS = 300;
export const STEP_SECONDS = 60;
/** Before the first step: n8n is as cold as it is when find begins, which warms up too. */
export const WARMUP_SECONDS = 20;
export const MAX_STEPS = 8;

/**
 * About, the start and the end of n8n included. A staircase has at least five steps and seldom more than six; with all
 * eight it takes two minutes longer.
 */
const SECONDS = { find: 380, staircase: 440 };
type Kind = keyof typeof SECONDS;

export interface PlannedPart extends Part {
  kind: Kind;
  workload: keyof typeof WORKLOADS;
  mode: keyof typeof MODES;
  round: number;
}

const keys = <Key extends string>(table: Record<Key, unknown>): Key[] =>
  Object.keys(table) as Key[];

type Compared = Pick<PlannedPart, 'workload' | 'mode' | 'round'>;
const nameOf = ({ workload, mode, round }: Compared, kind: Kind): string =>
  `${workload}-${mode}-${String(round)}-${kind}`;

export const PARTS: PlannedPart[] = ROUNDS.flatMap((round) =>
  keys(WORKLOADS).flatMap((workload) =>
    keys(MODES).flatMap((mode) =>
      keys(SECONDS).map((kind) => {
        const part = { workload, mode, round };
        return { name: nameOf(part, kind), kind, ...part, seconds: SECONDS[kind] };
      }),
    ),
  ),
);

/** The part whose answer a staircase is built around. */
export const findOf = (staircase: Compared): string => nameOf(staircase, 'find');
