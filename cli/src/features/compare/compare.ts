/** Measures two or more topologies in turns until each difference from the first one is clear, or clearly none. */

import { basename, join, relative } from 'node:path';
import { alignedPairs, compare, turn, unlessRejected, type Comparison } from './analysis/compare';
import { Resting } from '../find/rest';
import { COMPARE_FILE } from '../../record/find-records';
import type { CompareMetric, CompareRecord, Side } from './record';
import { refuseWithoutEvidence } from '../../run/evidence';
import type { Doubt } from '../../record/run-record';
import { makeFolder, runId, writeWhole } from '../../record/folder';
import type { Running } from '../../targets/target';
import { messageOf } from '../../ui/exit';
import type { Progress } from '../../ui/progress';
import { eachKindOnce } from '../find/analysis/doubts';
import { atEqualPrice } from './analysis/equal-price';
import { measureSide, type Measured, type SideOrder } from './measure-side';
import { COMPARE_METRICS } from './analysis/metric';
import { writeBeside } from '../../record/write-beside';
import { comparedRuns } from './seen';
import { reportFiles } from '../../report/files';
import { compareDocument } from './report/document';
import { answerText } from './report/figures';

export interface CompareOrder extends SideOrder {
  /** Names of the sides; each other one is compared with the first. */
  names: readonly string[];
  maxPairs: number;
  /** How near to the ratio each end of its interval has to be; left out: until it excludes 1. */
  precision?: number;
  budgetSeconds: number;
  /** All sides are loaded at once, so that what happens to the machine happens to each of them. */
  isDuet?: boolean;
}

export interface FinishedComparison {
  folder: string;
  record: CompareRecord;
}

export interface FinishedComparisons {
  /** One for each side but the first. */
  comparisons: FinishedComparison[];
  problems: string[];
}

/** A run that was not valid. */
interface Invalid {
  side: number;
  sentence: string;
}

export async function compareTopologies(
  running: readonly Running[],
  order: CompareOrder,
  progress: Progress,
  signal: AbortSignal,
): Promise<FinishedComparisons> {
  for (const side of running) await refuseWithoutEvidence(side, order.slos);
  const started = new Date();
  const startedMs = performance.now();
  const id = runId(started, order.workload.recorded.name, 'compare');
  const problems: string[] = [];
  const measuredSides = running.map((side, index): MeasuredSide => {
    const { requests } = order.workload;
    const name = order.names[index] ?? '';
    const resting = new Resting(side, requests);
    return { running: side, side: sideOf(name, side), resting, doubts: [] };
  });
  const [first, ...others] = measuredSides;
  if (first === undefined) throw new Error('there is nothing to compare');
  const top = join(order.out, id);
  const folders = others.map(({ side }) =>
    others.length === 1 ? top : join(top, folderName(side.name)),
  );
  // All runs lie beneath the first comparison; the others lead there.
  const home = folders[0] ?? top;
  for (const folder of [home, ...folders]) makeFolder(folder);

  const invalid: Invalid[] = [];
  const elapsed = (): number => Math.round(performance.now() - startedMs) / 1000;
  const now = (): Comparison[] => others.map(({ side }) => comparisonOf(first.side, side, order));

  const tellOf = (index: number) => (text: string) => {
    progress(`${stateOf(now())} · ${letterOf(index)}: ${text}`);
  };
  /** All have rested before any is loaded, so that those of a duet are loaded in the same seconds. */
  const rest = (indices: readonly number[]): Promise<unknown> =>
    Promise.all(
      indices.map((index) => measuredSides[index]?.resting.before(tellOf(index), signal)),
    );

  const measureInto = async (index: number, out: string): Promise<void> => {
    const one = measuredSides[index];
    if (one === undefined || signal.aborted) return;
    const tell = tellOf(index);
    const side = { ...order, out: join(home, out) };
    const measured = await measureSide(one.running, side, tell, signal).catch(
      (error: unknown): Measured => {
        // A side that does not answer must not take the figures of the others with it.
        return {
          ...{ folder: '', value: null, sentence: messageOf(error), problems: [], doubts: [] },
          ...{ outcome: 'failed', goodShare: null, cpuMs: null, limit: null, told: null },
        };
      },
    );
    problems.push(...measured.problems);
    if (out === WARM_UP || signal.aborted) return;
    if (measured.value === null) invalid.push({ side: index, sentence: measured.sentence });
    else one.doubts.push(measured.doubts);
    // Also of a run that does not count: what comes after it keeps its round.
    keep(one.side, measured);
  };

  // The first load after a start compiles most of what later ones reuse; a search begins with its own.
  const warmsItself = order.metric === 'capacity';
  for (const index of measuredSides.keys()) {
    if (warmsItself) continue;
    await rest([index]);
    await measureInto(index, WARM_UP);
  }
  const sides = measuredSides.length;
  const together = order.isDuet === true ? sides : 1;
  for (let run = 0; goesOn(run, now(), invalid, signal, order, elapsed()); run += together) {
    const all = Array.from({ length: together }, (_, index) => turn(run + index, sides));
    await rest(all);
    await Promise.all(all.map((index) => measureInto(index, 'runs')));
  }

  const comparisons: FinishedComparison[] = [];
  for (const [index, other] of others.entries()) {
    const { side } = other;
    const folder = folders[index] ?? top;
    const record = recordOf(first, other, {
      ...{
        order,
        started,
        stoppedBy: signal.aborted ? messageOf(signal.reason) : null,
        totalSeconds: elapsed(),
      },
      id: others.length === 1 ? id : `${id}-${folderName(side.name)}`,
      invalid: invalid.filter((one) => one.side === 0 || one.side === index + 1),
      fromFolder: (path) => join(relative(folder, home), path),
    });
    writeWhole(join(folder, COMPARE_FILE), `${JSON.stringify(record, null, 2)}\n`);
    problems.push(
      ...writeBeside(
        folder,
        reportFiles(compareDocument(record, await comparedRuns(folder, record))),
      ),
    );
    comparisons.push({ folder, record });
  }
  return { comparisons, problems };
}

