import { median, percentile } from '../../../../analysis/statistics/statistics';
import { normal, seededRandom, type Random } from '../../../../analysis/statistics/random';
import { picked, quantileOf, serve, type Service } from './queue';
import {
  costPath,
  isDisturbedAt,
  meanCost,
  responsesOf,
  stallsIn,
  type ProbeTrace,
  type Span,
} from './trace';

/** A probe as the queue needs it. */
export interface Replayed {
  trace: ProbeTrace;
  cost: Float64Array;
  /** The same without the stalls of the probe. */
  calmCost: Float64Array;
  stalls: readonly Span[];
  /** CPU seconds per request over this probe alone. */
  ownCost: number;
  /** The same over about a minute around the probe: the speed of the machine at that time. */
  nearCost: number;
  /** Places of the requests that count, and their latencies in order. */
  counted: Int32Array;
  latency: Float64Array;
  /** More was asked for than the system can do: the backlog makes requests dearer. */
  isOverloaded: boolean;
}

/** What the replay does not know beforehand. */
export interface QueueModel {
  /** What the cost of a request is multiplied by. */
  share: number;
  /** Coefficient of variation of the sizes of requests. */
  variability: number;
}

export interface FittedModel extends QueueModel {
  weight: number;
}

export interface Fit {
  /** Models by how well they explain the latencies, those with next to no weight left out. */
  models: FittedModel[];
  best: FittedModel;
  baseSeconds: number;
  servers: number;
}

/** How much work an estimate is worth. */
export interface Effort {
  shares: readonly number[];
  variabilities: readonly number[];
  /** Replays of each probe with other sizes of its requests. */
  replays: number;
  runs: number;
  bootstraps: number;
}

export const FINE: Effort = {
  shares: [0.92, 0.96, 1, 1.04, 1.08, 1.13, 1.2],
  variabilities: [0.2, 0.5, 0.8, 1.1, 1.5, 2, 2.6],
  replays: 4,
  runs: 40,
  bootstraps: 14,
};
/** While a search goes on, to see whether it may end: its interval is a little less sure. */
export const LOOK: Effort = { ...FINE, replays: 2, runs: 10, bootstraps: 6 };
/** To choose the next probe. */
export const ROUGH: Effort = {
  shares: [0.92, 1, 1.08, 1.18],
  variabilities: [0.3, 0.8, 1.4, 2.4],
  replays: 2,
  runs: 8,
  bootstraps: 0,
};

/** Scatter of log p95 that neither arrivals nor the CPU explain. */
const SCATTERS = [0.08, 0.15, 0.3, 0.6] as const;
/** A share is expected near this, before anything is seen. */
const EXPECTED_SHARE = { mean: 1.02, deviation: 0.08 };
/** Variance of log p95 in any case. */
const MIN_VARIANCE = 0.02;
/** Every latency above this multiple of the bound says the same: overloaded. */
const BEYOND = 3;
const MIN_WEIGHT = 0.02;
const MIN_REQUESTS = 40;
const MIN_RESPONSES = 15;
/** The replay begins empty as the probe did, so that little of it has to be left out. */
const WARM_UP_SECONDS = 2;
const WARM_UP_SHARE = 0.2;
const NEAR_SECONDS = 60;
const OVERLOAD = 1.1;

/** The probes of an open loop that can be replayed. */
export function replayable(traces: readonly ProbeTrace[]): Replayed[] {
  const seen = traces.filter(
    (trace) =>
      trace.ratePerSecond !== null &&
      trace.due.length > MIN_REQUESTS &&
      responsesOf(trace) >= MIN_RESPONSES,
  );
  const near = nearCosts(seen);
  return seen.map((trace, i) => {
    const ownCost = meanCost(trace);
    const stalls = stallsIn(trace, ownCost);
    const cost = costPath(trace);
    const counted = countedIn(trace);
    return {
      trace,
      cost,
      calmCost: stalls.length === 0 ? cost : costPath(trace, stalls),
      stalls,
      ownCost,
      nearCost: near[i] ?? ownCost,
      counted,
      latency: picked(trace.latency, counted).sort(),
      isOverloaded: isOverloaded(trace),
    };
  });
}

