import { mean, median, standardDeviation } from '../../../../analysis/statistics/statistics';
import { correlation } from '../../../../analysis/statistics/trend';
import {
  exponential,
  normal,
  seededRandom,
  type Random,
} from '../../../../analysis/statistics/random';
import { requestSizes, type Effort, type Fit, type QueueModel, type Replayed } from './fit';
import { quantileOf, serve } from './queue';
import { binsOf } from './trace';

/**
 * The weather of the machine that the probes saw: how the cost of a request went up and down within pieces of some
 * seconds, and the stalls.
 */
interface Weather {
  pieces: readonly Piece[];
  /** Lengths of stalls in seconds, at the usual cost. */
  stallSeconds: readonly number[];
  /** Stalls per request. */
  stallRate: number;
}

interface Piece {
  /** Cost in each bin over the mean cost around that time. */
  factors: Float64Array;
  /** Seconds that it stands for: a probe that was stopped early counts as if it had gone on. */
  seconds: number;
}

export interface QueueCapacity {
  /** Log of the rate at which runs of full length meet the bound, at the usual cost. */
  log: number;
  /** Standard error of that logarithm: by the model, and by the weather that was seen. */
  modelError: number;
  weatherError: number;
  /** The part of the error by weather that comes from the stalls. */
  stallError: number;
  pieces: number;
  stalls: number;
}

export interface CapacityQuestion {
  /** Share and bound of the percentile that the SLO names. */
  p: number;
  boundSeconds: number;
  /** Cost of a request for which the answer holds. */
  cost: number;
  arrivals: 'even' | 'random';
  binSeconds: number;
  effort: Effort;
}

const RUN_SECONDS = 60;
const RUN_WARM_UP_SECONDS = 12;
const PIECE_SECONDS = 25;
const MIN_PIECE_BINS = 4;
const BOOTSTRAP_RUNS = 24;
/** A rate is found within this ratio. */
const NEAR = 1.012;
/** Bounds of the answer, in shares of the CPU. */
const LOWEST = 0.15;
const HIGHEST = 1.05;

export function capacityOf(
  probes: readonly Replayed[],
  fit: Fit,
  question: CapacityQuestion,
): QueueCapacity {
  const calm = probes.filter(({ isOverloaded }) => !isOverloaded);
  const weather = weatherOf(calm, question.cost);
  const solve = (model: QueueModel, seen: Weather, runs: number): number =>
    Math.log(solved(model, seen, runs, fit, question));
  const each = fit.models.map((model) => ({
    ...model,
    log: solve(model, weather, question.effort.runs),
  }));
  const total = each.reduce((sum, { weight }) => sum + weight, 0);
  const log = each.reduce((sum, one) => sum + one.weight * one.log, 0) / total;
  const modelVariance =
    each.reduce((sum, one) => sum + one.weight * (one.log - log) ** 2, 0) / total;
  const random = seededRandom(4242);
  const responses = calm.reduce((sum, { trace }) => sum + trace.due.length, 0);
  const again = Array.from({ length: question.effort.bootstraps }, () => {
    const other = resampled(weather, responses, random);
    return { x: stalledPerRequest(other), y: solve(fit.best, other, BOOTSTRAP_RUNS) };
  });
  const weatherError = again.length > 1 ? standardDeviation(again.map(({ y }) => y)) : 0;
  return {
    log,
    modelError: Math.sqrt(modelVariance),
    weatherError,
    stallError: weatherError * Math.abs(correlation(again)),
    pieces: weather.pieces.length,
    stalls: weather.stallSeconds.length,
  };
}

function weatherOf(calm: readonly Replayed[], cost: number): Weather {
  const pieces = calm.flatMap(piecesOf);
  const responses = calm.reduce((sum, { trace }) => sum + trace.due.length, 0);
  const stallSeconds = calm.flatMap(({ stalls, nearCost }) =>
    stalls.map(({ from, to }) => ((to - from) / nearCost) * cost),
  );
  return {
    pieces:
      pieces.length > 0
        ? pieces
        : [{ factors: new Float64Array(MIN_PIECE_BINS).fill(1), seconds: 1 }],
    stallSeconds,
    stallRate: stallSeconds.length / Math.max(1, responses),
  };
}

function piecesOf({ trace, calmCost, nearCost }: Replayed): Piece[] {
  const { plannedSeconds, binSeconds } = trace;
  const factors = Float64Array.from(binsOf(trace), (bin) => (calmCost[bin] ?? 0) / nearCost);
  const length = Math.round(PIECE_SECONDS / binSeconds);
  const pieces: Piece[] = [];
  for (let begin = 0; begin === 0 || begin + length <= factors.length; begin += length) {
    const piece = factors.slice(begin, begin + length);
    if (piece.length >= MIN_PIECE_BINS)
      pieces.push({ factors: piece, seconds: (plannedSeconds * piece.length) / factors.length });
  }
  return pieces;
}

const stalledPerRequest = ({ stallSeconds, stallRate }: Weather): number =>
  stallSeconds.length === 0 ? 0 : stallRate * mean(stallSeconds);

