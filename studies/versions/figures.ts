// What the study of versions measures, and what its records say of each version and of each goal. Pure.
import type { CompareRecord } from '../../cli/src/features/compare/record';
import type { PatchStates } from '../../cli/src/record/patches';
import { median, type Interval } from '../../cli/src/analysis/statistics/statistics';
import type { Part } from '../../cli/src/features/study/study';
import { compareVersions } from '../../cli/src/ui/versions';

/**
 * One n8n of each minor version that differs for a patch, the newest first; of the last one the LTS. Of 2.41 the one that the lab
 * pins, with the four packages in other versions that lab/n8n/2.41.1/package.json names.
 */
export const VERSIONS = [
  ...['2.41.1', '2.40.7', '2.39.10', '2.38.7', '2.37.11', '2.36.8', '2.35.7', '2.33.7', '2.30.8'],
  ...['2.23.4', '2.16.1', '2.4.8', '1.123.81'],
];

/** With as many clients as saturate both sides. */
export const WORKLOADS = { 'last-node': 16, expressions: 8 };
export type Workload = keyof typeof WORKLOADS;
export const MODES = ['regular', 'queue'] as const;
export type Mode = (typeof MODES)[number];

export interface Cell extends Part {
  n8n: string;
  workload: Workload;
  mode: Mode;
}

export const nameOf = ({ n8n, workload, mode }: Pick<Cell, 'n8n' | 'workload' | 'mode'>): string =>
  `${n8n}-${workload}-${mode}`;
const cell = (n8n: string, workload: Workload, mode: Mode, seconds: number): Cell => ({
  ...{ name: nameOf({ n8n, workload, mode }), seconds, n8n, workload, mode },
});

/** About, the start of both sides included. */
const SECONDS = 230;
export const WORKLOAD_NAMES = Object.keys(WORKLOADS) as Workload[];
export const PARTS: Cell[] = VERSIONS.flatMap((n8n) =>
  WORKLOAD_NAMES.flatMap((workload) => MODES.map((mode) => cell(n8n, workload, mode, SECONDS))),
);
/** Cells of the version that everybody who has the lab has. */
export const QUICK_PARTS: Cell[] = [cell('2.41.1', 'last-node', 'queue', 80)];

/** What is kept of a cell. */
export interface Ratio {
  /** The version that the running n8n told. */
  n8n: string;
  workload: Workload;
  mode: Mode;
  clients: number;
  startedAt: string;
  seconds: number;
  machine: CompareRecord['machine'];
  versions: Record<string, string>;
  /** Executions per second of each run, by round; null where the run was not valid. */
  asItComes: (number | null)[];
  defaults: (number | null)[];
  /** Defaults over as it comes; the upper end is null while there is none. */
  ratio: { value: number; low: number; high: number | null };
  /** The states that the running n8n told of the side with the defaults, by role. */
  patches: PatchStates;
  doubts: string[];
}

/** Null where nothing was measured; `why` says it. */
export function ratioOf(
  { n8n, workload, mode }: Pick<Cell, 'n8n' | 'workload' | 'mode'>,
  record: CompareRecord,
): Ratio | { why: string } {
  const { a, b, ratio, startedAt, totalSeconds, machine, versions, doubts } = record;
  const told = b.versions?.['n8n'];
  if (told !== n8n || a.versions?.['n8n'] !== n8n) {
    return { why: `another n8n than ${n8n} responded: ${told ?? 'it told no version'}` };
  }
  if (b.patches === undefined) return { why: 'n8n showed no state of its patches' };
  const pairs = a.values.filter((value, index) => value !== null && b.values[index] != null);
  if (pairs.length < 2) return { why: doubts[0] ?? 'too few runs were valid' };
  return {
    ...{ n8n: told, workload, mode, clients: WORKLOADS[workload], startedAt },
    ...{ seconds: totalSeconds, machine, versions, asItComes: a.values, defaults: b.values },
    ratio: { ...ratio, high: Number.isFinite(ratio.high) ? ratio.high : null },
    ...{ patches: b.patches, doubts },
  };
}

export const middleOf = (values: Ratio['defaults']): number =>
  median(values.filter((value) => value !== null));

interface Goal {
  what: string;
  /** Whether it is about this ratio. */
  of(ratio: Ratio): boolean;
  isMet(ratio: Interval): boolean;
  /** Whether that is a matter of the intervals alone. */
  ofIntervals?: true;
}

/** `isSandboxed`: whether this n8n evaluates expressions in a sandbox for which the chart has patches. */
const goals = (isSandboxed: (n8n: string) => boolean): Goal[] => [
  {
    what: '`expressions` at least 2.5x, for each version with the sandboxed engine',
    of: ({ workload, n8n }) => workload === 'expressions' && isSandboxed(n8n),
    isMet: ({ value }) => value >= 2.5,
  },
  {
    what: '`last-node` at least 3x, from 2.40 on',
    of: ({ workload, n8n }) => workload === 'last-node' && compareVersions(n8n, '2.40.0') >= 0,
    isMet: ({ value }) => value >= 3,
  },
  { what: 'no version slower', of: () => true, isMet: ({ high }) => high >= 1, ofIntervals: true },
];

export interface GoalSeen {
  what: string;
  measured: number;
  met: number;
  /** How many intervals include 1, so that nothing is known of which side is faster. */
  undecided: number;
  ofIntervals: boolean;
  /** Null while nothing is measured. */
  lowest: Ratio | null;
}

export const goalsSeen = (
  ratios: readonly Ratio[],
  isSandboxed: (n8n: string) => boolean,
): GoalSeen[] =>
  goals(isSandboxed).map(({ what, of, isMet, ofIntervals = false }) => {
    const about = ratios.filter(of);
    const [lowest = null] = about.toSorted((one, other) => one.ratio.value - other.ratio.value);
    const met = about.filter(({ ratio }) => isMet({ ...ratio, high: ratio.high ?? Infinity }));
    const undecided = about.filter(
      ({ ratio: { low, high } }) => low <= 1 && (high ?? Infinity) >= 1,
    );
    return {
      ...{ what, measured: about.length, met: met.length },
      ...{ undecided: undecided.length, ofIntervals, lowest },
    };
  });
