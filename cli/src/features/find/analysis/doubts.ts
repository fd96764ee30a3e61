import type { Estimate } from './estimate';
import { isNarrow, widthOf } from './levels';
import { contradictEachOther, speedSpread } from './machine-speed';
import { seenMeanwhile } from '../../../run/analysis/stall-causes';
import { largest } from '../../../analysis/statistics/statistics';
import type { FindProbe, FindRecord } from '../record';
import type { Doubt, StallCauses, Summary } from '../../../record/run-record';
import { duration, formatNumber, percent } from '../../../ui/numbers';

/** A look takes a second. */
const MIN_WAITED_SECONDS = 5;
/** V8 keeps some of what it once had; this much more at rest is worth a word. */
const GROWN = 1.5;

/** What makes the answer of a search doubtful: of the search itself, then of its probes. */
export function findDoubts(head: FindHead, estimate: Estimate, ending: SearchEnding): string[] {
  return [
    ...(head.before?.disturbances ?? []),
    ...ended(head, estimate, ending),
    ...imprecise(head, estimate),
    ...contradictions(estimate),
    ...speed(head.probes, estimate),
    ...stalls(head.probes, estimate),
    ...restless(ending),
    ...waited(ending),
    ...grown(ending),
    ...invalid(head.probes),
    ...eachKindOnce(
      head.probes.map(({ doubts }) => doubts),
      'probes',
    ),
  ];
}

function ended(
  { budgetSeconds }: FindHead,
  { cutShort, level }: Estimate,
  { stoppedBy, failure }: SearchEnding,
): string[] {
  if (stoppedBy !== null) return [`The search is not complete, because it was ${stoppedBy}.`];
  if (failure !== null) {
    return [`The search ended early, because the next probe failed: ${failure}`];
  }
  if (!cutShort || budgetSeconds === null) return [];
  return [
    `The search used up its budget of ${formatNumber(budgetSeconds)} s${level === 'inconclusive' ? '' : '; a larger --budget narrows the interval'}.`,
  ];
}

/** Whether its interval is wider than was asked for. */
export const isImprecise = ({
  precision = Infinity,
  capacity: { ratePerSecond, low, high },
}: Pick<FindRecord, 'precision' | 'capacity'>): boolean =>
  widthOf({ capacity: ratePerSecond, low, high: high ?? Infinity }) > precision;

function imprecise({ precision, budgetSeconds }: FindHead, estimate: Estimate): string[] {
  const width = widthOf(estimate);
  if (precision === undefined || !(estimate.capacity > 0) || width <= precision) return [];
  const asked = `--precision ${percent(precision)} was not reached`;
  if (!Number.isFinite(width)) return [`The interval has no upper end, so ${asked}.`];
  const { level, price, cutShort, refining } = estimate;
  // There, the answer itself says what would narrow it.
  if (level === 'inconclusive') return [`The interval is ${percent(width)} wide, so ${asked}.`];
  const hasStopped = price === null && budgetSeconds !== null && !cutShort;
  const how = hasStopped
    ? 'By passes and misses alone, the search looks no closer; a smaller --precision makes it continue.'
    : `${refining ?? 'A larger --budget narrows it'}.`;
  return [`The interval is ${percent(width)} wide, so ${asked}. ${how}`];
}

function contradictions({ contradicting }: Estimate): string[] {
  if (contradicting.length === 0) return [];
  const seen = contradicting.map(
    ({ ratePerSecond, sustained }) =>
      `${formatNumber(ratePerSecond)}/s was ${sustained ? '' : 'not '}sustained`,
  );
  return [
    `Some probes contradict the answer: ${seen.join(', ')}. Either other programs disturbed these probes, or the system changed during the search, so search again.`,
  ];
}

/** If probes agree, a change of speed made no difference. */
function speed(probes: readonly FindProbe[], estimate: Estimate): string[] {
  const { capacity, price } = estimate;
  // The answer itself says at which speed it holds.
  if (price !== null || (isNarrow(estimate) && !contradictEachOther(probes))) return [];
  const spread = speedSpread(probes, capacity);
  if (spread === null) return [];
  const { role, lowMs, highMs, ratesPerSecond } = spread;
  const slower = percent(highMs / lowMs - 1);
  const [from, to] = ratesPerSecond.map(formatNumber);
  const rates = from === to ? `${String(to)}/s` : `${String(from)} to ${String(to)}/s`;
  return [
    `The machine was up to ${slower} slower in some probes: at about the same load (${rates}), a request took ${formatNumber(lowMs)} to ${formatNumber(highMs)} ms of CPU time in ${role}. Search again when no other program uses the machine, or on a machine with a steady speed.`,
  ];
}

