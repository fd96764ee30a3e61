import { parseConditions, type Condition } from './condition.ts';
import { parseDuration } from './duration.ts';
import { Mistake } from './mistake.ts';
import { didYouMean } from './nearest.ts';

/**
 * What must hold. Written as `p95<6s`, `errors<1%`, `throughput>=95%`, `backlog=0`; times are
 * milliseconds inside, shares are fractions of 1.
 */
export const LATENCY_METRICS = ['p50', 'p90', 'p95', 'p99', 'p99.9', 'max', 'mean'] as const;
export const SLO_METRICS = [...LATENCY_METRICS, 'errors', 'throughput', 'backlog'] as const;

export type SloMetric = (typeof SLO_METRICS)[number];

/** `bound`: milliseconds for latencies, a fraction of 1 for errors and throughput, executions for backlog. */
export type Slo = Condition<SloMetric>;

/** The SLO that holds if none says how many requests may fail. */
export const DEFAULT_ERRORS: Slo = {
  text: 'errors<5%',
  metric: 'errors',
  operator: '<',
  bound: 0.05,
};

/** The SLO that holds if none says how many of the requests must be done: to fall behind is to fail. */
export const DEFAULT_THROUGHPUT: Slo = {
  text: 'throughput>=95%',
  metric: 'throughput',
  operator: '>=',
  bound: 0.95,
};

/** Latencies are those of expected responses, so they say nothing of an n8n that fails fast: errors have a bound, too. */
export const withErrorBound = (slos: readonly Slo[]): readonly Slo[] =>
  slos.some(({ metric }) => metric === 'errors') ? slos : [...slos, DEFAULT_ERRORS];

export const isAboutLatency = ({ metric }: Slo): boolean =>
  LATENCY_METRICS.some((known) => known === metric);

/** Those that slow responses can miss. */
export const latencyLimits = (slos: readonly Slo[]): Slo[] =>
  slos.filter((slo) => isAboutLatency(slo) && slo.operator.startsWith('<'));

/** Times the largest latency that an SLO allows: how long to wait if nobody says it. */
const LONGER = 2;

/**
 * How long responses are waited for, in milliseconds. A request that never got one counts with the time that
 * it had, so a time that an SLO allows could not show a miss. `name` is how the user says it.
 */
export function waitingMs(
  name: string,
  givenMs: number | undefined,
  fallback: string,
  slos: readonly Slo[],
): number {
  const [largest] = latencyLimits(slos).sort((a, b) => b.bound - a.bound);
  if (givenMs === undefined) {
    return Math.max(1000 * parseDuration(fallback), LONGER * (largest?.bound ?? 0));
  }
  if (largest === undefined || givenMs > largest.bound) return givenMs;
  throw new Mistake(
    `${name} is ${String(givenMs / 1000)} s, so requests without a response would not miss the SLO ${largest.text}: set ${name} to more than ${String(largest.bound / 1000)} s, or leave it out`,
  );
}

const MILLISECONDS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, min: 60_000 };

/** One or several, separated by commas. Throws one sentence that says what to write instead. */
export function parseSlos(text: string): Slo[] {
  const slos = parseConditions(text, {
    metrics: SLO_METRICS,
    notUnderstood: (part) =>
      `the SLO '${part}' is not understood: use a form such as p95<6s, errors<1%, throughput>=95% or backlog=0`,
    noMetric: (part, metric) =>
      `the SLO '${part}' names no known metric${didYouMean(metric, SLO_METRICS)}: choose one of ${SLO_METRICS.join(', ')}`,
  });
  if (slos.length === 0) {
    throw new Mistake(`the SLO is empty: use a form such as p95<6s,errors<1%`);
  }
  return slos.map(({ value, unit, ...slo }) => ({
    ...slo,
    bound: boundOf(slo.text, slo.metric, value, unit),
  }));
}

function boundOf(text: string, metric: SloMetric, value: number, unit: string): number {
  if (metric === 'backlog') {
    if (unit !== '') {
      throw new Mistake(`the SLO '${text}' has a unit, but a backlog is a number of executions`);
    }
    return value;
  }
  if (metric === 'errors' || metric === 'throughput') {
    if (unit !== '%') {
      throw new Mistake(
        `the SLO '${text}' needs a percent sign: ${metric}${metric === 'errors' ? '<1%' : '>=95%'}`,
      );
    }
    if (value > 100) {
      throw new Mistake(`the SLO '${text}' asks for more than 100%`);
    }
    return value / 100;
  }
  const factor = MILLISECONDS[unit.toLowerCase()];
  if (factor === undefined) {
    throw new Mistake(
      `the SLO '${text}' needs a time with its unit: ${metric}<300ms or ${metric}<6s`,
    );
  }
  return value * factor;
}
