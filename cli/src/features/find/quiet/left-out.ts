/** The part of a probe in which others had the machine: it says nothing about the system. Pure. */
import { holds } from '../../../../../loadtests/lib/condition';
import type { Slo } from '../../../../../loadtests/lib/slo';
import { PERCENTILES } from '../../../analysis/slo/min-requests';
import { pressureOf } from '../../../analysis/slo/slo';
import { percentile } from '../../../analysis/statistics/statistics';
import type { Span } from '../analysis/virtual-queue/trace';
import type { ProbeOutcome } from '../analysis/types';
import { OTHERS_SHARE } from './disturbances';

/** For so long the system works off what it could not do meanwhile. */
const AFTER_SECONDS = 1;

/** What others may use in a second: a fifth of the cores above what they used when the search began. */
export const maxOthersMs = (cores: number, beforeCores: number): number =>
  1_000 * (beforeCores + OTHERS_SHARE * cores);

/**
 * The seconds in which others used more than a fifth of the cores above what they used when the search began, each with
 * the second after it.
 */
export function disturbedSpans(
  othersMs: readonly (number | null)[],
  cores: number,
  beforeCores: number,
): Span[] {
  const max = maxOthersMs(cores, beforeCores);
  const spans: Span[] = [];
  othersMs.forEach((used, second) => {
    if (used === null || used <= max) return;
    const last = spans.at(-1);
    const to = Math.min(othersMs.length, second + 1 + AFTER_SECONDS);
    if (last !== undefined && last.to >= second) last.to = to;
    else spans.push({ from: second, to });
  });
  return spans;
}

export const secondsIn = (spans: readonly Span[]): number =>
  spans.reduce((sum, { from, to }) => sum + to - from, 0);

/** What of the probes of one search is left out: no more of its time than it can be given back. */
export class LeftOut {
  private seconds = 0;
  /** Disturbed seconds that could not be left out any more. */
  countedSeconds = 0;

  constructor(
    private readonly machine: { cores: number; othersCores: number },
    private readonly maxSeconds: number,
  ) {}

  of(othersMs: readonly (number | null)[]): Span[] {
    const { cores, othersCores } = this.machine;
    const spans = disturbedSpans(othersMs, cores, othersCores);
    const seconds = secondsIn(spans);
    if (this.seconds + seconds > this.maxSeconds) {
      this.countedSeconds += seconds;
      return [];
    }
    this.seconds += seconds;
    return spans;
  }
}

/** Beyond this share of a probe, what is left is no probe. */
const MAX_LEFT_OUT = 0.5;
/** Fewer requests say nothing about a percentile. */
const MIN_REQUESTS = 30;

/** What a probe tells of the rest of it: judged by the latencies that are left, and no proof of a rate that is sustained. */
export function withoutDisturbed(
  outcome: ProbeOutcome,
  slos: readonly Slo[],
  warmupSeconds: number,
): ProbeOutcome {
  const { trace } = outcome;
  if (trace === null || trace.disturbed.length === 0) return outcome;
  const isLeft = (at: number): boolean =>
    at >= warmupSeconds && !trace.disturbed.some(({ from, to }) => from <= at && at < to);
  const latencies = [...trace.latency]
    .filter((_, index) => isLeft(trace.due[index] ?? 0))
    .sort((a, b) => a - b);
  const judged = slos.flatMap((slo) => {
    const share = PERCENTILES[slo.metric];
    return share === undefined ? [] : [{ slo, measured: 1_000 * percentile(latencies, share) }];
  });
  const isLost = secondsIn(trace.disturbed) > MAX_LEFT_OUT * trace.seconds;
  if (isLost || latencies.length < MIN_REQUESTS || judged.length === 0) {
    return { ...outcome, result: 'invalid' };
  }
  const pressures = judged.flatMap(({ slo, measured }) => pressureOf(slo, measured) ?? []);
  const pressure = pressures.length === 0 ? null : Math.max(...pressures);
  const isMet = judged.every(({ slo, measured }) => holds(measured, slo));
  const result = isMet ? 'sustained' : 'not sustained';
  return { ...outcome, pressure, result, decided: false };
}