/** Those that left the answer as sure as it was are no doubt. */
function stalls(probes: readonly FindProbe[], estimate: Estimate): string[] {
  const valid = probes.filter(({ result }) => result !== 'invalid');
  const all = valid.flatMap(({ stallsMs }) => stallsMs);
  if (isNarrow(estimate) || all.length === 0) return [];
  const seconds = valid.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0);
  const times = all.length === 1 ? 'once' : `${String(all.length)} times`;
  return [
    `The system stalled ${times} in ${formatNumber(seconds)} s of probes: for up to ${duration(largest(all))}, no request was answered although requests were waiting. Such stalls can decide whether a run meets the SLO, so they widen the interval${estimate.level === 'inconclusive' ? '' : '; a larger --budget narrows it'}. ${causes(valid)}`,
  ];
}

function causes(probes: readonly FindProbe[]): string {
  const count = (cause: keyof StallCauses): number =>
    probes.reduce((sum, { stallCauses }) => sum + (stallCauses?.[cause] ?? 0), 0);
  const seen = seenMeanwhile({ cpuLimit: count('cpuLimit'), collection: count('collection') });
  return seen === null
    ? 'A garbage collection, a database checkpoint or a CPU limit may be the cause.'
    : `Possible causes: ${seen}.`;
}

function restless({ restless: probes }: SearchEnding): string[] {
  if (probes.length === 0) return [];
  return [
    `n8n was not idle before the ${probes.length === 1 ? 'probe' : 'probes'} at ${probes.join(', ')}.`,
  ];
}

function waited({ waitedSeconds }: SearchEnding): string[] {
  if (waitedSeconds < MIN_WAITED_SECONDS) return [];
  return [
    `Before probes, the search waited ${duration(1_000 * waitedSeconds)} in all until other programs used less CPU.`,
  ];
}

function grown({ memoryAtRestMiB }: SearchEnding): string[] {
  const [atFirst] = memoryAtRestMiB;
  const atLast = memoryAtRestMiB.at(-1);
  if (atFirst === undefined || atLast === undefined || atLast <= GROWN * atFirst) return [];
  return [
    `Idle n8n used ${formatNumber(atFirst)} MiB before the first probe and ${formatNumber(atLast)} MiB before the last: n8n may leak memory, so it would sustain less in the long run.`,
  ];
}

function invalid(probes: readonly FindProbe[]): string[] {
  const all = probes.filter(({ result }) => result === 'invalid');
  const byGenerator = all.filter(
    ({ leftOut = [], limitedBy }) => leftOut.length === 0 && limitedBy.limit?.role === 'generator',
  ).length;
  const byOthers = all.filter(({ leftOut = [] }) => leftOut.length > 0).length;
  const causes: [number, string][] = [
    [byGenerator, 'the load generator was the limit'],
    [byOthers, 'other programs used the machine'],
    [all.length - byGenerator - byOthers, 'k6 could not send all requests'],
  ];
  return causes
    .filter(([count]) => count > 0)
    .map(
      ([count, why]) =>
        `${String(count)} of ${String(probes.length)} probes were invalid, because ${why}; they do not count.`,
    );
}

/** The warnings of all runs, each kind once: their numbers differ from run to run. */
export function eachKindOnce(runs: readonly (readonly Doubt[])[], called: string): string[] {
  const kinds = new Map<string, { first: string; count: number }>();
  for (const doubts of runs) {
    const inThis = new Map(doubts.map(({ kind, text }) => [kind, text]));
    for (const [kind, text] of inThis) {
      const { first, count } = kinds.get(kind) ?? { first: text, count: 0 };
      kinds.set(kind, { first, count: count + 1 });
    }
  }
  return [...kinds.values()].map(({ first, count }) => {
    const whose = count > 1 && /\d/.test(first) ? ' (figures of the first)' : '';
    return `In ${String(count)} of ${String(runs.length)} ${called}${whose}: ${first}.`;
  });
}

/** What there is of a search when it ends, of which its answer is made. */
export type FindHead = Omit<
  FindRecord,
  | 'capacity'
  | 'advised'
  | 'limit'
  | 'verdict'
  | 'sentence'
  | 'confirmedBy'
  | 'atCapacity'
  | 'doubts'
>;

export interface SearchEnding {
  /** Why it was ended before its end; null where it was not. */
  stoppedBy: string | null;
  /** Why no further probe could be made; null where none failed to be made. */
  failure: string | null;
  /** Probes before which the system did not come to rest. */
  restless: string[];
  /** For other programs, before all probes. */
  waitedSeconds: number;
  /** Before each probe. */
  memoryAtRestMiB: number[];
  /** By the folder of the run. */
  summaries: ReadonlyMap<string, Summary>;
}
