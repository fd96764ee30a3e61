import type { Limit } from '../../../../record/run-record';

/** What one probe leaves to be replayed: when requests were due, how long each took, and the CPU second by second. */
export interface ProbeTrace {
  /** Requests per second that were asked for; null for a closed loop. */
  ratePerSecond: number | null;
  plannedSeconds: number;
  /** How long it lasted; less than planned if it was stopped early. */
  seconds: number;
  /** Due times in seconds since its begin, in order, and the latency of each request in seconds. */
  due: Float64Array;
  latency: Float64Array;
  binSeconds: number;
  /** Whose CPU it is: the thread of a role, the cores of the machine, or a CPU limit. */
  resource: Limit;
  /** How many instances of it serve requests side by side: the processes of the role, or the cores. */
  servers: number;
  /** Cores that each of them may use: 1, except under a CPU limit or beside others that use the machine all the time. */
  coresOfEach: number;
  /** Share of its cores that each instance used in each bin, in seconds. */
  cpu: Float64Array;
  /** Requests that ended in each bin. */
  done: Float64Array;
  /** When something else took the machine: what was due then says nothing about the system. */
  disturbed: readonly Span[];
}

/** Seconds since the begin of a probe. */
export interface Span {
  from: number;
  to: number;
}

/** Seconds over which CPU and completions are smoothed: a request ends up to some tenths after its CPU. */
const SMOOTHING_SECONDS = 0.3;
/** With at least this many requests in the system, time without CPU was taken by somebody else. */
const MIN_BUSY = 3;
/** A stall lasts at least this long, and this many times what a request costs. */
const MIN_STALL_SECONDS = 0.15;
const MIN_STALL_COSTS = 6;

const isWithin = (spans: readonly Span[], at: number): boolean =>
  spans.some(({ from, to }) => from <= at && at < to);

export const isDisturbedAt = ({ disturbed }: ProbeTrace, at: number): boolean =>
  isWithin(disturbed, at);

/** The bins from a second on that lie within the probe and were not disturbed. */
export function binsOf(trace: ProbeTrace, from = 0): number[] {
  const { seconds, binSeconds, cpu, disturbed } = trace;
  const bins: number[] = [];
  for (let bin = Math.ceil(from / binSeconds - 1e-9); bin < cpu.length; bin += 1) {
    if ((bin + 1) * binSeconds > seconds + 1e-9) break;
    if (!isWithin(disturbed, (bin + 0.5) * binSeconds)) bins.push(bin);
  }
  return bins;
}

const sumOver = (bins: readonly number[], values: Float64Array): number =>
  bins.reduce((sum, bin) => sum + (values[bin] ?? 0), 0);

export const responsesOf = (trace: ProbeTrace): number => sumOver(binsOf(trace), trace.done);

/** CPU seconds per request over the whole probe. */
export function meanCost(trace: ProbeTrace): number {
  const bins = binsOf(trace);
  return sumOver(bins, trace.cpu) / sumOver(bins, trace.done);
}

/** The share of the CPU that was used from a second on. */
export function usedShare(trace: ProbeTrace, from: number): number {
  const bins = binsOf(trace, from);
  return bins.length === 0 ? 0 : sumOver(bins, trace.cpu) / (bins.length * trace.binSeconds);
}

/** Adds the seconds between `from` and `to` to the bins in which they lie. */
function spread(bins: Float64Array, binSeconds: number, from: number, to: number, sign = 1): void {
  for (let bin = Math.floor(from / binSeconds + 1e-9); bin < bins.length; bin += 1) {
    const begin = Math.max(from, bin * binSeconds);
    const end = Math.min(to, (bin + 1) * binSeconds);
    if (end <= begin) return;
    bins[bin] = Math.max(0, (bins[bin] ?? 0) + sign * (end - begin));
  }
}

