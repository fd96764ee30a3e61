/** Measures two topologies in turns until the difference is clear, or clearly none. */
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { alignedPairs, compare, turn, unlessRejected, type Comparison } from '../analysis/compare';
import { Resting } from '../find/rest';
import { COMPARE_FILE, type CompareRecord, type Side } from '../record/compare-record';
import { refuseWithoutEvidence } from '../run/evidence';
import { runId, writeWhole } from '../record/folder';
import type { Running } from '../targets/target';
import { messageOf } from '../ui/exit';
import type { Progress } from '../ui/progress';
import { measureSide, type Measured, type SideOrder } from './measure-side';
import { COMPARE_METRICS } from '../analysis/compare-metric';
import { writeCompareReports } from './reports';

export interface CompareOrder extends SideOrder {
  names: { a: string; b: string };
  mostPairs: number;
  budgetSeconds: number;
}

export interface FinishedComparison {
  folder: string;
  record: CompareRecord;
  problems: string[];
}

type Letter = 'A' | 'B';

export async function compareTopologies(
  running: Record<Letter, Running>,
  order: CompareOrder,
  progress: Progress,
  signal: AbortSignal,
): Promise<FinishedComparison> {
  for (const side of [running.A, running.B]) await refuseWithoutEvidence(side, order.slos);
  const started = new Date();
  const id = runId(started, order.workload.recorded.name, 'compare');
  const folder = join(order.out, id);
  mkdirSync(folder, { recursive: true });
  const problems: string[] = [];
  const sides: Record<Letter, Side> = {
    A: sideOf(order.names.a, running.A),
    B: sideOf(order.names.b, running.B),
  };
  const invalid: string[] = [];
  const elapsed = (): number => (Date.now() - started.getTime()) / 1000;
  const { moreIsBetter, title } = COMPARE_METRICS[order.metric];
  const now = (): Comparison =>
    unlessRejected(
      compare(alignedPairs(sides.A.values, sides.B.values), {
        moreIsBetter,
        mostPairs: order.mostPairs,
      }),
      moreIsBetter,
      { a: knownShares(sides.A), b: knownShares(sides.B) },
    );

  const { requests } = order.workload;
  const resting = {
    A: new Resting(running.A, requests),
    B: new Resting(running.B, requests),
  };

  const measureInto = async (letter: Letter, out: string): Promise<void> => {
    const tell = (text: string): void => {
      progress(`${now().text} after ${String(now().pairs)} pairs · ${letter}: ${text}`);
    };
    await resting[letter].before(tell, signal);
    if (signal.aborted) return;
    const side = { ...order, out: join(folder, out) };
    const measured = await measureSide(running[letter], side, tell, signal).catch(
      (error: unknown): Measured => {
        // A side that does not answer must not take the figures of both with it.
        return {
          ...{ folder: '', value: null, sentence: messageOf(error), problems: [] },
          ...{ outcome: 'failed', goodShare: null, limit: null },
        };
      },
    );
    problems.push(...measured.problems);
    if (out === WARM_UP || signal.aborted) return;
    if (measured.value === null) invalid.push(`${letter}: ${measured.sentence}`);
    // Also of a run that does not count: what comes after it keeps its round.
    keep(sides[letter], measured);
  };

  // The first load after a start compiles most of what later ones reuse; a search begins with its own.
  const warmsItself = order.metric === 'capacity';
  for (const letter of ['A', 'B'] as const) {
    if (!warmsItself) await measureInto(letter, WARM_UP);
  }
  for (let run = 0; goesOn(run, now(), invalid, signal, order, elapsed()); run += 1) {
    await measureInto(turn(run), 'runs');
  }

  const comparison = now();
  const record: CompareRecord = {
    schemaVersion: 2,
    kind: 'compare',
    id,
    startedAt: started.toISOString(),
    endedAt: new Date().toISOString(),
    command: order.command,
    workload: order.workload.recorded,
    metric: order.metric,
    slo: order.slos,
    ...(order.prices === undefined ? {} : { prices: order.prices }),
    a: sides.A,
    b: sides.B,
    machine: running.A.machine,
    versions: running.A.versions,
    ratio: comparison.ratio,
    answer: comparison.answer,
    sentence: `By ${title} of ${order.workload.recorded.name}, ${order.names.b} is ${wording(comparison, order.names.a)}.`,
    totalSeconds: elapsed(),
    doubts: [
      ...(signal.aborted ? ['The comparison was stopped before its end.'] : []),
      ...invalid.map((text) => `A run was not valid and does not count: ${text}`),
      ...(['A', 'B'] as const).flatMap((letter) => notSustained(letter, sides[letter])),
    ],
  };
  writeWhole(join(folder, COMPARE_FILE), `${JSON.stringify(record, null, 2)}\n`);
  problems.push(...(await writeCompareReports(folder, record)));
  return { folder, record, problems };
}

const WARM_UP = 'warm-up';
const MOST_INVALID = 4;

/** The budget is only looked at between two halves of an ABBA, so that a drift still cancels out. */
function goesOn(
  run: number,
  comparison: Comparison,
  invalid: readonly string[],
  signal: AbortSignal,
  order: CompareOrder,
  elapsedSeconds: number,
): boolean {
  if (signal.aborted || invalid.length >= MOST_INVALID) return false;
  if (run % 4 !== 0) return true;
  return !comparison.done && elapsedSeconds < order.budgetSeconds;
}

const sideOf = (name: string, { topology }: Running): Side => ({
  ...{ name, topology },
  ...{ values: [], runs: [], outcomes: [], goodShares: [], limits: [] },
});

function keep(side: Side, { value, folder, outcome, goodShare, limit }: Measured): void {
  side.values.push(value);
  side.runs.push(join('runs', basename(folder)));
  side.outcomes?.push(outcome);
  side.goodShares?.push(goodShare);
  side.limits?.push(limit);
}

const knownShares = ({ goodShares = [] }: Side): number[] =>
  goodShares.filter((share) => share !== null);

/** A run that missed its SLO is a measurement all the same, and the reader of the answer should know. */
function notSustained(letter: Letter, { outcomes = [], runs }: Side): string[] {
  const rounds = outcomes.flatMap((outcome, index) =>
    ['not sustained', 'nothing sustained'].includes(outcome) ? [index + 1] : [],
  );
  if (rounds.length === 0) return [];
  const first = runs[(rounds[0] ?? 1) - 1] ?? '';
  return [
    `${letter} did not sustain its load in ${String(rounds.length)} of ${String(outcomes.length)} rounds (${rounds.join(', ')}); the first is ${first}`,
  ];
}

function wording({ answer, text }: Comparison, a: string): string {
  if (answer === 'unknown') return `not yet distinguishable from ${a}: ${text}`;
  return answer === 'no difference' ? `like ${a}: ${text}` : `${text} than ${a}`;
}