/** The same weather, had other pieces of it been seen. */
function resampled(
  { pieces, stallSeconds, stallRate }: Weather,
  responses: number,
  random: Random,
): Weather {
  const draw = <T>(all: readonly T[]): T[] =>
    all.flatMap(() => all.slice(Math.floor(random() * all.length)).slice(0, 1));
  const stalls = draw(stallSeconds);
  return {
    pieces: draw(pieces),
    stallSeconds: stalls,
    stallRate:
      stalls.length === 0 ? stallRate : gamma(stalls.length + 0.5, random) / Math.max(1, responses),
  };
}

/** Marsaglia and Tsang's method; the shape is at least 1. */
function gamma(shape: number, random: Random): number {
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normal(random);
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - random()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
  }
}

function drawn(pieces: readonly Piece[], total: number, random: Random): Piece | undefined {
  let left = random() * total;
  for (const piece of pieces) {
    left -= piece.seconds;
    if (left < 0) return piece;
  }
  return pieces.at(-1);
}

/** One run of full length that has not been made: its arrivals, the cost along it, and its stalls. */
interface ImaginedRun {
  cost: Float64Array;
  /** Gaps between arrivals at a rate of 1. */
  gaps: Float64Array;
  /** Requests between stalls at a stall per request, and what a stall takes. */
  stallGaps: Float64Array;
  stallSeconds: Float64Array;
  sizes: Float64Array;
}

/** More stalls than this in a run of a minute are no stalls. */
const MAX_STALLS = 64;

function imagine(
  index: number,
  { variability }: QueueModel,
  weather: Weather,
  question: CapacityQuestion,
  binSeconds: number,
  requests: number,
): ImaginedRun {
  const random = seededRandom(977 + index);
  const cost = new Float64Array(Math.round(RUN_SECONDS / binSeconds));
  const total = weather.pieces.reduce((sum, { seconds }) => sum + seconds, 0);
  for (let bin = 0; bin < cost.length;) {
    const factors = drawn(weather.pieces, total, random)?.factors ?? Float64Array.of(1);
    for (let i = 0; i < factors.length && bin < cost.length; i += 1, bin += 1) {
      cost[bin] = question.cost * (factors[i] ?? 1);
    }
  }
  const { stallSeconds } = weather;
  return {
    cost,
    gaps: Float64Array.from({ length: requests }, () =>
      question.arrivals === 'even' ? 1 : exponential(random, 1),
    ),
    stallGaps: Float64Array.from({ length: MAX_STALLS }, () => exponential(random, 1)),
    stallSeconds: Float64Array.from(
      { length: MAX_STALLS },
      () => stallSeconds[Math.floor(random() * stallSeconds.length)] ?? 0,
    ),
    sizes: requestSizes(index + 50, variability, requests),
  };
}

/** The rate at which the median run of full length is just at the bound. */
function solved(
  model: QueueModel,
  weather: Weather,
  runs: number,
  fit: Fit,
  question: CapacityQuestion,
): number {
  const { cost, boundSeconds, p } = question;
  const { baseSeconds, servers } = fit;
  const { binSeconds } = question;
  let low = LOWEST / cost;
  let high = HIGHEST / cost / model.share;
  const requests = Math.ceil(high * RUN_SECONDS * 1.3) + 10;
  const imagined = Array.from({ length: runs }, (_, i) =>
    imagine(i, model, weather, question, binSeconds, requests),
  );
  const due = new Float64Array(requests);
  const out = new Float64Array(requests);
  const latencyAt = (rate: number): number =>
    median(
      imagined.map((run) => {
        let count = 0;
        for (let at = 0; count < requests; count += 1) {
          at += (run.gaps[count] ?? 1) / rate;
          if (at >= RUN_SECONDS) break;
          due[count] = at;
        }
        const arrivals = due.subarray(0, count);
        const sizes = withStalls(run, arrivals, weather.stallRate, {
          binSeconds,
          servers,
          share: model.share,
        });
        const service = { cost: run.cost, binSeconds, servers, share: model.share, baseSeconds };
        serve(arrivals, sizes, service, out);
        const first = arrivals.findIndex((at) => at >= RUN_WARM_UP_SECONDS);
        return quantileOf(out.slice(first, count), p);
      }),
    );
  if (latencyAt(low) > boundSeconds) return low;
  while (high / low > NEAR) {
    const middle = Math.sqrt(low * high);
    if (latencyAt(middle) > boundSeconds) high = middle;
    else low = middle;
  }
  return Math.sqrt(low * high);
}

/** The sizes of the requests of a run, that of the request at each stall with the stall in it. */
function withStalls(
  { sizes, cost, stallGaps, stallSeconds }: ImaginedRun,
  due: Float64Array,
  stallRate: number,
  { binSeconds, servers, share }: { binSeconds: number; servers: number; share: number },
): Float64Array {
  if (stallRate === 0) return sizes;
  const stalled = sizes.slice(0, due.length);
  let request = 0;
  for (let i = 0; i < stallGaps.length; i += 1) {
    request += (stallGaps[i] ?? 0) / stallRate;
    const at = Math.floor(request);
    if (at >= due.length) break;
    const bin = Math.min(cost.length - 1, Math.floor((due[at] ?? 0) / binSeconds));
    stalled[at] = (stalled[at] ?? 1) + (stallSeconds[i] ?? 0) / servers / share / (cost[bin] ?? 1);
  }
  return stalled;
}