/** The warm-up does not count, nor does what was due while something else took the machine. */
function countedIn(trace: ProbeTrace): Int32Array {
  const from = Math.min(WARM_UP_SECONDS, WARM_UP_SHARE * trace.plannedSeconds);
  return Int32Array.from(trace.due.keys()).filter((i) => {
    const at = trace.due[i] ?? 0;
    return at >= from && !isDisturbedAt(trace, at);
  });
}

const isOverloaded = (trace: ProbeTrace): boolean =>
  (trace.ratePerSecond ?? 0) * meanCost(trace) > OVERLOAD;

/** Cost of a request around each probe, over time rather than over requests, from probes that kept up. */
function nearCosts(traces: readonly ProbeTrace[]): number[] {
  let at = 0;
  const spans = traces.map((trace) => {
    const begin = at;
    at += trace.seconds;
    return { begin, end: at, cost: meanCost(trace), counts: !isOverloaded(trace) };
  });
  return spans.map((span) => {
    const middle = (span.begin + span.end) / 2;
    const reach = Math.max(NEAR_SECONDS, span.end - span.begin) / 2;
    let weighted = 0;
    let seconds = 0;
    for (const other of spans) {
      if (!other.counts && other !== span) continue;
      const overlap = Math.min(other.end, middle + reach) - Math.max(other.begin, middle - reach);
      if (overlap <= 0) continue;
      weighted += overlap * other.cost;
      seconds += overlap;
    }
    return weighted / seconds;
  });
}

/** By stream, as far as they were drawn: every model and every look at the search draws the same ones. */
const drawn = new Map<number, { random: Random; normals: Float64Array }>();
/** Per stream: the longest runs would hold hundreds of megabytes. */
const MAX_KEPT = 50_000;

function normalsOf(stream: number, count: number): Float64Array {
  const known = drawn.get(stream) ?? {
    random: seededRandom(stream * 131 + 7),
    normals: new Float64Array(0),
  };
  const { random, normals } = known;
  if (normals.length >= count) return normals;
  const more = new Float64Array(count);
  more.set(normals);
  for (let i = normals.length; i < count; i += 1) more[i] = normal(random);
  if (count <= MAX_KEPT) drawn.set(stream, { random, normals: more });
  else drawn.delete(stream);
  return more;
}

/** Sizes of requests: log-normal with a mean of 1; the same stream gives the same sizes. */
export function requestSizes(stream: number, variability: number, count: number): Float64Array {
  const variance = Math.log(1 + variability ** 2);
  const deviation = Math.sqrt(variance);
  const normals = normalsOf(stream, count);
  const sizes = new Float64Array(count);
  for (let i = 0; i < count; i += 1)
    sizes[i] = Math.exp(deviation * (normals[i] ?? 0) - variance / 2);
  return sizes;
}

/** What a request takes beside its service: the fastest tenth, less most of the cost. */
function baseSecondsOf(probes: readonly Replayed[], cost: number, servers: number): number {
  const fastest = probes
    .filter(({ latency }) => latency.length >= 20)
    .map(({ latency }) => percentile(latency, 0.1));
  const service = cost * servers * (servers > 1 ? 0.5 : 0.8);
  return Math.max(0, Math.min(...fastest, 2 * cost * servers) - service);
}

