import { N8N_ROLES } from '../plan/roles';
import type { Slo } from '../plan/slo';
import type {
  ExecutionCounts,
  LatencyInterval,
  LatencySummary,
  MetricSample,
  RequestSample,
  RoleSummary,
  Summary,
} from '../record/record';
import type { Completed } from './completions';
import { meanCores } from './cores';
import { generatorFaults, latenessOf, newConnectionsOf } from './generator';
import { growth, totals, values, type SampledRole, type Window } from './metrics';
import {
  largest,
  mean,
  meanInterval,
  median,
  percentile,
  percentileInterval,
  sorted,
  type Interval,
} from './statistics';
import { slope } from './trend';

/** What a run knows about itself that its samples do not say. */
export interface RunFacts {
  /** The part that counts; requests due before it were warm-up. */
  measured: Window;
  loop: 'open' | 'closed';
  /** Closed loop: clients, and how long each pauses between two requests. */
  clients?: number;
  thinkTimeMs?: number;
  slos: readonly Slo[];
  generator: {
    /** Of its whole life, where no sample fell into the measured part. */
    cpuCoresMean: number;
    /** Cores that it may use; null where that was not recorded. */
    coresAvailable: number | null;
    /** Open loop: requests that were due within the measured part and could not be sent. */
    notSent: number;
  };
  executions: ExecutionCounts | null;
  /** Of workloads that answer at once. */
  completed?: Completed | null;
  /** Null where there is no queue; `seconds` is null where it was not empty in time. */
  queueDrained: { seconds: number | null } | null;
}

/** Kinds of errors where no answer came, so that the duration is only how long we waited. */
const NEVER_ANSWERED = new Set(['unanswered', 'timeout']);

export function summarize(
  requests: readonly RequestSample[],
  samples: readonly MetricSample[],
  facts: RunFacts,
): Summary {
  const { measured } = facts;
  const seconds = (measured.toMs - measured.fromMs) / 1_000;
  const due = requests.filter(({ tMs }) => tMs >= measured.fromMs && tMs < measured.toMs);
  const offered = due.length;
  const good = goodReplies(requests, measured);
  const wrong = errors(due);
  const unanswered = due.filter(({ errorKind }) => errorKind === 'unanswered');
  return {
    offered: { requests: offered, ratePerSecond: offered / seconds },
    achieved: {
      requests: good,
      ratePerSecond: good / seconds,
      shareOfOffered: offered === 0 ? 0 : Math.min(1, good / offered),
    },
    ...(facts.completed === undefined ? {} : { completions: facts.completed?.completions ?? null }),
    latencyMs: latency(due),
    errors: wrong,
    unanswered: {
      requests: unanswered.length,
      oldestAgeMs: unanswered.reduce((oldest, { durationMs }) => Math.max(oldest, durationMs), 0),
    },
    executions: facts.executions && {
      ...facts.executions,
      requests: requests.length,
      rightReplies: requests.filter(({ ok }) => ok).length,
    },
    backlog: backlog(samples, facts),
    littlesLaw: littlesLaw(requests, facts),
    cpuMillisecondsPerRequest: cpuPerRequest(samples, measured, good),
    roles: roles(samples, measured),
    spread: spread(due),
    generator: generator(due, samples, wrong, facts),
  };
}

/**
 * Good replies that arrived within the measured part, moved on by the fastest of them. Counting
 * arrivals (not the requests due) gives what an overloaded system really does a second; moving the
 * window keeps a workload that takes 5 s by design from seeming to lose its last 5 s.
 */
function goodReplies(requests: readonly RequestSample[], { fromMs, toMs }: Window): number {
  const good = requests.filter(({ ok }) => ok);
  const fastest = good.reduce((least, { durationMs }) => Math.min(least, durationMs), Infinity);
  return good.filter(({ tMs, durationMs }) => {
    const arrival = tMs + durationMs - fastest;
    return arrival >= fromMs && arrival < toMs;
  }).length;
}

/**
 * Latency of good replies, and of requests that never got an answer at the age they had reached: they
 * took at least that long, and leaving them out would make a system look faster the more it hangs.
 * Wrong or refused replies are errors, and often quick ones; they have no latency.
 */
export function latency(requests: readonly RequestSample[]): LatencySummary | null {
  const order = sorted(
    requests
      .filter(({ ok, errorKind }) => ok || NEVER_ANSWERED.has(errorKind))
      .map(({ durationMs }) => durationMs),
  );
  if (order.length === 0) return null;
  return {
    count: order.length,
    mean: mean(order),
    min: percentile(order, 0),
    p50: percentile(order, 0.5),
    p90: percentile(order, 0.9),
    p95: percentile(order, 0.95),
    p99: percentile(order, 0.99),
    p999: percentile(order, 0.999),
    max: percentile(order, 1),
    intervals: {
      mean: recorded(meanInterval(order)),
      p50: recorded(percentileInterval(order, 0.5)),
      p90: recorded(percentileInterval(order, 0.9)),
      p95: recorded(percentileInterval(order, 0.95)),
      p99: recorded(percentileInterval(order, 0.99)),
      p999: recorded(percentileInterval(order, 0.999)),
    },
  };
}

/** JSON knows no infinity. */
const recorded = ({ low, high }: Interval): LatencyInterval => ({
  low: Math.max(0, low),
  high: Number.isFinite(high) ? high : null,
});

