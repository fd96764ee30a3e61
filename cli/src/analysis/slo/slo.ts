/** SLOs against what a run measured: met, missed, or not to be decided from so little. */
import { holds } from '../../../../loadtests/lib/condition';
import { doneShare } from '../cost';
import type { Slo, SloMetric } from '../../../../loadtests/lib/slo';
import type {
  AssessedSlo,
  LatencyInterval,
  LatencySummary,
  RunRecord,
  Summary,
  Verdict,
} from '../../record/run-record';
import { minRequests } from './min-requests';
import { shareInterval, type Interval } from '../statistics/statistics';
import { duration, formatNumber, percent } from '../../ui/numbers';

export type Breach = Verdict['breaches'][number];

/** An SLO is met or missed when the whole interval says so. */
const CONFIDENCE = 0.95;

/**
 * `asSeen`: of these requests and no others, as a smoke run is meant. Otherwise they stand for all that
 * would come at this load, and the confidence interval of the percentile or the share decides.
 */
export function assess(slo: Slo, summary: Summary, { asSeen = false } = {}): AssessedSlo {
  const measured = measure(slo.metric, summary);
  if (measured === null) return withoutEvidence(slo, summary);
  const point = { value: measured, low: measured, high: measured };
  const seemsMet = stateOf(point, slo) === 'met';
  if (slo.metric === 'throughput' && seemsMet && !asSeen && summary.completions === null) {
    return acceptedOnly(slo, measured);
  }
  const interval = asSeen ? point : intervalOf(slo, summary, point);
  const state = stateOf(interval, slo);
  const value = measuredText(slo.metric, measured, summary);
  const limit = `limit ${format(slo.metric, slo.bound)}`;
  return {
    ...{ slo: slo.text, state, measured, seemsMet, pressure: pressureOf(slo, measured) },
    text:
      state === 'undecided'
        ? `${value} ${rangeText(slo.metric, interval)}, ${limit}`
        : `${value}, ${limit}`,
    requestsNeeded: state === 'undecided' ? requestsNeeded(slo, interval, summary) : null,
  };
}

function measuredText(metric: SloMetric, measured: number, summary: Summary): string {
  const { offered, achieved, completions = null } = summary;
  if (metric !== 'throughput') return `${metric} ${format(metric, measured)}`;
  const isLate = completions !== null && completions.shareOfOffered < achieved.shareOfOffered;
  const [rate, what] = isLate
    ? [completions.ratePerSecond, 'were completed']
    : [achieved.ratePerSecond, 'got the expected response'];
  return `${formatNumber(rate)} of ${formatNumber(offered.ratePerSecond)} req/s ${what}`;
}

/** The SLOs that were missed, each with what was measured. */
export const breachOf = ({ slo, measured, text }: AssessedSlo): Breach => ({
  slo,
  // Without a single response a latency has no value; the record's JSON needs a number.
  measured: measured ?? Number.MAX_VALUE,
  text,
});

/** Those that were asked for, without those that hold for every run. */
export function askedSlos({ slo, verdict }: Pick<RunRecord, 'slo' | 'verdict'>): AssessedSlo[] {
  const asked = new Set(slo.map(({ text }) => text));
  return verdict.slos.filter((one) => asked.has(one.slo));
}

/** What was measured over its bound, or the other way round for a bound from below; null: it cannot be said so. */
export function pressureOf({ metric, operator, bound }: Slo, measured: number): number | null {
  if (bound <= 0 || operator === '=' || metric === 'backlog') return null;
  return operator.startsWith('<') ? measured / bound : bound / Math.max(measured, 1e-3);
}

function measure(metric: SloMetric, summary: Summary): number | null {
  if (metric === 'errors') return summary.offered.requests === 0 ? null : summary.errors.share;
  if (metric === 'throughput') {
    return summary.offered.requests === 0 ? null : doneShare(summary);
  }
  if (metric === 'backlog') return unfinished(summary);
  return summary.latencyMs?.[latencyName(metric)] ?? null;
}

const latencyName = (
  metric: Exclude<SloMetric, 'errors' | 'throughput' | 'backlog'>,
): Exclude<keyof LatencySummary, 'intervals'> => (metric === 'p99.9' ? 'p999' : metric);

/** Executions that n8n had not done when the load ended and its time to drain was over; null: not known. */
function unfinished({ backlog, executions, matched }: Summary): number | null {
  if (backlog !== null && backlog.drainedAfterSeconds === null) return Math.max(1, backlog.atEnd);
  if (executions !== null) return executions.unfinished;
  if (matched !== undefined && !('skipped' in matched)) return matched.unfinished ?? null;
  return backlog === null ? null : 0;
}