interface MeasuredSide {
  running: Running;
  side: Side;
  resting: Resting;
  /** Those of each run that counts. */
  doubts: Doubt[][];
}

interface About {
  order: CompareOrder;
  id: string;
  started: Date;
  /** Null where it came to its end. */
  stoppedBy: string | null;
  totalSeconds: number;
  invalid: readonly Invalid[];
  /** The path of a run, relative to the folder of the comparison. */
  fromFolder(path: string): string;
}

/** The record that compares the first side with another one, which is B whatever its place. */
function recordOf(first: MeasuredSide, other: MeasuredSide, about: About): CompareRecord {
  const { order, started, invalid } = about;
  const comparison = comparisonOf(first.side, other.side, order);
  const { title } = COMPARE_METRICS[order.metric];
  const [a, b] = [first, other].map(({ side }) => ({
    ...side,
    runs: side.runs.map(about.fromFolder),
  })) as [Side, Side];
  const { metric, maxPairs } = order;
  const equalPrice = atEqualPrice(a, b, { metric, maxPairs, loop: order.plan.loop });
  return {
    schemaVersion: 2,
    kind: 'compare',
    id: about.id,
    startedAt: started.toISOString(),
    endedAt: new Date().toISOString(),
    command: order.command,
    workload: order.workload.recorded,
    metric: order.metric,
    slo: order.slos,
    ...(order.prices === undefined ? {} : { prices: order.prices }),
    a,
    b,
    machine: first.running.machine,
    versions: first.running.versions,
    ratio: comparison.ratio,
    ...(equalPrice === null ? {} : { equalPrice }),
    ...(order.isDuet === true ? { isDuet: true as const } : {}),
    answer: comparison.answer,
    sentence: `Measured by ${title} with ${order.workload.recorded.name}, ${b.name} is ${answerText(comparison, a.name)}.`,
    totalSeconds: about.totalSeconds,
    maxPairs: order.maxPairs,
    endedBy: endOf(comparison, about),
    doubts: [
      ...(order.before?.disturbances ?? []),
      ...(about.stoppedBy === null
        ? []
        : [`The comparison is not complete, because it was ${about.stoppedBy}.`]),
      ...invalid.map(({ side, sentence }) => {
        const letter = side === 0 ? 'A' : 'B';
        return metric === 'capacity'
          ? `A search of ${letter} found no capacity and does not count: ${sentence}`
          : `A run of ${letter} was not valid and does not count: ${sentence}`;
      }),
      ...sideDoubts('A', a, { metric, ofRuns: first.doubts }),
      ...sideDoubts('B', b, { metric, ofRuns: other.doubts }),
    ],
  };
}