function errors(due: readonly RequestSample[]): Summary['errors'] {
  const byKind: Record<string, number> = {};
  let count = 0;
  for (const { ok, errorKind } of due) {
    if (ok) continue;
    count += 1;
    byKind[errorKind] = (byKind[errorKind] ?? 0) + 1;
  }
  return { requests: count, share: due.length === 0 ? 0 : count / due.length, byKind };
}

function backlog(samples: readonly MetricSample[], facts: RunFacts): Summary['backlog'] {
  if (facts.queueDrained === null) return null;
  const queued = totals(samples, { metric: 'queueWaiting' }, facts.measured);
  // Without a queue to look at, what n8n has accepted and not done yet.
  const waiting = queued.length > 0 ? queued : (facts.completed?.open ?? []);
  const growing = slope(waiting.map(({ tMs, value }) => ({ x: tMs / 1_000, y: value })));
  return {
    atEnd: waiting.at(-1)?.value ?? facts.completed?.completions.openAtEnd ?? 0,
    // A slope whose interval holds 0 is noise, and stated as none.
    slopePerSecond: growing.low > 0 || growing.high < 0 ? growing.value : 0,
    drainedAfterSeconds: facts.queueDrained.seconds,
  };
}

/**
 * Requests in flight, predicted as rate x time in the system, against those seen: the clients of a
 * closed loop, or the mean number of open requests in the measured part. A ratio far from 1 means that
 * the system was not in a steady state, or that the samples are wrong.
 */
function littlesLaw(
  requests: readonly RequestSample[],
  { measured, loop, clients, thinkTimeMs = 0 }: RunFacts,
): Summary['littlesLaw'] {
  const length = measured.toMs - measured.fromMs;
  let completed = 0;
  let timeOfCompleted = 0;
  let overlap = 0;
  for (const { tMs, durationMs } of requests) {
    const end = tMs + durationMs;
    overlap += Math.max(0, Math.min(end, measured.toMs) - Math.max(tMs, measured.fromMs));
    if (end < measured.fromMs || end >= measured.toMs) continue;
    completed += 1;
    timeOfCompleted += durationMs + thinkTimeMs;
  }
  const observed = loop === 'closed' ? (clients ?? 0) : overlap / length;
  if (completed === 0 || observed === 0) return null;
  const predicted = timeOfCompleted / length;
  return { predicted, observed, ratio: predicted / observed };
}

/** CPU of n8n's own roles and their runners; databases and the generator are not n8n. */
function cpuPerRequest(
  samples: readonly MetricSample[],
  measured: Window,
  good: number,
): number | null {
  const cores = N8N_ROLES.flatMap((role) => {
    return meanCores(samples, role, measured) ?? [];
  });
  if (cores.length === 0 || good === 0) return null;
  return (cores.reduce((sum, value) => sum + value, 0) * (measured.toMs - measured.fromMs)) / good;
}

function roles(samples: readonly MetricSample[], measured: Window): RoleSummary[] {
  const names = new Set(samples.map(({ role }) => role as SampledRole));
  return [...names]
    .filter((role) => role.length > 0)
    .map((role) => {
      const rss = totals(samples, { metric: 'rssMiB', role }, measured).map(({ value }) => value);
      const processes = values(samples, { metric: 'processes', role }, measured);
      const throttled = values(samples, { metric: 'throttledShare', role }, measured);
      // A child process is sampled as `main/4711`: it belongs to the instance main.
      const instances = new Set(
        samples
          .filter((sample) => sample.role === role && sample.instance)
          .map(({ instance }) => instance.split('/')[0]),
      );
      return {
        role,
        instances: instances.size,
        rssPeakMiB: rss.length > 0 ? largest(rss) : null,
        rssMedianMiB: rss.length > 0 ? median(rss) : null,
        cpuCoresMean: meanCores(samples, role, measured),
        processesPeak: processes.length > 0 ? largest(processes) : null,
        // Over the whole run: a restart during warm-up matters no less.
        restarts: growth(samples, { metric: 'restarts', role }),
        oomKills: growth(samples, { metric: 'oomKills', role }),
        throttledShare: throttled.length > 0 ? mean(throttled) : null,
      };
    });
}

function spread(due: readonly RequestSample[]): Summary['spread'] {
  const counts = new Map<string, number>();
  for (const { ranBy } of due) if (ranBy) counts.set(ranBy, (counts.get(ranBy) ?? 0) + 1);
  return [...counts]
    .map(([ranBy, count]) => {
      const [host = '', pid = '', role = ''] = ranBy.split('/');
      return { host, pid: Number(pid), role, requests: count };
    })
    .sort((a, b) => b.requests - a.requests);
}

function generator(
  due: readonly RequestSample[],
  samples: readonly MetricSample[],
  wrong: Summary['errors'],
  { generator: known, measured, loop, slos }: RunFacts,
): Summary['generator'] {
  const used = values(samples, { metric: 'cpuCores', role: 'generator' }, measured);
  const figures = {
    cpuCores: used.length > 0 ? mean(used) : known.cpuCoresMean,
    coresAvailable: known.coresAvailable,
    notSent: known.notSent,
    latenessMs: latenessOf(due, loop),
    newConnections: newConnectionsOf(due),
  };
  const faults = generatorFaults({ generator: figures, errors: wrong }, slos);
  return { ...figures, faults, saturated: faults.length > 0 };
}
