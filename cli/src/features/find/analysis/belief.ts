import { normalCdf } from '../../../analysis/statistics/distributions';
import type { RateTrial } from './types';

/** The belief about the capacity, as weights over a range of rates. */
export interface Belief {
  /** The rate below which the capacity lies with probability p. */
  quantile(p: number): number;
}

export interface Known {
  trials: readonly RateTrial[];
  /** Room (bound / measured) of the system without load, at most 3: further off a line says nothing. */
  unloadedRoom: number;
  /** Expected responses a second when it was overloaded; the capacity is hardly above it. */
  peak: number;
  fullSeconds: number;
}

// The benchmark of the search has set the constants below: simulated systems whose capacity is known, and traces of a real
// n8n (test/cli/features/find/analysis/simulated). If you change a constant, measure again what the search does
// (studies/search-quality): UPDATE_STUDIES=1 npx jest --selectProjects cli-long --testPathPatterns find-quality

/**
 * How fast the room shrinks at the capacity: a share of k per share of rate. Soft to cliff. No softer than the straight
 * line from the unloaded room at rest to 1 at the capacity, which is what one queue does.
 */
const STEEPNESS = [0.4, 0.7, 1.2, 2, 3.5, 6, 10, 18, 32, 60];
/** Scatter of the room measured by a probe of full length: a calm machine to a wild one. */
const SCATTER = [0.02, 0.04, 0.08, 0.16, 0.32];
/** The straight line is a model: it may be off by this share of the distance from the bound. */
const MODEL_ERROR = 0.15;
/** A short probe has no time to see a queue grow: it may state this many times its scatter too much room. */
const LENIENCE = 2.5;
/** Student's t with few degrees: a probe that the machine disturbed is forgiven, not averaged in. */
const DEGREES = 3;
/** Density of Student's t of 3 degrees at its middle: 2 / (pi sqrt(3)). */
const STUDENT_PEAK = 2 / (Math.PI * Math.sqrt(DEGREES));
/** This share of probes a stall of the machine makes worse, by any amount; nothing makes one better. */
const DISTURBED = 0.02;
/** Beyond the peak the capacity becomes unlikely on this scale. */
const PEAK_SCALE = 0.02;
/** A verdict that has no scale is wrong this often. */
const MISJUDGED = 0.03;
const VERDICT_SCATTER = 0.03;

/**
 * What all probes together say. Near saturation latency goes as 1 / (limit - rate), so the room
 * under the worst SLO, bound / measured, falls along a straight line through 1 at the capacity, never
 * above the unloaded room and never below 0:
 *
 *     room(rate) = 1 + k (1 - rate / capacity), within 0 and unloaded
 *
 * and its scatter is about the same along the line. Every combination of capacity, steepness k and
 * scatter is weighed by how well it explains the probes; null before the first.
 */
export function belief(known: Known): Belief | null {
  const rates = known.trials.map(({ probe }) => probe.ratePerSecond);
  if (rates.length === 0) return null;
  const coarse = weigh(known, spaced(Math.min(...rates) / 4, Math.max(...rates) * 1.5, 60));
  const step = (coarse.rates[1] ?? 1) / (coarse.rates[0] ?? 1);
  const fine = weigh(
    known,
    spaced(quantile(coarse, 0.001) / step, quantile(coarse, 0.999) * step, 80),
  );
  return { quantile: (p) => quantile(fine, p) };
}

interface Weighted {
  rates: number[];
  weights: number[];
}

function spaced(from: number, to: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => from * (to / from) ** (i / (count - 1)));
}

function weigh(known: Known, capacities: number[]): Weighted {
  const scaled: Scaled[] = [];
  const verdicts: RateTrial[] = [];
  for (const trial of known.trials) {
    const seen = scale(trial, known);
    if (seen === null) verdicts.push(trial);
    else scaled.push(seen);
  }
  const steep = STEEPNESS.filter((steepness) => steepness >= known.unloadedRoom - 1);
  const logs = capacities.map((capacity) => {
    const beyond = Math.max(0, capacity / known.peak - 1) / PEAK_SCALE;
    const common = verdicts.reduce(
      (sum, trial) => sum + verdictLog(trial, capacity, known),
      -beyond,
    );
    return steep.flatMap((steepness) =>
      SCATTER.map((scatter) => common + roomLog(scaled, capacity, steepness, scatter, known)),
    );
  });
  const max = logs.reduce((best, list) => Math.max(best, ...list), -Infinity);
  const weights = logs.map((list) => list.reduce((sum, log) => sum + Math.exp(log - max), 0));
  return { rates: capacities, weights };
}

