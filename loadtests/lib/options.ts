/** From a plan to k6's scenario, and from an SLO to its thresholds. */
import type { Options, Scenario } from 'k6/options';
import { Mistake } from './mistake.ts';
import { lengthSeconds, PROFILES, type Profile } from './profile.ts';
import type { Settings } from './settings.ts';
import { allLanes, clientsOf } from './share.ts';
import type { Slo } from './slo.ts';

/** Above what a request may take at the end of the run, so that k6 never cuts one off uncounted. */
const GRACE_SECONDS = 10;

const TREND_STATS = ['count', 'avg', 'min', 'med', 'p(90)', 'p(95)', 'p(99)', 'p(99.9)', 'max'];

export function optionsOf(settings: Settings): Options {
  const { plan, readyMs, hosts } = settings;
  return {
    ...(Object.keys(hosts).length === 0 ? {} : { hosts }),
    scenarios: { [plan.profile]: scenarioOf(settings) },
    thresholds: k6Thresholds(settings),
    summaryTrendStats: TREND_STATS,
    setupTimeout: `${String(readyMs / 1000 + GRACE_SECONDS)}s`,
    systemTags: ['status', 'error_code', 'name', 'scenario'],
    userAgent: 'n8n-tuned',
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

interface Threshold {
  slo: string;
  metric: string;
  expression: string;
}

export function thresholdsOf(slos: readonly Slo[]): Threshold[] {
  return slos.flatMap((slo) => {
    const operator = slo.operator === '=' ? '==' : slo.operator;
    const latency = LATENCY[slo.metric];
    const bound = (metric: string, expression: string): Threshold => ({
      slo: slo.text,
      metric,
      expression,
    });
    if (latency !== undefined) {
      return [bound('load_duration', `${latency}${operator}${String(slo.bound)}`)];
    }
    if (slo.metric === 'errors') {
      return [bound('load_wrong', `rate${operator}${String(slo.bound)}`)];
    }
    if (slo.metric === 'throughput') {
      refuseUpperBound(slo);
      return [bound('load_wrong', `rate<=${String(Number((1 - slo.bound).toFixed(6)))}`)];
    }
    throw new Mistake(
      `the SLO '${slo.text}' cannot be seen by k6 alone: n8n-tuned run asks n8n and its queue for it`,
    );
  });
}

function k6Thresholds({ plan, slos }: Settings): NonNullable<Options['thresholds']> {
  const profile: Profile = PROFILES[plan.profile];
  const thresholds: NonNullable<Options['thresholds']> = {};
  for (const { metric, expression } of thresholdsOf(slos)) {
    (thresholds[metric] ??= []).push({
      threshold: expression,
      abortOnFail: profile.endsAtBreach === true,
      delayAbortEval: '10s',
    });
  }
  if (slos.length > 0 && plan.loop === 'open') {
    // Then the run says nothing about the SLOs, and must not pass for one that does.
    thresholds.load_not_sent = ['count==0'];
  }
  return thresholds;
}

function refuseUpperBound({ text, operator }: Slo): void {
  if (operator !== '>' && operator !== '>=') {
    throw new Mistake(`the SLO '${text}' sets an upper bound to throughput: write throughput>=95%`);
  }
}
