/**
 * When each request of an open loop is due: a pure function of the stages, the kind of arrivals and the
 * seed, so that k6 and the command know the same times. Nothing is imported from k6 here.
 *
 * The requests are dealt out to lanes, each driven by one virtual user. Of even arrivals, lane 2 of 4
 * takes the requests 2, 6, 10, ...; of random ones each lane has a Poisson process of its own with its
 * share of the rate, and together they are again one with the whole rate.
 */
import { highestRate } from './due.ts';
import type { LoadPlan, Stage } from './profile.ts';
import { exponential, seededRandom, seedOf } from './random.ts';

/** One lane sends 500 a second with no more delay than four do; this leaves room for checking bodies. */
const RATE_PER_LANE = 200;
const LANES_AT_LEAST = 2;
const LANES_AT_MOST = 16;

/** The number of generators that make the plan together. */
export function lanesOf(plan: Pick<LoadPlan, 'stages'>, generators = 1): number {
  const wanted = Math.ceil(highestRate(plan) / generators / RATE_PER_LANE);
  return Math.min(LANES_AT_MOST, Math.max(LANES_AT_LEAST, wanted));
}

/** Gives one due time after the other, in milliseconds since the load began; null after the last. */
export function dueTimes(
  plan: Pick<LoadPlan, 'stages' | 'arrivals'>,
  seed: number,
  lane = 0,
  lanes = 1,
): () => number | null {
  const reach = reaching(plan.stages);
  if (plan.arrivals === 'even') {
    let next = lane;
    return () => {
      const due = reach(next);
      next += lanes;
      return due;
    };
  }
  const random = seededRandom(seedOf(seed, lane));
  let at = 0;
  return () => {
    at += exponential(random, lanes);
    return reach(at);
  };
}

/** From a number of requests, which may only grow, to when that many have become due. */
function reaching(stages: readonly Stage[]): (requests: number) => number | null {
  let index = 0;
  let beganSeconds = 0;
  let before = 0;
  return (requests) => {
    for (let stage = stages[index]; stage !== undefined; stage = stages[index]) {
      const { durationSeconds, fromRatePerSecond, toRatePerSecond } = stage;
      const within = ((fromRatePerSecond + toRatePerSecond) / 2) * durationSeconds;
      // A billionth of a request is rounding: what is due exactly at the end belongs to the next stage.
      if (requests - before < within - 1e-9) {
        return 1000 * (beganSeconds + secondsInto(stage, requests - before));
      }
      index += 1;
      beganSeconds += durationSeconds;
      before += within;
    }
    return null;
  };
}

/** Solves `from * x + growth * x * x / 2 = requests` in the form that is stable for a growth near 0. */
function secondsInto(
  { durationSeconds, fromRatePerSecond, toRatePerSecond }: Stage,
  requests: number,
): number {
  if (requests <= 0) return 0;
  const growth = (toRatePerSecond - fromRatePerSecond) / durationSeconds;
  const root = Math.sqrt(Math.max(0, fromRatePerSecond ** 2 + 2 * growth * requests));
  return (2 * requests) / (fromRatePerSecond + root);
}
