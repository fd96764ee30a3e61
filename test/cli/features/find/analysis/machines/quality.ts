/** How wide and how right the answers of searches are on simulated machines whose speed changes. */
import { largest, median } from '../../../../../../cli/src/analysis/statistics/statistics';
import { meanCost } from '../../../../../../cli/src/features/find/analysis/virtual-queue/trace';
import { searchMachine, type Searched } from './drive';
import type { MachineName } from './machine';
import { trueCapacity } from './truth';

export const BUDGETS_SECONDS = [100, 300];
/** None with which the estimator was made. */
const FIRST_SEED = 7_001;

/** Figures of the searches of one machine within one budget. */
export interface Row {
  machine: string;
  budgetSeconds: number;
  /** Those that a virtual queue answered; the rest was left to pass and miss. */
  replayed: number;
  /** Shares of the answer, and of the truth. */
  medianWidth: number;
  medianError: number;
  worstError: number;
  /** Intervals that contain the truth. */
  inside: number;
  /** Answers by how sure they are. */
  found: number;
  rough: number;
  notConfirmed: number;
  inconclusive: number;
  /** Found or rough with an interval that misses the truth. */
  wrong: number;
  /** Those of them that are above the truth: the others are on the safe side. */
  tooHigh: number;
}

export interface MachineQuality {
  about: string;
  /** Searches of each machine under each budget. */
  repeats: number;
  rows: RecordedRow[];
}

/** With what was simulated and judged, in short: a row of other code is measured again. */
export interface RecordedRow extends Row {
  code: string;
}

export function rowOf(machine: MachineName, budgetSeconds: number, repeats: number): Row {
  const all = Array.from({ length: repeats }, (_, repeat) => {
    const searched = searchMachine(machine, FIRST_SEED + repeat, budgetSeconds);
    process.stderr.write(`${machine}, ${String(budgetSeconds)} s, ${String(repeat + 1)}\n`);
    return judged(machine, searched);
  });
  const errors = all.map(({ error }) => error);
  const count = (is: (one: Judged) => boolean): number => all.filter(is).length;
  const ofLevel = (level: Judged['level']): number => count((one) => one.level === level);
  return {
    ...{ machine, budgetSeconds, replayed: count(({ isReplayed }) => isReplayed) },
    medianWidth: rounded(median(all.map(({ width }) => width))),
    medianError: rounded(median(errors)),
    worstError: rounded(largest(errors)),
    inside: count(({ isInside }) => isInside),
    ...{ found: ofLevel('found'), rough: ofLevel('rough') },
    ...{ notConfirmed: ofLevel('not confirmed'), inconclusive: ofLevel('inconclusive') },
    wrong: count(isWrong),
    tooHigh: count((one) => isWrong(one) && one.isAbove),
  };
}

interface Judged {
  isReplayed: boolean;
  level: Searched['estimate']['level'];
  width: number;
  error: number;
  isInside: boolean;
  isAbove: boolean;
}

const isWrong = ({ level, isInside }: Judged): boolean =>
  !isInside && (level === 'found' || level === 'rough');

function judged(name: MachineName, { estimate, probes }: Searched): Judged {
  const { capacity, low, high, price, level } = estimate;
  const costs = probes.flatMap(({ outcome: { trace } }) =>
    trace === null || trace.ratePerSecond === null ? [] : [1_000 * meanCost(trace)],
  );
  const truth = trueCapacity(name, price?.cpuMs ?? median(costs));
  return {
    isReplayed: price !== null,
    level,
    width: (high - low) / capacity,
    error: Math.abs(capacity / truth - 1),
    isInside: low <= truth && truth <= high,
    isAbove: truth < low,
  };
}

const rounded = (share: number): number => Math.round(1_000 * share) / 1_000;
