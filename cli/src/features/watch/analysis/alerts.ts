/**
 * Which of our alerts would fire, where no Prometheus is asked: those whose series are sampled, with the same thresholds,
 * true at every sample of the last minute. Prometheus remembers more, and knows the others.
 */
import { thresholds } from '../../../../../monitoring/thresholds';
import type { Topology } from '../../../plan/topology';
import type { Metric } from '../../../record/metrics';
import { isFresh, lastOf, ofMetric, rateOf, sum, type Series } from './series';
import { duration, formatNumber, percent } from '../../../ui/numbers';

export interface FiringNow {
  name: string;
  text: string;
}

export interface AlertsView {
  /** Who says so, for the heading. */
  source: string;
  firing: FiringNow[];
}

interface AlertInput {
  series: readonly Series[];
  nowMs: number;
  topology: Pick<Topology, 'mode' | 'workers'> | null;
}

type AlertCheck = (scene: AlertInput) => string | null;

/** Instances of which every sample of the last minute lies above a bound, and the lowest of these samples. */
function lastingAbove(
  { series, nowMs }: AlertInput,
  metric: Metric,
  bound: number,
  of: (one: Series) => number = () => 1,
): { instance: string; least: number } | null {
  for (const one of ofMetric(series, metric).filter((each) => isFresh(each, nowMs))) {
    const per = of(one);
    const least = Math.min(...one.points.map(({ value }) => value / per));
    if (per > 0 && least > bound) return { instance: one.instance, least };
  }
  return null;
}

/** The last value of another metric of the same instance; 0 where there is none. */
const sameInstance =
  ({ series }: AlertInput, metric: Metric) =>
  ({ role, instance }: Series): number =>
    ofMetric(series, metric, role)
      .find((one) => one.instance === instance)
      ?.points.at(-1)?.value ?? 0;

const aboveLimit =
  (metric: Metric, limit: Metric, bound: number, what: string): AlertCheck =>
  (scene) => {
    const found = lastingAbove(scene, metric, bound, sameInstance(scene, limit));
    return found && `${found.instance} uses ${percent(found.least)} of ${what}.`;
  };

const queueMetric = ({ series, nowMs }: AlertInput, metric: Metric): number | null =>
  lastOf(series, 'redis', metric, nowMs)[0] ?? null;

const values = ({ series }: AlertInput, metric: Metric): number[] =>
  ofMetric(series, metric, 'redis').flatMap(({ points }) => points.map(({ value }) => value));

/** NaN, which is neither above nor below a bound, where nothing was sampled. */
const minOf = (scene: AlertInput, metric: Metric): number =>
  extreme(Math.min, values(scene, metric));
const maxOf = (scene: AlertInput, metric: Metric): number =>
  extreme(Math.max, values(scene, metric));

const extreme = (of: (...all: number[]) => number, all: readonly number[]): number =>
  all.length === 0 ? NaN : of(...all);

function slots({ series, nowMs, topology }: AlertInput): number {
  const shown = sum(lastOf(series, 'worker', 'workerSlots', nowMs));
  if (shown > 0 || topology?.mode !== 'queue') return shown;
  return topology.workers.count * topology.workers.concurrency;
}

/** By the name of the alert. */
export const CHECKS: Readonly<Record<string, AlertCheck>> = {
  N8nNoWorkerUp: ({ series, nowMs, topology }) =>
    topology?.mode === 'queue' &&
    topology.workers.count > 0 &&
    !series.some((one) => one.role === 'worker' && isFresh(one, nowMs))
      ? 'No worker is up.'
      : null,
  N8nJobsWaitNoneActive: (scene) => {
    const waiting = queueMetric(scene, 'queueWaiting');
    return waiting !== null && minOf(scene, 'queueWaiting') > 0 && maxOf(scene, 'queueActive') === 0
      ? `${formatNumber(waiting)} jobs wait, and no worker takes one.`
      : null;
  },
  N8nQueueGrowing: (scene) => {
    const [depth] = ofMetric(scene.series, 'queueWaiting', 'redis');
    const [first, last] = [depth?.points[0]?.value ?? 0, depth?.points.at(-1)?.value ?? 0];
    return last > thresholds.queueWaitingJobs.value && last > 1.2 * first
      ? `${formatNumber(last)} jobs wait in the queue, and their number is growing.`
      : null;
  },
  N8nQueueWaitLong: (scene) => {
    const oldestMs = queueMetric(scene, 'queueOldestMs') ?? 0;
    return oldestMs > 1000 * thresholds.queueWaitSeconds.value
      ? `The oldest job has waited for ${duration(oldestMs)}.`
      : null;
  },
  N8nWorkerSlotsFull: (scene) => {
    const of = slots(scene);
    const taken = minOf(scene, 'queueActive') / of;
    return of > 0 && taken >= thresholds.workerSlotsShare.value && minOf(scene, 'queueWaiting') > 0
      ? `${percent(taken)} of the slots of all workers are taken, and jobs wait.`
      : null;
  },
  N8nWebhookErrorsFast: ({ series, nowMs }) => {
    const rate = (name: Metric): number =>
      sum(ofMetric(series, name).map(({ points }) => rateOf(points, nowMs)));
    const requests = rate('webhookRequests');
    const failed = rate('webhookErrors') / requests;
    return requests > thresholds.webhookLeastPerSecond.value &&
      failed > 14.4 * thresholds.webhookErrorBudget.value
      ? `${percent(failed)} of the webhook requests are answered with a 5xx status.`
      : null;
  },
  N8nEventLoopLag: (scene) => {
    const found = lastingAbove(
      scene,
      'eventLoopLagMs',
      1000 * thresholds.eventLoopLagSeconds.value,
    );
    return found && `The event loop of ${found.instance} is late by ${duration(found.least)}.`;
  },
  N8nHeapNearLimit: aboveLimit(
    'heapUsedMiB',
    'heapLimitMiB',
    thresholds.heapShare.value,
    "V8's heap limit",
  ),
  N8nContainerNearMemoryLimit: aboveLimit(
    'groupWorkingSetMiB',
    'groupMemoryLimitMiB',
    thresholds.containerMemoryShare.value,
    'its memory limit',
  ),
  N8nCpuThrottled: (scene) => {
    const found = lastingAbove(scene, 'throttledShare', thresholds.cpuThrottledShare.value);
    return found && `${found.instance} is throttled in ${percent(found.least)} of its CPU periods.`;
  },
  N8nDatabasePoolWaiting: (scene) => {
    const found = lastingAbove(scene, 'dbPoolPending', thresholds.databasePoolWaiting.value);
    return (
      found && `${formatNumber(found.least)} queries of ${found.instance} wait for a connection.`
    );
  },
  N8nRedisMemoryNearLimit: aboveLimit(
    'redisMemoryMiB',
    'redisMemoryMaxMiB',
    thresholds.redisMemoryShare.value,
    'its maxmemory',
  ),
  N8nPostgresqlConnections: aboveLimit(
    'dbConnections',
    'dbConnectionsMax',
    thresholds.postgresqlConnectionsShare.value,
    'its connections',
  ),
};

export function alertsNow(scene: AlertInput): AlertsView {
  const firing = Object.entries(CHECKS).flatMap(([name, check]) => {
    const text = check(scene);
    return text === null ? [] : [{ name, text }];
  });
  return {
    source: `${String(Object.keys(CHECKS).length)} of the alerts, evaluated from these samples; --prometheus URL shows all`,
    firing,
  };
}
