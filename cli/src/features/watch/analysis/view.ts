/** What the screen of `watch` shows, out of what was sampled. */
import { SAMPLED_ROLES } from '../../../plan/roles';
import type { Topology } from '../../../plan/topology';
import type { Metric } from '../../../record/metrics';
import {
  isFresh,
  lastOf,
  maxOrNull,
  ofMetric,
  rateOf,
  RATE_OVER_MS,
  sum,
  sumOrNull,
  type LastMinute,
  type Series,
} from './series';

export interface AlertsView {
  /** Who says so, for the heading. */
  source: string;
  firing: { name: string; text: string }[];
}

export interface View {
  executions: { succeededPerSecond: number; failedPerSecond: number; history: number[] } | null;
  webhooks: WebhooksView | null;
  queue: QueueView | null;
  roles: RoleView[];
  hostCores: number | null;
  events: { atMs: number; text: string }[];
}

export interface WebhooksView {
  perSecond: number;
  /** Answered with a 5xx status. */
  errorsPerSecond: number;
  /** Null while nothing is answered. */
  meanMs: number | null;
  p95Ms: number | null;
}

export interface QueueView {
  waiting: number;
  active: number;
  /** Null where only n8n's metrics are seen. */
  oldestMs: number | null;
  /** Executions that all workers run at once; null where that is not known. */
  slots: number | null;
  history: number[];
}

export interface RoleView {
  role: string;
  instances: number;
  /** Memory of control groups, with their limits; of processes if there are no groups. */
  memoryMiB: number | null;
  memoryLimitMiB: number | null;
  heapMiB: number | null;
  heapLimitMiB: number | null;
  cpuCores: number | null;
  eventLoopLagMs: number | null;
}

const HISTORY = 30;

export function viewOf(
  latest: LastMinute,
  nowMs: number,
  topology: Pick<Topology, 'mode' | 'workers'> | null = null,
): View {
  const series = latest.series();
  return {
    executions: executionsOf(series, nowMs),
    webhooks: webhooksOf(series, nowMs),
    queue: queueOf(series, nowMs, topology),
    roles: SAMPLED_ROLES.filter((role) => role !== 'generator' && role !== 'host').flatMap((role) =>
      roleOf(series, role, nowMs),
    ),
    hostCores: lastOf(series, 'host', 'cpuCores', nowMs)[0] ?? null,
    events: latest.events,
  };
}

/** In queue mode workers execute, and main counts what it hears of them a second time. */
function executionsOf(series: readonly Series[], nowMs: number): View['executions'] {
  const counted = ofMetric(series, 'executionsSucceeded');
  if (counted.length === 0) return null;
  const isQueue = counted.some(({ role }) => role === 'worker');
  const rateAt = (name: Metric, atMs: number): number =>
    sum(
      ofMetric(series, name)
        .filter(({ role }) => role === 'worker' || !isQueue)
        .map(({ points }) => rateOf(points, atMs)),
    );
  return {
    succeededPerSecond: rateAt('executionsSucceeded', nowMs),
    failedPerSecond: rateAt('executionsFailed', nowMs),
    history: Array.from({ length: HISTORY }, (_, index) =>
      rateAt('executionsSucceeded', nowMs - (HISTORY - 1 - index) * 1000),
    ),
  };
}

function webhooksOf(series: readonly Series[], nowMs: number): WebhooksView | null {
  const requests = ofMetric(series, 'webhookRequests').filter((one) => isFresh(one, nowMs));
  if (requests.length === 0) return null;
  const rate = (name: Metric): number =>
    sum(ofMetric(series, name).map(({ points }) => rateOf(points, nowMs)));
  const recent = (name: Metric): number[] =>
    ofMetric(series, name).flatMap(({ points }) =>
      points.filter(({ atMs }) => atMs > nowMs - RATE_OVER_MS).map(({ value }) => value),
    );
  const means = recent('webhookMeanMs');
  return {
    perSecond: rate('webhookRequests'),
    errorsPerSecond: rate('webhookErrors'),
    meanMs: means.length > 0 ? sum(means) / means.length : null,
    p95Ms: maxOrNull(recent('webhookP95Ms')),
  };
}

function queueOf(
  series: readonly Series[],
  nowMs: number,
  topology: Pick<Topology, 'mode' | 'workers'> | null,
): QueueView | null {
  const [waiting] = lastOf(series, 'redis', 'queueWaiting', nowMs);
  if (waiting === undefined) return null;
  const planned =
    topology?.mode === 'queue' ? topology.workers.count * topology.workers.concurrency : null;
  return {
    waiting,
    active: lastOf(series, 'redis', 'queueActive', nowMs)[0] ?? 0,
    oldestMs: lastOf(series, 'redis', 'queueOldestMs', nowMs)[0] ?? null,
    slots: sumOrNull(lastOf(series, 'worker', 'workerSlots', nowMs)) ?? planned,
    history: (ofMetric(series, 'queueWaiting')[0]?.points ?? [])
      .slice(-HISTORY)
      .map(({ value }) => value),
  };
}

function roleOf(series: readonly Series[], role: string, nowMs: number): RoleView[] {
  const last = (metric: Metric): number[] => lastOf(series, role, metric, nowMs);
  const rss = last('rssMiB');
  const lags = last('eventLoopLagMs');
  if (rss.length + lags.length === 0) return [];
  const groups = last('groupWorkingSetMiB');
  const limits = last('groupMemoryLimitMiB');
  const instances = new Set(
    series
      .filter((one) => one.role === role && one.instance !== '' && isFresh(one, nowMs))
      .map(({ instance }) => instance.split('/')[0]),
  );
  return [
    {
      role,
      instances: instances.size,
      memoryMiB: sumOrNull(groups.length > 0 ? groups : rss),
      memoryLimitMiB: sumOrNull(limits.length > 0 ? limits : last('shownMemoryLimitMiB')),
      heapMiB: sumOrNull(last('heapUsedMiB')),
      heapLimitMiB: sumOrNull(last('heapLimitMiB')),
      cpuCores: sumOrNull(last('cpuCores')),
      eventLoopLagMs: maxOrNull(lags),
    },
  ];
}