/** Nothing measured is never met; where not one response came to be measured, it is missed. */
function withoutEvidence(slo: Slo, summary: Summary): AssessedSlo {
  const none = {
    ...{ slo: slo.text, measured: null, seemsMet: false, pressure: null, requestsNeeded: null },
  };
  const isLatency = !['errors', 'throughput', 'backlog'].includes(slo.metric);
  if (isLatency && summary.offered.requests > 0) {
    const text = `${slo.text} is missed: no request got the expected response`;
    return { ...none, state: 'missed', text };
  }
  const why =
    slo.metric === 'backlog'
      ? "n8n's executions could not be counted"
      : 'no request was sent during the measured part of the run';
  return { ...none, state: 'undecided', text: `${slo.text} cannot be judged: ${why}` };
}

/** An answer at once says that the work was accepted; whether n8n keeps up with it nobody could see. */
const acceptedOnly = (slo: Slo, measured: number): AssessedSlo => ({
  ...{ slo: slo.text, state: 'undecided', measured, seemsMet: true, requestsNeeded: null },
  pressure: pressureOf(slo, measured),
  text: 'this workload responds at once, and it is unknown which of its executions n8n completed',
});

function intervalOf({ metric, bound }: Slo, summary: Summary, point: Interval): Interval {
  const { latencyMs } = summary;
  // What was counted is no estimate; no number of requests proves that there will never be an error.
  if (metric === 'backlog' || metric === 'max' || (metric === 'errors' && bound <= 0)) return point;
  if (metric === 'errors') return errorsInterval(summary);
  if (metric === 'throughput') return throughputInterval(summary, bound, point);
  const known: LatencyInterval | undefined =
    latencyMs?.intervals?.[latencyName(metric) as keyof typeof latencyMs.intervals];
  // Records of schema version 1 have none.
  if (known === undefined) return point;
  return { value: point.value, low: known.low, high: known.high ?? Infinity };
}

/** Without errors, and in records of older versions, each request counts alone. */
function errorsInterval({ errors, offered }: Summary): Interval {
  const { requests, share, interval } = errors;
  if (interval !== undefined) return { value: share, ...interval };
  const trials = share > 0 ? requests / share : offered.requests;
  return shareInterval(requests, Math.round(trials), CONFIDENCE);
}

/**
 * Responses are counted, not estimated, so what reaches the bound is met. Below it, the errors of a few
 * requests, or of a burst, may be chance; that the others came late is none.
 */
function throughputInterval(summary: Summary, bound: number, point: Interval): Interval {
  const { value } = point;
  if (value >= bound) return point;
  const { requests } = summary.offered;
  const alone = shareInterval(Math.round(value * requests), requests, CONFIDENCE);
  const { share, interval } = summary.errors;
  if (interval === undefined) return alone;
  return {
    value,
    low: Math.max(0, Math.min(alone.low, value - (interval.high - share))),
    high: Math.min(1, Math.max(alone.high, value + share - interval.low)),
  };
}

function stateOf(
  { low, high }: Interval,
  { operator, bound }: Pick<Slo, 'operator' | 'bound'>,
): AssessedSlo['state'] {
  const ends = [low, high].map((end) => holds(end, { operator, bound }));
  if (ends.every(Boolean)) return 'met';
  return ends.some(Boolean) || (operator === '=' && low <= bound && bound <= high && low < high)
    ? 'undecided'
    : 'missed';
}

/** An interval narrows with the square root of the number of requests. */
function requestsNeeded(slo: Slo, { value, low, high }: Interval, summary: Summary): number {
  const isShare = slo.metric === 'errors' || slo.metric === 'throughput';
  const seen = isShare ? summary.offered.requests : (summary.latencyMs?.count ?? 0);
  const min = minRequests(slo.metric, slo.bound);
  if (!Number.isFinite(high) || seen < min) return Math.max(min, seen + 1);
  // Wilson: the end x of the interval of a share is as far away as its own variance, x (1 - x), makes it.
  const distance = (x: number): number => (x - value) ** 2 / (isShare ? x * (1 - x) : 1);
  const times = (1.2 * distance(slo.bound > value ? high : low)) / distance(slo.bound);
  return Math.ceil(seen * (times <= MAX_TIMES ? Math.max(times, 1.2) : MAX_TIMES));
}

/** At its very bound no run is long enough. */
const MAX_TIMES = 100;

function rangeText(metric: SloMetric, { low, high }: Interval): string {
  return Number.isFinite(high)
    ? `(between ${format(metric, low)} and ${format(metric, high)})`
    : `(at least ${format(metric, low)}, too few requests for an upper bound)`;
}

function format(metric: SloMetric, measured: number): string {
  if (metric === 'backlog') return String(measured);
  if (metric === 'errors' || metric === 'throughput') return percent(measured);
  return duration(measured);
}
