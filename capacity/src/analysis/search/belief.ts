import { normalCdf } from '../distributions';
import type { RateTrial } from './types';

/** Where the capacity may lie, as weights over a range of rates. */
export interface Belief {
  /** The rate below which the capacity lies with probability p. */
  quantile(p: number): number;
}

export interface Known {
  trials: readonly RateTrial[];
  /** Room (bound / measured) of the system without load: more it never has. */
  unloadedRoom: number;
  /** The most good replies a second ever seen; the capacity is hardly above it. */
  peak: number;
  fullSeconds: number;
}

/** How fast the room shrinks at the capacity: a share of k per share of rate. Soft to cliff. */
const STEEPNESS = [0.4, 0.7, 1.2, 2, 3.5, 6, 10, 18, 32, 60];
/** Scatter of the room measured by a probe of full length: a calm machine to a wild one. */
const SCATTER = [0.02, 0.04, 0.08, 0.16, 0.32];
/** The straight line is a model: it may be off by this share of the distance from the bound. */
const MODEL_ERROR = 0.15;
/** A short probe has no time to see a queue grow: it may state this many times its scatter too much room. */
const LENIENCE = 2.5;
/** Student's t with few degrees: a probe that the machine disturbed is forgiven, not averaged in. */
const DEGREES = 3;
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
  const coarse = weigh(known, spaced(Math.min(...rates) / 4, Math.max(...rates) * 1.5, 80));
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
  const observations = known.trials.map((trial) => observation(trial, known));
  const logs: number[][] = capacities.map((capacity) => {
    const beyond = Math.max(0, capacity / known.peak - 1) / PEAK_SCALE;
    return STEEPNESS.flatMap((steepness) =>
      SCATTER.map((scatter) => {
        let sum = -beyond;
        for (const likelihood of observations) sum += likelihood(capacity, steepness, scatter);
        return sum;
      }),
    );
  });
  const most = logs.reduce((best, list) => Math.max(best, ...list), -Infinity);
  const weights = logs.map((list) => list.reduce((sum, log) => sum + Math.exp(log - most), 0));
  return { rates: capacities, weights };
}

type LogLikelihood = (capacity: number, steepness: number, scatter: number) => number;

function observation({ probe, outcome }: RateTrial, known: Known): LogLikelihood {
  const { ratePerSecond: rate, durationSeconds } = probe;
  const length = Math.min(1, durationSeconds / known.fullSeconds);
  const { pressure, result } = outcome;
  // Failed for a reason that the pressure does not show: only the verdict counts.
  if (pressure === null || pressure <= 0 || (result === 'failed') !== pressure >= 1) {
    return (capacity) => {
      const z = Math.log(capacity / rate) / (VERDICT_SCATTER / Math.sqrt(length));
      const held = MISJUDGED + (1 - 2 * MISJUDGED) * normalCdf(z);
      return Math.log(result === 'held' ? held : 1 - held);
    };
  }
  const room = Math.min(1 / pressure, known.unloadedRoom);
  const model = MODEL_ERROR * Math.abs(room - 1);
  return (capacity, steepness, scatter) => {
    const line = 1 + steepness * (1 - rate / capacity);
    const expected = Math.min(Math.max(line, 0), known.unloadedRoom);
    const lenience = length < 1 && room > expected ? LENIENCE : 1;
    const spread = Math.hypot((scatter * lenience) / Math.sqrt(length), model);
    const z = (room - expected) / spread;
    return -((DEGREES + 1) / 2) * Math.log1p((z * z) / DEGREES) - Math.log(spread);
  };
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
