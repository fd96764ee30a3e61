/**
 * From a load profile to the plan of one run. k6 makes it (open-loop.ts, closed-loop.ts), the command
 * records it. Nothing is imported from k6 here.
 */
import { PROFILES, type Profile, type ProfileName } from './profiles.ts';
import { Mistake } from './mistake.ts';

export { isProfileName, PROFILES, type Profile, type ProfileName } from './profiles.ts';

export interface Stage {
  durationSeconds: number;
  /** Open loop; grows evenly from one to the other. */
  fromRatePerSecond: number;
  toRatePerSecond: number;
}

/** `even`: all gaps alike. `random`: exponential gaps, as of many callers who do not know each other. */
export const ARRIVALS = ['even', 'random'] as const;
export type Arrivals = (typeof ARRIVALS)[number];

export function isArrivals(text: string): text is Arrivals {
  return ARRIVALS.some((known) => known === text);
}

export interface LoadPlan {
  profile: ProfileName;
  loop: 'open' | 'closed';
  /** Comes first and is not measured. */
  warmupSeconds: number;
  /** The measured part. */
  durationSeconds: number;
  /** Open loop: the warm-up is the first, unless it has no length. */
  stages: Stage[];
  /** Open loop: the gaps between the times when requests are due, see arrivals.ts. */
  arrivals: Arrivals;
  /** The seed of random arrivals; left out, every run has another. */
  seed?: number;
  /** Closed loop: that many wait for their response before they send again. */
  clients: number;
  /** Open loop: how often a caller sends a request again that did not get its expected response; left out: never. */
  retries?: number;
}

/** Which of the two the `arrivals` are where nobody says. */
export const DEFAULT_ARRIVALS: Arrivals = 'even';

export interface PlanParameters {
  ratePerSecond?: number;
  durationSeconds?: number;
  warmupSeconds?: number;
  clients?: number;
  arrivals?: Arrivals;
  seed?: number;
  retries?: number;
}

export function planOf(name: ProfileName, parameters: PlanParameters = {}): LoadPlan {
  const profile: Profile = PROFILES[name];
  refuseWhatDoesNotFit(name, profile, parameters);
  const durationSeconds = parameters.durationSeconds ?? profile.durationSeconds;
  const warmupSeconds = parameters.warmupSeconds ?? profile.warmupSeconds;
  const rate = parameters.ratePerSecond ?? profile.ratePerSecond;
  const stages = profile.shape.map(({ share, from, to }) => ({
    durationSeconds: share * durationSeconds,
    fromRatePerSecond: from * rate,
    toRatePerSecond: to * rate,
  }));
  const first = stages[0];
  if (first !== undefined && warmupSeconds > 0) {
    const warmRate = first.fromRatePerSecond;
    stages.unshift({
      durationSeconds: warmupSeconds,
      fromRatePerSecond: warmRate,
      toRatePerSecond: warmRate,
    });
  }
  return {
    profile: name,
    loop: profile.loop,
    warmupSeconds,
    durationSeconds,
    stages,
    arrivals: parameters.arrivals ?? DEFAULT_ARRIVALS,
    ...(parameters.seed === undefined ? {} : { seed: parameters.seed }),
    ...(parameters.retries === undefined ? {} : { retries: parameters.retries }),
    clients: profile.loop === 'closed' ? (parameters.clients ?? profile.clients) : 0,
  };
}

function refuseWhatDoesNotFit(name: string, profile: Profile, parameters: PlanParameters): void {
  if (profile.loop === 'closed' && parameters.ratePerSecond !== undefined) {
    throw new Mistake(
      `the '${name}' profile has clients instead of a rate: set the number of clients, or use the 'load' profile`,
    );
  }
  if (profile.loop === 'open' && parameters.clients !== undefined) {
    throw new Mistake(
      `the '${name}' profile has a rate instead of clients: set the rate, or use the 'closed' profile`,
    );
  }
  if (profile.loop === 'closed' && parameters.arrivals !== undefined) {
    throw new Mistake(
      `the '${name}' profile has clients instead of arrivals: remove the arrivals, or use the 'load' profile`,
    );
  }
  if (profile.loop === 'closed' && parameters.retries !== undefined) {
    throw new Mistake(
      `clients of the '${name}' profile do not retry: remove the retries, or use the 'load' profile`,
    );
  }
  const { ratePerSecond = 1, durationSeconds = 1, warmupSeconds = 0, clients = 1 } = parameters;
  if (!(ratePerSecond >= 0.001 && ratePerSecond <= 100_000)) {
    throw new Mistake(
      `the rate ${String(ratePerSecond)} is out of range: it must be between 0.001 and 100000 requests per second`,
    );
  }
  if (!(durationSeconds > 0 && durationSeconds <= 7 * 86_400)) {
    throw new Mistake(
      `the duration of ${String(durationSeconds)} s is out of range: it must be more than 0 s and at most 7 days`,
    );
  }
  if (!(warmupSeconds >= 0 && warmupSeconds <= 86_400)) {
    throw new Mistake(
      `the warm-up of ${String(warmupSeconds)} s is out of range: it must be between 0 s and 1 day`,
    );
  }
  if (!(Number.isInteger(clients) && clients >= 1 && clients <= 100_000)) {
    throw new Mistake(
      `${String(clients)} clients are out of range: use a whole number from 1 to 100000`,
    );
  }
}

export function lengthSeconds(plan: LoadPlan): number {
  return plan.warmupSeconds + plan.durationSeconds;
}