/** Seconds of each bin in which at least `min` requests were in the system. */
export function busySeconds(
  { due, latency, cpu, binSeconds }: ProbeTrace,
  min: number,
): Float64Array {
  const busy = new Float64Array(cpu.length);
  const ends = Float64Array.from(due, (at, i) => at + (latency[i] ?? 0)).sort();
  let inside = 0;
  let since = 0;
  for (let begun = 0, ended = 0; ended < ends.length;) {
    const isBegin = begun < due.length && (due[begun] ?? 0) <= (ends[ended] ?? 0);
    const at = isBegin ? (due[begun] ?? 0) : (ends[ended] ?? 0);
    if (inside >= min) spread(busy, binSeconds, since, at);
    since = at;
    if (isBegin) {
      begun += 1;
      inside += 1;
    } else {
      ended += 1;
      inside -= 1;
    }
  }
  return busy;
}

/** The stalls of a probe: gaps between responses while a request waited. */
export function stallsIn(trace: ProbeTrace, cost: number): Span[] {
  const { due, latency, seconds } = trace;
  const min = Math.max(MIN_STALL_SECONDS, MIN_STALL_COSTS * cost);
  const ends = Float64Array.from(due, (at, i) => at + (latency[i] ?? 0)).sort();
  const stalls: Span[] = [];
  let begun = 0;
  for (let i = 1; i < ends.length && (ends[i - 1] ?? 0) <= seconds; i += 1) {
    const before = ends[i - 1] ?? 0;
    while (begun < due.length && (due[begun] ?? 0) <= before + 1e-9) begun += 1;
    const from = begun > i ? before : (due[i] ?? ends[i] ?? 0);
    if ((ends[i] ?? 0) - from > min && !isDisturbedAt(trace, from))
      stalls.push({ from, to: ends[i] ?? 0 });
  }
  return stalls;
}

/**
 * What a request costs along the probe, bin by bin: CPU and the time that others took, over the requests that ended.
 * Both are smoothed, as CPU comes before the response.
 */
export function costPath(trace: ProbeTrace, without: readonly Span[] = []): Float64Array {
  const { binSeconds, servers } = trace;
  const busy = busySeconds(trace, servers > 1 ? servers + 2 : MIN_BUSY);
  const cpu = Float64Array.from(trace.cpu);
  for (const { from, to } of without) {
    spread(cpu, binSeconds, from, to, -1);
    spread(busy, binSeconds, from, to, -1);
  }
  const work = cpu.map((seconds, bin) => Math.max(seconds, Math.min(binSeconds, busy[bin] ?? 0)));
  return smoothedRatio(work, trace.done, binSeconds);
}

function smoothedRatio(work: Float64Array, done: Float64Array, binSeconds: number): Float64Array {
  const reach = Math.max(1, Math.ceil((3 * SMOOTHING_SECONDS) / binSeconds));
  const ratio = new Float64Array(work.length);
  for (let bin = 0; bin < ratio.length; bin += 1) {
    let above = 0;
    let below = 0;
    for (
      let other = Math.max(0, bin - reach);
      other <= bin + reach && other < ratio.length;
      other += 1
    ) {
      const weight = Math.exp(-((((other - bin) * binSeconds) / SMOOTHING_SECONDS) ** 2) / 2);
      above += weight * (work[other] ?? 0);
      below += weight * (done[other] ?? 0);
    }
    ratio[bin] = below > 0.5 ? above / below : NaN;
  }
  const total = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);
  return withoutGaps(ratio, total(work) / Math.max(1, total(done)));
}

/** Bins without a cost take that of the bin before, or else of the one after. */
function withoutGaps(path: Float64Array, otherwise: number): Float64Array {
  const isKnown = (value: number | undefined): value is number => value !== undefined && value > 0;
  for (let i = 1; i < path.length; i += 1) if (!isKnown(path[i])) path[i] = path[i - 1] ?? 0;
  for (let i = path.length - 2; i >= 0; i -= 1) if (!isKnown(path[i])) path[i] = path[i + 1] ?? 0;
  return path.map((value) => (isKnown(value) ? value : otherwise));
}
