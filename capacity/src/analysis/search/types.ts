/** One measurement that the search asks for. */
export type Probe = LadderProbe | RateProbe;

/** Closed loop: this many clients, each sending as soon as it has its answer. */
export interface LadderProbe {
  kind: 'ladder';
  clients: number;
  durationSeconds: number;
}

/** Open loop. Only `confirm` has the full length, and only what it held is an answer. */
export interface RateProbe {
  kind: 'growth' | 'narrow' | 'confirm';
  ratePerSecond: number;
  durationSeconds: number;
}

export interface Outcome {
  /** `invalid`: the generator, not the system, was the limit; it does not count. */
  result: 'held' | 'failed' | 'invalid';
  /** Good replies a second. */
  achievedPerSecond: number;
  /** The worst SLO's measured value over its bound: 1 is exactly at it. Null where it has no scale. */
  pressure: number | null;
  /** What limited the system at this level, where it failed. */
  limit: string | null;
}

export interface Trial {
  probe: Probe;
  outcome: Outcome;
}

export interface RateTrial {
  probe: RateProbe;
  outcome: Outcome;
}

export interface Settings {
  /** Of ladder rungs, early probes and the confirmation, warm-up included. */
  ladderSeconds: number;
  shortSeconds: number;
  fullSeconds: number;
  /** A probe lasts long enough for this many requests, up to the full length. */
  leastRequests: number;
  /** The ladder ends here at the latest. */
  mostClients: number;
  /** The answer may lie this share below the capacity that the evidence suggests. */
  tolerance: number;
  /** Seconds of probes that all of it may take; null for no limit. */
  budgetSeconds: number | null;
}

export function withDefaults(settings: Partial<Settings>): Settings {
  return {
    ladderSeconds: 5,
    shortSeconds: 10,
    fullSeconds: 60,
    leastRequests: 30,
    mostClients: 1_024,
    tolerance: 0.03,
    budgetSeconds: null,
    ...settings,
  };
}

export function isRateTrial(trial: Trial): trial is RateTrial {
  return trial.probe.kind !== 'ladder';
}

/** Of the budget, in seconds of probes. */
export function secondsLeft(trials: readonly Trial[], budgetSeconds: number): number {
  return budgetSeconds - trials.reduce((sum, { probe }) => sum + probe.durationSeconds, 0);
}