function endOf(
  { done, pairs }: Comparison,
  { order, stoppedBy, invalid }: About,
): NonNullable<CompareRecord['endedBy']> {
  if (stoppedBy !== null) return 'interruption';
  if (done) return pairs >= order.maxPairs ? 'pairs' : 'answer';
  return invalid.length > 0 ? 'failed runs' : 'time';
}

function comparisonOf(a: Side, b: Side, { metric, maxPairs, precision }: CompareOrder): Comparison {
  const { moreIsBetter } = COMPARE_METRICS[metric];
  const compared = compare(alignedPairs(a.values, b.values), {
    ...{ moreIsBetter, maxPairs },
    ...(precision === undefined ? {} : { precision }),
  });
  return unlessRejected(compared, moreIsBetter, { a: knownShares(a), b: knownShares(b) });
}

const letterOf = (index: number): string => String.fromCharCode('A'.charCodeAt(0) + index);

/** The progress of several comparisons; a sentence for each would not fit into a line. */
function stateOf(comparisons: readonly Comparison[]): string {
  const [one, ...more] = comparisons;
  if (one === undefined) return '';
  const after = `after ${String(one.pairs)} pairs`;
  if (more.length === 0) return `${answerText(one)} ${after}`;
  const done = comparisons.filter((each) => each.done).length;
  return `${String(done)} of ${String(comparisons.length)} decided ${after}`;
}

const folderName = (side: string): string => side.replaceAll(/[^\w.-]+/g, '-');

const WARM_UP = 'warm-up';
/** For each side. */
const MAX_INVALID = 2;

/**
 * The budget is only looked at between two halves of an ABBA, so that a drift still cancels out. The first round is
 * measured whatever the start and the warm-up took of it: without a round there is no answer.
 */
function goesOn(
  run: number,
  comparisons: readonly Comparison[],
  invalid: readonly Invalid[],
  signal: AbortSignal,
  order: CompareOrder,
  elapsedSeconds: number,
): boolean {
  const sides = order.names.length;
  if (signal.aborted || invalid.length >= MAX_INVALID * sides) return false;
  if (run === 0 || run % (2 * sides) !== 0) return true;
  return !comparisons.every(({ done }) => done) && elapsedSeconds < order.budgetSeconds;
}

const sideOf = (name: string, { topology, versions }: Running): Side => ({
  ...{ name, topology, versions },
  ...{ values: [], runs: [], outcomes: [], goodShares: [], limits: [], cpuMs: [] },
});

function keep(
  side: Side,
  { value, folder, outcome, goodShare, limit, cpuMs, told }: Measured,
): void {
  side.values.push(value);
  side.runs.push(join('runs', basename(folder)));
  side.outcomes?.push(outcome);
  side.goodShares?.push(goodShare);
  side.limits?.push(limit);
  side.cpuMs?.push(cpuMs);
  if (told !== null) side.versions = told.versions;
  if (told?.patches !== undefined) side.patches = told.patches;
}

const knownShares = ({ goodShares = [] }: Side): number[] =>
  goodShares.filter((share) => share !== null);

/** A run that missed its SLO is a measurement all the same, and the reader of the answer should know. */
export function sideDoubts(
  letter: 'A' | 'B',
  { values, outcomes = [], runs }: Pick<Side, 'values' | 'outcomes' | 'runs'>,
  { metric, ofRuns }: { metric: CompareMetric; ofRuns: readonly (readonly Doubt[])[] },
): string[] {
  const inRounds = (what: string, isMeant: (outcome: string, index: number) => boolean) => {
    const rounds = outcomes.flatMap((outcome, index) =>
      isMeant(outcome, index) ? [index + 1] : [],
    );
    if (rounds.length === 0) return [];
    const first = runs[(rounds[0] ?? 1) - 1] ?? '';
    return [
      `${what} in ${String(rounds.length)} of ${String(outcomes.length)} rounds (${rounds.join(', ')}); the first of these runs is ${first}`,
    ];
  };
  return [
    ...inRounds(`${letter} did not sustain its load`, (outcome) =>
      ['not sustained', 'nothing sustained'].includes(outcome),
    ),
    ...inRounds(
      `The capacity of ${letter} is inconclusive`,
      (outcome, index) =>
        metric === 'capacity' && outcome === 'inconclusive' && values[index] != null,
    ),
    ...eachKindOnce(ofRuns, `runs of ${letter}`),
  ];
}
