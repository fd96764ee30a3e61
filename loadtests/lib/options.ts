/** From a plan to k6's scenario, and from an SLO to its thresholds. */
import type { Options, Scenario } from 'k6/options';
import { dueBetween, lengthSeconds, PROFILES, type LoadPlan, type Profile } from './profile.ts';
import type { Settings } from './settings.ts';
import type { Slo } from './slo.ts';

/** k6 takes whole numbers of requests per time unit: so 0.5 a second is 500 in 1000 s. */
const TIME_UNIT_SECONDS = 1000;
/** Above what a request may take at the end of the run, so that k6 never cuts one off uncounted. */
const GRACE_SECONDS = 10;

const TREND_STATS = ['count', 'avg', 'min', 'med', 'p(90)', 'p(95)', 'p(99)', 'p(99.9)', 'max'];

export function optionsOf(settings: Settings): Options {
  const { plan, readyMs } = settings;
  return {
    scenarios: { [plan.profile]: scenarioOf(settings) },
    thresholds: k6Thresholds(settings),
    summaryTrendStats: TREND_STATS,
    setupTimeout: `${String(readyMs / 1000 + GRACE_SECONDS)}s`,
    systemTags: ['status', 'error_code', 'name', 'scenario'],
    userAgent: 'n8n-tuned',
  };
}

function scenarioOf({ plan, drainMs, maxOpen }: Settings): Scenario {
  const gracefulStop = `${String(drainMs / 1000 + GRACE_SECONDS)}s`;
  if (plan.loop === 'closed') {
    return {
      executor: 'constant-vus',
      vus: plan.clients,
      duration: `${String(lengthSeconds(plan))}s`,
      gracefulStop,
    };
  }
  const [first] = plan.stages;
  const rate = first?.fromRatePerSecond ?? 0;
  const common = {
    timeUnit: `${String(TIME_UNIT_SECONDS)}s`,
    // All of them beforehand: one that is made during the load drops the request it was made for.
    preAllocatedVUs: maxOpen,
    maxVUs: maxOpen,
    gracefulStop,
  };
  if (
    plan.stages.every((stage) => stage.fromRatePerSecond === rate && stage.toRatePerSecond === rate)
  ) {
    return {
      executor: 'constant-arrival-rate',
      rate: perUnit(rate),
      duration: `${String(lengthSeconds(plan))}s`,
      ...common,
    };
  }
  return {
    executor: 'ramping-arrival-rate',
    startRate: perUnit(rate),
    stages: plan.stages.flatMap((stage) => [
      // A stage without a length is a step.
      { target: perUnit(stage.fromRatePerSecond), duration: '0s' },
      { target: perUnit(stage.toRatePerSecond), duration: `${String(stage.durationSeconds)}s` },
    ]),
    ...common,
  };
}

function perUnit(ratePerSecond: number): number {
  return Math.round(ratePerSecond * TIME_UNIT_SECONDS);
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

export function thresholdsOf(plan: LoadPlan, slos: readonly Slo[]): Threshold[] {
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
      const share = Number((1 - slo.bound).toFixed(6));
      const due = dueBetween(plan, 0, lengthSeconds(plan));
      return [
        bound('load_wrong', `rate<=${String(share)}`),
        ...(plan.loop === 'open'
          ? [bound('dropped_iterations', `count<=${String(Math.floor(due * share))}`)]
          : []),
      ];
    }
    throw new Error(
      `the SLO '${slo.text}' cannot be seen by k6 alone: n8n-tuned run asks n8n and its queue for it`,
    );
  });
}

function k6Thresholds({ plan, slos }: Settings): NonNullable<Options['thresholds']> {
  const profile: Profile = PROFILES[plan.profile];
  const thresholds: NonNullable<Options['thresholds']> = {};
  for (const { metric, expression } of thresholdsOf(plan, slos)) {
    (thresholds[metric] ??= []).push({
      threshold: expression,
      abortOnFail: profile.endsAtBreach === true,
      delayAbortEval: '10s',
    });
  }
  return thresholds;
}

function refuseUpperBound({ text, operator }: Slo): void {
  if (operator !== '>' && operator !== '>=') {
    throw new Error(`the SLO '${text}' sets an upper bound to throughput: write throughput>=95%`);
  }
}
