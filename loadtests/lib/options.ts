/** From a plan to k6's scenario, and from an SLO to its thresholds. */
import type { Options, Scenario } from 'k6/options' with { 'resolution-mode': 'import' };
import type { Operator } from './condition.ts';
import { dueBetween } from './due.ts';
import { COUNTED_KINDS } from './errors.ts';
import { MAY_BE_LATE } from './lateness.ts';
import { Mistake } from './mistake.ts';
import { lengthSeconds, PROFILES, type Profile } from './profile.ts';
import type { Settings } from './settings.ts';
import { allLanes, clientsOf } from './share.ts';
import { isAboutLatency, type Slo } from './slo.ts';

/** Above what a request may take at the end of the run, so that k6 never cuts one off uncounted. */
const GRACE_SECONDS = 10;

/** The names that k6 uses. */
export const PROTOCOLS = ['HTTP/1.0', 'HTTP/1.1', 'HTTP/2.0'] as const;

const TREND_STATS = ['count', 'avg', 'min', 'med', 'p(90)', 'p(95)', 'p(99)', 'p(99.9)', 'max'];

/** Those of k6 without `url`, of which each path is one more series: `name` is the workload. */
const SYSTEM_TAGS: NonNullable<Options['systemTags']> = [
  ...(['proto', 'subproto', 'status', 'method', 'name', 'group', 'check', 'error'] as const),
  ...(['error_code', 'tls_version', 'scenario', 'service', 'expected_response'] as const),
];

export function optionsOf(settings: Settings): Options {
  const { plan, readyMs, hosts } = settings;
  return {
    ...(Object.keys(hosts).length === 0 ? {} : { hosts }),
    scenarios: { [plan.profile]: scenarioOf(settings) },
    thresholds: k6Thresholds(settings),
    summaryTrendStats: TREND_STATS,
    setupTimeout: `${String(readyMs / 1000 + GRACE_SECONDS)}s`,
    systemTags: SYSTEM_TAGS,
    userAgent: 'n8n-tuned',
    noCookiesReset: settings.keepsCookies,
    // Idle connections that a virtual user keeps: all that were open, and the one used last comes first.
    batch: settings.maxOpen,
    batchPerHost: settings.maxOpen,
  };
}

function scenarioOf({ plan, share, segments, beginsAtMs, drainMs }: Settings): Scenario {
  // Until the zero that several generators share.
  const waitSeconds = beginsAtMs === null ? 0 : Math.max(0, beginsAtMs - Date.now()) / 1000;
  const seconds = lengthSeconds(plan) + waitSeconds;
  const gracefulStop = `${String(drainMs / 1000 + GRACE_SECONDS)}s`;
  if (plan.loop === 'closed') {
    return {
      executor: 'constant-vus',
      vus: clientsOf(plan, share),
      duration: `${String(Math.ceil(seconds * 1000))}ms`,
      gracefulStop,
    };
  }
  return {
    executor: 'per-vu-iterations',
    // k6 runs as many of them as its segment has.
    vus: allLanes(plan, share.of * segments) / share.of,
    iterations: 1,
    // A lane sends to the end of the plan; then its requests have their time to be answered.
    maxDuration: `${String(Math.ceil(seconds) + GRACE_SECONDS)}s`,
    gracefulStop,
  };
}

const LATENCY: Partial<Record<Slo['metric'], string>> = {
  p50: 'med',
  p90: 'p(90)',
  p95: 'p(95)',
  p99: 'p(99)',
  'p99.9': 'p(99.9)',
  max: 'max',
  mean: 'avg',
};

/** One figure of a metric, and what it must be. */
interface Threshold {
  slo: Slo;
  metric: 'load_duration' | 'load_wrong';
  /** The name that k6 uses in a summary. */
  figure: string;
  operator: Operator;
  bound: number;
  /** The expression that k6 reads. */
  expression: string;
}

export const thresholdsOf = (slos: readonly Slo[]): Threshold[] =>
  slos.map((slo) => {
    const { metric, figure, operator, bound } = boundOf(slo);
    return {
      ...{ slo, metric, figure, operator, bound },
      expression: `${figure}${operator === '=' ? '==' : operator}${String(bound)}`,
    };
  });

function boundOf(slo: Slo): Omit<Threshold, 'slo' | 'expression'> {
  const { operator } = slo;
  const latency = LATENCY[slo.metric];
  if (latency !== undefined) {
    return { metric: 'load_duration', figure: latency, operator, bound: slo.bound };
  }
  if (slo.metric === 'errors') {
    return { metric: 'load_wrong', figure: 'rate', operator, bound: slo.bound };
  }
  if (slo.metric === 'throughput') {
    refuseUpperBound(slo);
    const bound = Number((1 - slo.bound).toFixed(6));
    return { metric: 'load_wrong', figure: 'rate', operator: '<=', bound };
  }
  throw new Mistake(
    `the SLO '${slo.text}' cannot be checked with k6 alone: use n8n-tuned run, which also reads n8n and its queue`,
  );
}

/** With this many requests, a generator has none of them by chance once in 20,000 times. */
const ENOUGH_FOR_EACH = 10;

function k6Thresholds(settings: Settings): NonNullable<Options['thresholds']> {
  const { plan, slos, onlyHttp1 } = settings;
  const profile: Profile = PROFILES[plan.profile];
  const thresholds: NonNullable<Options['thresholds']> = {};
  for (const { metric, expression } of thresholdsOf(slos)) {
    (thresholds[metric] ??= []).push({
      threshold: expression,
      abortOnFail: profile.endsAtBreach === true,
      delayAbortEval: '10s',
    });
  }
  // Without an expected response a latency is unknown, and unknown is not met.
  if (slos.some(isAboutLatency)) (thresholds.load_duration ??= []).push('max>0');
  // What says nothing about the system must not pass for something that does.
  if (mustHaveRequests(settings)) thresholds.load_requests = ['count>0'];
  if (plan.loop === 'open') {
    thresholds.load_not_sent = ['count==0'];
    thresholds.load_too_late = [`rate<=${String(MAY_BE_LATE)}`];
  }
  // k6 sums up by a tag only what a threshold names.
  for (const kind of COUNTED_KINDS) thresholds[`load_errors{kind:${kind}}`] = ['count>=0'];
  thresholds['load_errors{kind:no socket}'] = ['count==0'];
  for (const protocol of PROTOCOLS) {
    const mustBeNone = onlyHttp1 && protocol !== 'HTTP/1.1';
    thresholds[`load_responses{proto:${protocol}}`] = [mustBeNone ? 'count==0' : 'count>=0'];
  }
  return thresholds;
}

/** One of several generators may have none of a short plan. */
function mustHaveRequests({ plan, share, segments }: Settings): boolean {
  const generators = share.of * segments;
  if (generators === 1 || plan.loop === 'closed') return true;
  const due = dueBetween(plan, plan.warmupSeconds, lengthSeconds(plan));
  return due >= ENOUGH_FOR_EACH * generators;
}

function refuseUpperBound({ text, operator }: Slo): void {
  if (operator !== '>' && operator !== '>=') {
    throw new Mistake(`the SLO '${text}' sets an upper bound to throughput: write throughput>=95%`);
  }
}
