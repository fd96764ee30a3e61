import type { Limit } from '../../../record/run-record';
import type { ProbeTrace } from './virtual-queue/trace';

/** One measurement that the search asks for. */
export type Probe = LadderProbe | RateProbe;

/** Closed loop: this many clients, each sending as soon as it has its answer. */
export interface LadderProbe {
  kind: 'ladder';
  clients: number;
  durationSeconds: number;
}

/** Open loop; `confirm` has the full length. */
export interface RateProbe {
  kind: 'growth' | 'narrow' | 'confirm';
  ratePerSecond: number;
  durationSeconds: number;
}

export interface ProbeOutcome {
  /** `invalid`: the load was not the one that was asked for; it does not count. */
  result: 'sustained' | 'not sustained' | 'invalid';
  /** False where the run was inconclusive: `result` is then the side to which it leans. */
  decided: boolean;
  /** Expected responses a second. */
  achievedPerSecond: number;
  /** The worst SLO's measured value over its bound: 1 is exactly at it. Null where it has no scale. */
  pressure: number | null;
  /** CPU per request of the role that works most, in milliseconds; null where it was not seen. */
  cpuMs: number | null;
  /** What each stall in it costs, in seconds of load: see ../stalls.ts. */
  stallCostsSeconds: readonly number[];
  /** What limited the system at this level, where that was seen. */
  limit: Limit | null;
  /** How long it lasted if it was ended early; null if it lasted as long as planned. */
  spentSeconds: number | null;
  /** What its run leaves to be replayed; null where its requests or their CPU were not seen one by one. */
  trace: ProbeTrace | null;
}

export interface Trial {
  probe: Probe;
  outcome: ProbeOutcome;
}

export interface RateTrial {
  probe: RateProbe;
  outcome: ProbeOutcome;
}

/** The share of the belief that the interval spans: measured, it contains the truth in 95% of all cases. */
export const WHOLE = 0.98;
/** A gentle search makes no probe at a fixed rate above this share of its estimate. */
export const GENTLE = 0.95;

/** An interval up to this share of the answer is an answer. */
export const WIDEST = 0.2;
/** Up to this share it is a rough one. */
export const ROUGHLY = 0.4;

export interface CapacityInterval {
  /** Requests per second: the middle of what all probes together say. */
  capacity: number;
  /** About 95% confidence; `high` is infinite if no probe failed. */
  low: number;
  high: number;
}

export interface SearchSettings {
  /** Seconds of ladder rungs, early probes and the confirmation, warm-up included. */
  ladderSeconds: number;
  shortSeconds: number;
  fullSeconds: number;
  /** A probe lasts long enough for this many requests, up to the full length. */
  minRequests: number;
  /** The ladder ends here at the latest. */
  maxClients: number;
  /** Two levels closer than this share are not told apart at the usual precision. */
  tolerance: number;
  /** Seconds of probes that all of it may take; null for no limit. */
  budgetSeconds: number | null;
  /** The percentile of latency that the SLO limits; null if none, or more than one. */
  percentile: { p: number; boundSeconds: number } | null;
  arrivals: 'even' | 'random';
  /** No probe at a fixed rate is made above the estimate. */
  isGentle: boolean;
  /** It ends once the interval is this share of the answer. */
  precision: number;
}

/** The default of --precision. */
const PRECISION = 0.1;

/** How near two levels are that are not told apart, at the precision that is asked for. */
export const nearness = ({ tolerance, precision }: SearchSettings): number =>
  (tolerance * precision) / PRECISION;

export function withDefaults(settings: Partial<SearchSettings>): SearchSettings {
  return {
    ladderSeconds: 5,
    shortSeconds: 10,
    fullSeconds: 60,
    minRequests: 90,
    maxClients: 1_024,
    tolerance: 0.03,
    budgetSeconds: null,
    percentile: null,
    arrivals: 'random',
    isGentle: false,
    precision: PRECISION,
    ...settings,
  };
}

export function isRateTrial(trial: Trial): trial is RateTrial {
  return trial.probe.kind !== 'ladder';
}

export function secondsOf(trials: readonly Trial[]): number {
  return trials.reduce(
    (sum, { probe, outcome }) => sum + (outcome.spentSeconds ?? probe.durationSeconds),
    0,
  );
}

export function budgetSecondsLeft(trials: readonly Trial[], totalSeconds: number): number {
  return totalSeconds - secondsOf(trials);
}
