/**
 * When a replay of probes in a queue may answer. A good fit alone proves nothing: a system that is limited by its slots
 * fits perfectly, and the answer is up to 36% off.
 */
import {
  mean,
  median,
  poissonInterval,
  standardDeviation,
} from '../../../../analysis/statistics/statistics';
import { limitName } from '../../../../analysis/limits/table';
import { percent } from '../../../../ui/numbers';
import { isRateTrial, type RateTrial, type SearchSettings, type Trial } from '../types';
import { keptUp, withOwnStalls } from '../backlog';
import type { QueueEstimate } from './estimate';
import { binsOf, busySeconds, costPath, usedShare, type ProbeTrace } from './trace';

/** A stretch under full load that used this share of a CPU used it up. */
const SATURATED_SHARE = 0.85;
/**
 * What uses less of it under full load is held up by something else as well, like a write to the disk or a task runner.
 * From this share on that is taken to go along with its CPU; slots that hold requests use 13 to 31%.
 */
const PARTLY_SATURATED_SHARE = 0.65;
/**
 * Uses of an event loop above this are of other threads too: /metrics knows only the CPU of a whole process, and n8n's main
 * was seen to use 1.75 cores with its loop used up.
 */
const OF_OTHER_THREADS = 1.1;
/** The first second of a closed loop is its start. */
const START_SECONDS = 1;
/** Time in which requests waited and no CPU was used. */
const MAX_IDLE_SHARE = 0.15;
const MAX_RESIDUAL = 0.3;
/** A run that missed with a percentile below this share of its bound missed something else. */
const WELL_BELOW = 0.8;
/** A system leaks if requests become dearer within its probes by more than this, for certain. */
const LEAKING = 0.02;
const LEAKING_ERRORS = 4;
const MIN_FOR_A_LEAK = 4;
const STALL_CONFIDENCE = 0.9;
const counts = ({ outcome }: Trial): boolean => outcome.result !== 'invalid';

export const isTraced = (trial: Trial): boolean => counts(trial) && trial.outcome.trace !== null;

export const tracesOf = (trials: readonly Trial[]): ProbeTrace[] =>
  trials.filter(isTraced).flatMap(({ outcome }) => outcome.trace ?? []);

/** The most of the CPU that any probe used. */
const maxUsed = (traces: readonly ProbeTrace[]): number =>
  Math.max(0, ...traces.map((trace) => usedShare(trace, START_SECONDS)));

/** The share of the CPU that the system uses where it can do no more; above 1 where more than its loop is counted. */
export function fullShare(traces: readonly ProbeTrace[]): number {
  const used = maxUsed(traces);
  return used < SATURATED_SHARE || used > OF_OTHER_THREADS ? used : 1;
}

/** The same with what the CPU is held up by counted as CPU. */
export const asUsedUp = (traces: readonly ProbeTrace[], full: number): ProbeTrace[] =>
  full === 1
    ? [...traces]
    : traces.map((trace) => ({ ...trace, cpu: trace.cpu.map((seconds) => seconds / full) }));

/** Why these probes cannot be replayed, as the end of a sentence; null if they can. */
export function whyNotReplayed(
  trials: readonly Trial[],
  { percentile }: SearchSettings,
): string | null {
  if (percentile === null) return 'no SLO, or more than one SLO, limits a percentile of latency';
  const traces = tracesOf(trials);
  const [first] = traces;
  if (first === undefined) return 'the CPU time of each second was not recorded';
  const isSame = ({ resource: { role, resource }, servers }: ProbeTrace): boolean =>
    role === first.resource.role &&
    resource === first.resource.resource &&
    servers === first.servers;
  if (!traces.every(isSame)) return 'the limiting CPU resource was not the same in all probes';
  const used = maxUsed(traces);
  if (used < PARTLY_SATURATED_SHARE) {
    return `the CPU was not the limit: under full load, at most ${percent(used)} of the ${limitName(first.resource)} was in use`;
  }
  const idle = idleShare(asUsedUp(traces, fullShare(traces)));
  if (idle > MAX_IDLE_SHARE) {
    return `no CPU was used for ${percent(idle)} of the time in which requests waited`;
  }
  const rated = trials.filter(counts).filter(isRateTrial);
  if (rated.some((trial) => missedOther(trial, percentile)))
    return 'a probe missed its SLO for a reason other than latency';
  if (isLeaking(rated)) return 'requests cost more CPU the longer a probe lasted, as with a leak';
  return null;
}

/** Why the best replay of them is no answer; null if it is one. */
export function whyNotBelieved(found: QueueEstimate, trials: readonly Trial[]): string | null {
  if (found.isAtEdge || !(found.residual <= MAX_RESIDUAL))
    return 'the simulation does not explain the observed latencies';
  const width = (found.high - found.low) / found.ratePerSecond;
  if (stallUncertainty(trials) > width)
    return 'the result depends on a few stalls, which are too few to show how often stalls occur';
  return null;
}

/** Share of the time in which requests waited, but no CPU was used. */
export function idleShare(traces: readonly ProbeTrace[]): number {
  let idle = 0;
  let busy = 0;
  for (const trace of traces) {
    const waited = busySeconds(trace, trace.servers > 1 ? trace.servers + 2 : 3);
    for (const bin of binsOf(trace)) {
      busy += waited[bin] ?? 0;
      idle += Math.max(0, (waited[bin] ?? 0) - (trace.cpu[bin] ?? 0));
    }
  }
  return busy > 0 ? idle / busy : 0;
}

function missedOther(
  trial: RateTrial,
  { p, boundSeconds }: NonNullable<SearchSettings['percentile']>,
): boolean {
  const { trace, result, decided, spentSeconds } = trial.outcome;
  // One that ended early had too many late requests for the time that it was to last.
  if (trace === null || result !== 'not sustained' || !decided || spentSeconds !== null)
    return false;
  const inOrder = trace.latency.slice().sort();
  const seen = inOrder[Math.ceil(p * inOrder.length) - 1] ?? Infinity;
  return seen < WELL_BELOW * boundSeconds && keptUp(trial);
}

/** Compares what a request cost in the second half of each probe with the first half. */
function isLeaking(trials: readonly RateTrial[]): boolean {
  const growths = trials.filter(keptUp).flatMap(({ outcome: { trace } }) => {
    if (trace === null || trace.ratePerSecond === null) return [];
    const cost = costPath(trace);
    const bins = binsOf(trace);
    const half = Math.floor(bins.length / 2);
    const middle = (part: number[]): number => median(part.map((bin) => cost[bin] ?? 0));
    return half < 4 ? [] : [Math.log(middle(bins.slice(half)) / middle(bins.slice(0, half)))];
  });
  if (growths.length < MIN_FOR_A_LEAK) return false;
  const error = standardDeviation(growths) / Math.sqrt(growths.length);
  return mean(growths) > Math.max(LEAKING, LEAKING_ERRORS * error);
}

/** Between the least and the most that stalls may cost, as a share of the throughput. */
function stallUncertainty(trials: readonly Trial[]): number {
  const calm = withOwnStalls(trials);
  const costs = calm.flatMap(({ outcome }) => outcome.stallCostsSeconds);
  if (costs.length === 0) return 0;
  const seconds = calm.reduce((sum, { probe }) => sum + probe.durationSeconds, 0);
  const { low, high } = poissonInterval(costs.length, STALL_CONFIDENCE);
  return ((high - low) / seconds) * mean(costs);
}
