/** The answer of a replay of all probes in a virtual queue, or why there is none. */
import type { Limit } from '../../../record/run-record';
import { median } from '../../../analysis/statistics/statistics';
import { isRateTrial, type SearchSettings, type Trial } from './types';
import { estimateByQueue, type QueueEstimate } from './virtual-queue/estimate';
import { FINE, ROUGH, type Effort } from './virtual-queue/fit';
import {
  asUsedUp,
  fullShare,
  idleShare,
  isTraced,
  tracesOf,
  whyNotBelieved,
  whyNotReplayed,
} from './virtual-queue/gate';
import { meanCost, type ProbeTrace } from './virtual-queue/trace';

/** What a request costs, and so how fast the machine is. */
export interface Price {
  /** Milliseconds of CPU per request for which the answer holds: the median of the search. */
  cpuMs: number;
  /** The same when the machine was slowest, over about a minute. */
  slowestMs: number;
  /** Speeds of the machine around each probe that kept up. */
  speeds: { cpuMs: number; seconds: number }[];
  /** Share of the time in which requests waited that others took. */
  takenShare: number;
  /** The share of its CPU that it used under full load: below 1 where something else held it up as well. */
  usedShare: number;
  /** Whose CPU it is, and how many cores of it there are: those of the machine, of the threads, or of the CPU limits. */
  resource: Limit;
  cores: number;
}

export interface QueueAnswer {
  capacity: number;
  low: number;
  high: number;
  price: Price;
  /** Standard errors of the logarithm: by what a queue leaves open, and by the weather of the machine, its stalls included. */
  modelError: number;
  weatherError: number;
  stallError: number;
  /**
   * What the replay predicts of the probes that were replayed, over the bound of the SLO: each at what a request cost in its
   * own seconds.
   */
  pressures: ReadonlyMap<Trial, number>;
}

export type Replay = { answer: QueueAnswer; why: null } | { answer: null; why: string };

/** What is rough is fast and has no interval worth the name: to choose the next probe. */
export function byQueue(
  trials: readonly Trial[],
  settings: SearchSettings,
  effort: Effort = FINE,
): Replay {
  const refused = (why: string): Replay => ({ answer: null, why });
  const before = whyNotReplayed(trials, settings);
  if (before !== null || settings.percentile === null) return refused(before ?? '');
  const seen = tracesOf(trials);
  const full = fullShare(seen);
  const traces = asUsedUp(seen, full);
  const question = { ...settings.percentile, arrivals: settings.arrivals };
  const found = estimateByQueue(traces, question, effort);
  if (found === null) return refused('no probe at a fixed rate had enough requests');
  const after = effort === ROUGH ? null : whyNotBelieved(found, trials);
  if (after !== null) return refused(after);
  const [first] = traces;
  if (first === undefined) return refused('no probe at a fixed rate had enough requests');
  const { boundSeconds } = settings.percentile;
  const pressures = new Map(
    trials.filter(isTraced).flatMap((trial, i): [Trial, number][] => {
      const seconds = found.predicted[i] ?? null;
      return seconds === null ? [] : [[trial, seconds / boundSeconds]];
    }),
  );
  return { answer: { ...answerOf(found, first, full, idleShare(traces)), pressures }, why: null };
}

/** `full`: the share of its CPU that each server uses where it can do no more. */
function answerOf(
  found: QueueEstimate,
  { resource, servers, coresOfEach }: ProbeTrace,
  full: number,
  takenShare: number,
): Omit<QueueAnswer, 'pressures'> {
  const cores = servers * coresOfEach;
  const inMs = (costSeconds: number): number => 1_000 * full * cores * costSeconds;
  const speeds = found.speeds.map(({ costSeconds, seconds }) => ({
    cpuMs: inMs(costSeconds),
    seconds,
  }));
  const cpuMs = inMs(found.costSeconds);
  return {
    capacity: found.ratePerSecond,
    low: found.low,
    high: found.high,
    price: {
      cpuMs,
      slowestMs: Math.max(cpuMs, ...speeds.map((speed) => speed.cpuMs)),
      speeds,
      takenShare,
      usedShare: full,
      resource,
      cores,
    },
    modelError: found.modelError,
    weatherError: found.weatherError,
    stallError: found.stallError,
  };
}

/**
 * The rate of a probe as it would be at the usual price: at a price one fifth higher, 40/s are as much work as 48/s. The
 * rate itself where its price was not seen.
 */
export function rateAtPrice({ probe, outcome }: Trial, price: Price | null): number {
  const rate = 'ratePerSecond' in probe ? probe.ratePerSecond : 0;
  if (price === null || outcome.trace === null) return rate;
  const { servers, coresOfEach } = outcome.trace;
  return (rate * 1_000 * servers * coresOfEach * meanCost(outcome.trace)) / price.cpuMs;
}

/** The price of the last probe of an open loop, or of the closed loops where there is none yet; in seconds of each server. */
export function currentCost(trials: readonly Trial[]): number | null {
  const open = trials.filter(isRateTrial).flatMap(({ outcome }) => outcome.trace ?? []);
  const last = open.at(-1);
  if (last !== undefined) return meanCost(last);
  const closed = tracesOf(trials).map(meanCost).filter(Number.isFinite);
  return closed.length === 0 ? null : median(closed.slice(-1));
}
