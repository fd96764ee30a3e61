import { isRateTrial, type RateTrial, type Trial } from './types';

/** What the probes so far say about where the boundary lies. */
export interface Evidence {
  /** Rate probes that count. */
  trials: RateTrial[];
  /** Highest rate that held below the boundary; 0 when none did. */
  low: number;
  /** Lowest rate that failed above it; infinite when none did. */
  high: number;
  /** The most good replies a second that any probe has seen; 0 before the first. */
  peak: number;
  /** The capacity that latency and throughput suggest, within low and high; null before any probe. */
  predicted: number | null;
  /** At this rate the generator was the limit, twice; infinite when it never was. */
  generatorCeiling: number;
}

export function evidence(all: readonly Trial[]): Evidence {
  const valid = all.filter(({ outcome }) => outcome.result !== 'invalid');
  const trials = valid.filter(isRateTrial);
  const peak = Math.max(0, ...valid.map(({ outcome }) => outcome.achievedPerSecond));
  const { low, high } = boundary(trials);
  return {
    trials,
    low,
    high,
    peak,
    predicted: predict(trials, low, high, peak),
    generatorCeiling: generatorCeiling(all),
  };
}

/**
 * The split of all rates into a held and a failed part that contradicts the fewest seconds of probes.
 * One odd probe is outvoted by those around it, whichever side it is on and whenever it was made.
 */
export function boundary(trials: readonly RateTrial[]): { low: number; high: number } {
  const rates = [...new Set(trials.map(({ probe }) => probe.ratePerSecond))].sort((a, b) => a - b);
  let best = { low: 0, high: Infinity };
  let least = Infinity;
  for (let i = 0; i <= rates.length; i += 1) {
    const low = rates[i - 1] ?? 0;
    const high = rates[i] ?? Infinity;
    let contradicted = 0;
    for (const { probe, outcome } of trials) {
      const held = outcome.result === 'held';
      if (held !== probe.ratePerSecond <= low) contradicted += probe.durationSeconds;
    }
    // Of equal splits the lower: a tie is no proof that a level holds.
    if (contradicted < least) {
      least = contradicted;
      best = { low, high };
    }
  }
  return best;
}

/** How quickly a probe loses its say with its distance from the bound, in powers of e of pressure. */
const NEARNESS = 0.7;

/**
 * Where the worst SLO would meet its bound. Near saturation latency goes as 1 / (peak - rate), so
 * bound / measured falls along a straight line and reaches 0 at the peak: a line through the probes
 * near the bound, longer ones counting more, crosses 1 at the capacity. It is a guess for the next
 * probe and for when to stop; only probes move the bounds.
 */
function predict(
  trials: readonly RateTrial[],
  low: number,
  high: number,
  peak: number,
): number | null {
  if (trials.length === 0) return peak > 0 ? peak : null;
  const points = trials.flatMap(({ probe, outcome }) =>
    outcome.pressure === null || outcome.pressure <= 0
      ? []
      : [{ rate: probe.ratePerSecond, room: 1 / outcome.pressure, seconds: probe.durationSeconds }],
  );
  const lowest = Math.min(...points.map(({ rate }) => rate));
  // The peak itself is a point of the line, though one that nobody has measured.
  if (points.length > 0 && peak > lowest) points.push({ rate: peak, room: 0.05, seconds: 5 });
  const crossing = lineCrossing(points);
  const overloaded = trials.filter(
    ({ probe, outcome }) =>
      outcome.result === 'failed' && outcome.achievedPerSecond < 0.97 * probe.ratePerSecond,
  );
  const suggestions = [crossing, ...(overloaded.length > 0 ? [peak] : [])].filter(
    (value): value is number => value !== null,
  );
  if (suggestions.length === 0) return null;
  return Math.min(Math.max(Math.min(...suggestions), low), high);
}

function lineCrossing(
  points: readonly { rate: number; room: number; seconds: number }[],
): number | null {
  let weights = 0;
  let sumX = 0;
  let sumY = 0;
  let sumXX = 0;
  let sumXY = 0;
  for (const { rate, room, seconds } of points) {
    const distance = Math.log(room) / NEARNESS;
    const weight = seconds * Math.max(Math.exp((-distance * distance) / 2), 1e-3);
    weights += weight;
    sumX += weight * rate;
    sumY += weight * room;
    sumXX += weight * rate * rate;
    sumXY += weight * rate * room;
  }
  const fall = (weights * sumXY - sumX * sumY) / (weights * sumXX - sumX * sumX);
  if (!(fall < 0)) return null;
  const crossing = (1 - (sumY - fall * sumX) / weights) / fall;
  return Number.isFinite(crossing) && crossing > 0 ? crossing : null;
}

function generatorCeiling(all: readonly Trial[]): number {
  const counts = new Map<number, number>();
  for (const trial of all) {
    if (trial.outcome.result !== 'invalid' || !isRateTrial(trial)) continue;
    const rate = trial.probe.ratePerSecond;
    counts.set(rate, (counts.get(rate) ?? 0) + 1);
  }
  return Math.min(Infinity, ...[...counts].filter(([, n]) => n >= 2).map(([rate]) => rate));
}