/** A probe whose pressure says how far from the bound it was. */
interface Scaled {
  rate: number;
  room: number;
  /** Share of the full length, at most 1. */
  length: number;
  modelVariance: number;
  /** It ended early, as its miss was certain: what it would have measured in all its time is not known. */
  isMissOnly: boolean;
}

/** Null where the system failed, or did not, for a reason that the pressure does not show. */
function scale({ probe, outcome }: RateTrial, known: Known): Scaled | null {
  const { pressure, result } = outcome;
  if (pressure === null || pressure <= 0 || (result === 'not sustained') !== pressure >= 1)
    return null;
  const isMissOnly = outcome.spentSeconds !== null && result === 'not sustained';
  const room = isMissOnly ? 1 : Math.min(1 / pressure, known.unloadedRoom);
  return {
    rate: probe.ratePerSecond,
    room,
    length: share(probe.durationSeconds, known),
    modelVariance: (MODEL_ERROR * (room - 1)) ** 2,
    isMissOnly,
  };
}

function share(seconds: number, { fullSeconds }: Known): number {
  return Math.min(1, seconds / fullSeconds);
}

/** Written as a product: this is the innermost loop, and logarithms would be most of its time. */
function roomLog(
  scaled: readonly Scaled[],
  capacity: number,
  steepness: number,
  scatter: number,
  { unloadedRoom }: Known,
): number {
  let log = 0;
  let product = 1;
  for (const { rate, room, length, modelVariance, isMissOnly } of scaled) {
    const line = 1 + steepness * (1 - rate / capacity);
    const expected = line < 0 ? 0 : line > unloadedRoom ? unloadedRoom : line;
    const lenience = length < 1 && room > expected ? LENIENCE : 1;
    const variance = (scatter * lenience) ** 2 / length + modelVariance;
    if (isMissOnly) {
      // A probability beside densities: the factor is the same for every model.
      const missed = studentCdf((room - expected) / Math.sqrt(variance));
      product /= (1 - DISTURBED) * missed + DISTURBED;
      continue;
    }
    const tail = 1 + (room - expected) ** 2 / variance / DEGREES;
    // Student's t: exponent (degrees + 1) / 2 = 2.
    const density = STUDENT_PEAK / (tail * tail * Math.sqrt(variance));
    const disturbed = room < expected ? DISTURBED / expected : 0;
    product /= (1 - DISTURBED) * density + disturbed;
    if (product > 1e100 || product < 1e-100) {
      log -= Math.log(product);
      product = 1;
    }
  }
  return log - Math.log(product);
}

/** P(T <= t) of Student's t of 3 degrees: the closed form, as this is in the innermost loop. */
function studentCdf(t: number): number {
  const x = t / Math.sqrt(DEGREES);
  return 0.5 + (x / (1 + x * x) + Math.atan(x)) / Math.PI;
}

function verdictLog({ probe, outcome }: RateTrial, capacity: number, known: Known): number {
  const spread = VERDICT_SCATTER / Math.sqrt(share(probe.durationSeconds, known));
  const right = normalCdf(Math.log(capacity / probe.ratePerSecond) / spread);
  const sustained = MISJUDGED + (1 - 2 * MISJUDGED) * right;
  return Math.log(outcome.result === 'sustained' ? sustained : 1 - sustained);
}

function quantile({ rates, weights }: Weighted, p: number): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let below = 0;
  for (const [i, weight] of weights.entries()) {
    const next = below + weight / total;
    if (next >= p) {
      const rate = rates[i] ?? 0;
      const step = (rates[1] ?? 1) / (rates[0] ?? 1);
      // Each weight stands for half a step to either side.
      return rate * step ** ((p - below) / (next - below) - 0.5);
    }
    below = next;
  }
  return rates.at(-1) ?? 0;
}