/** Weighs every model by how well it explains the latency of each probe. */
export function fit(
  probes: readonly Replayed[],
  cost: number,
  { p, boundSeconds }: { p: number; boundSeconds: number },
  { shares, variabilities, replays }: Effort,
): Fit {
  const servers = probes[0]?.trace.servers ?? 1;
  const baseSeconds = baseSecondsOf(probes, cost, servers);
  const ceiling = Math.log(BEYOND * boundSeconds);
  const observed = probes.map(({ latency }) => Math.log(percentile(latency, p)));
  const longest = Math.max(...probes.map(({ trace }) => trace.due.length));
  const out = new Float64Array(longest);
  const logs: { share: number; variability: number; logs: number[] }[] = [];
  for (const variability of variabilities) {
    const sizes = Array.from({ length: replays }, (_, k) =>
      requestSizes(k + 1, variability, longest),
    );
    for (const share of shares) {
      const service = { share, servers, baseSeconds };
      const predicted = probes.map((probe) => predict(probe, service, sizes, p, out));
      const prior = -0.5 * ((share - EXPECTED_SHARE.mean) / EXPECTED_SHARE.deviation) ** 2;
      logs.push({
        share,
        variability,
        logs: SCATTERS.map((scatter) =>
          predicted.reduce(
            (sum, each, i) =>
              sum + logLikelihood(observed[i] ?? NaN, each, scatter, ceiling, replays),
            prior,
          ),
        ),
      });
    }
  }
  const highest = Math.max(...logs.flatMap((each) => each.logs));
  const weighed = logs.map(({ share, variability, logs: each }) => {
    const weight = each.reduce((sum, log) => sum + Math.exp(log - highest), 0);
    return { share, variability, weight };
  });
  const total = weighed.reduce((sum, { weight }) => sum + weight, 0);
  const models = weighed
    .map((model) => ({ ...model, weight: model.weight / total }))
    .filter(({ weight }) => weight > MIN_WEIGHT);
  const best = models.reduce((one, other) => (other.weight > one.weight ? other : one));
  return { models, best, baseSeconds, servers };
}

interface Predicted {
  mean: number;
  variance: number;
}

type FixedService = Pick<Service, 'share' | 'servers' | 'baseSeconds'>;

/** Log of the percentile that a model predicts of a probe, over other sizes of its requests. */
function predict(
  { trace: { due, binSeconds }, cost, counted }: Replayed,
  service: FixedService,
  sizes: readonly Float64Array[],
  p: number,
  out: Float64Array,
): Predicted {
  const logs = sizes.map((each) => {
    serve(due, each, { ...service, cost, binSeconds }, out);
    return Math.log(quantileOf(picked(out, counted), p));
  });
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1);
  return { mean, variance };
}

/** Student's t of four degrees: a probe that something else disturbed is forgiven. */
function logLikelihood(
  observed: number,
  { mean, variance }: Predicted,
  scatter: number,
  ceiling: number,
  replays: number,
): number {
  if (!Number.isFinite(observed) || !Number.isFinite(mean)) return 0;
  const away = Math.min(observed, ceiling) - Math.min(mean, ceiling);
  const square = scatter ** 2 + variance * (1 + 1 / replays) + MIN_VARIANCE;
  return -2.5 * Math.log(1 + away ** 2 / square / 4) - 0.5 * Math.log(square);
}

/** The percentile that the best model predicts of each probe, in seconds. */
export function predictions(
  probes: readonly Replayed[],
  { best, baseSeconds, servers }: Fit,
  p: number,
): number[] {
  return probes.map(({ trace: { due, binSeconds }, cost, counted }) => {
    const out = new Float64Array(due.length);
    const sizes = requestSizes(1, best.variability, due.length);
    const service = { cost, binSeconds, share: best.share, servers, baseSeconds };
    serve(due, sizes, service, out);
    return quantileOf(picked(out, counted), p);
  });
}

/** Median cost of a request over the time in which the system kept up and had work to do. */
export function medianCost(probes: readonly Replayed[]): number {
  const kept = probes.filter(
    ({ trace, nearCost, isOverloaded: isOver }) =>
      !isOver && (trace.ratePerSecond ?? 0) * nearCost > MIN_UTILISATION,
  );
  const counted = kept.length > 0 ? kept : probes;
  return median(
    counted.flatMap(({ trace, nearCost }) =>
      Array<number>(Math.ceil(trace.seconds)).fill(nearCost),
    ),
  );
}

/** Below this share of the CPU, what n8n does without requests makes each request look dearer. */
const MIN_UTILISATION = 0.4;
