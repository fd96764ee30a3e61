/**
 * The capacity from a replay of every probe in a virtual queue. What each request cost is known second by second, so that
 * a slow minute of the machine explains its own latencies instead of widening the answer.
 */
import { studentQuantile } from '../../../../analysis/statistics/distributions';
import { median, percentile } from '../../../../analysis/statistics/statistics';
import { capacityOf } from './capacity';
import { fit, FINE, predictions, replayable, medianCost, type Effort, type Replayed } from './fit';
import type { ProbeTrace } from './trace';

export interface QueueSettings {
  p: number;
  boundSeconds: number;
  arrivals: 'even' | 'random';
}

export interface QueueEstimate {
  /** Requests per second at `costSeconds` per request, with an interval of about 95%. */
  ratePerSecond: number;
  low: number;
  high: number;
  costSeconds: number;
  /** Cost of a request around each probe that kept up, and for how long. */
  speeds: { costSeconds: number; seconds: number }[];
  share: number;
  variability: number;
  /** Whether the share lies at an end of what is looked for. */
  isAtEdge: boolean;
  /** Median of |log observed / predicted| of the percentile, over probes that kept up. */
  residual: number;
  /** The percentile that the replay predicts of each trace, in seconds; null of those that are not replayed. */
  predicted: (number | null)[];
  modelError: number;
  weatherError: number;
  stallError: number;
  pieces: number;
  stalls: number;
}

/** The smallest error of the method itself, as a logarithm. */
const MIN_ERROR = 0.0175;

/** Null without a probe that can be replayed. */
export function estimateByQueue(
  traces: readonly ProbeTrace[],
  settings: QueueSettings,
  effort: Effort = FINE,
): QueueEstimate | null {
  const probes = replayable(traces);
  const [first] = probes;
  if (first === undefined) return null;
  const cost = medianCost(probes);
  const fitted = fit(probes, cost, settings, effort);
  const answer = capacityOf(probes, fitted, {
    ...settings,
    cost,
    binSeconds: first.trace.binSeconds,
    effort,
  });
  const error = Math.max(MIN_ERROR, Math.hypot(answer.modelError, answer.weatherError));
  const reach = reachOf(answer.pieces) * error;
  const { share, variability } = fitted.best;
  const predicted = predictions(probes, fitted, settings.p);
  return {
    ratePerSecond: Math.exp(answer.log),
    low: Math.exp(answer.log - reach),
    high: Math.exp(answer.log + reach),
    costSeconds: cost,
    speeds: probes
      .filter(({ isOverloaded }) => !isOverloaded)
      .map(({ nearCost, trace }) => ({ costSeconds: nearCost, seconds: trace.seconds })),
    share,
    variability,
    isAtEdge: share === effort.shares[0] || share === effort.shares.at(-1),
    residual: median(residuals(probes, predicted, settings.p).map(Math.abs)),
    predicted: traces.map(
      (trace) => predicted[probes.findIndex((probe) => probe.trace === trace)] ?? null,
    ),
    modelError: answer.modelError,
    weatherError: answer.weatherError,
    stallError: answer.stallError,
    pieces: answer.pieces,
    stalls: answer.stalls,
  };
}

/** Log of observed over predicted percentile, of each probe that kept up. */
const residuals = (
  probes: readonly Replayed[],
  predicted: readonly number[],
  p: number,
): number[] =>
  probes.flatMap(({ isOverloaded, latency }, i) =>
    isOverloaded ? [] : [Math.log(percentile(latency, p) / (predicted[i] ?? NaN))],
  );

/**
 * Standard errors to each side: more where few pieces of weather were seen. The two errors overlap, so that fewer are
 * enough than for one of them alone.
 */
const reachOf = (pieces: number): number =>
  OVERLAP * studentQuantile(0.975, Math.max(MIN_DEGREES, pieces - 1));
const OVERLAP = 0.68;
const MIN_DEGREES = 3;
