import type { Metric } from '../record/metrics';

/** What the screen shows, out of what was sampled. */
import { SAMPLED_ROLES } from '../plan/roles';
export interface View {
  executions: { succeededPerSecond: number; failedPerSecond: number; history: number[] } | null;
  queue: { waiting: number; active: number; oldestMs: number; history: number[] } | null;
  roles: RoleView[];
  hostCores: number | null;
  events: { atMs: number; text: string }[];
}

export interface RoleView {
  role: string;
  instances: number;
  rssMiB: number | null;
  cpuCores: number | null;
  eventLoopLagMs: number | null;
}

/** Older than this, it is no longer so: an instance has ended, or its sampler fails. */
const FRESH_MS = 3_500;
const RATE_OVER_MS = 5_000;
const HISTORY = 30;

/** The last minute of what was sampled, and the last events. */
export interface LastMinute {
  series(): Series[];
  readonly events: View['events'];
}

export function viewOf(latest: LastMinute, nowMs: number): View {
  const series = latest.series();
  return {
    executions: executionsOf(series, nowMs),
    queue: queueOf(series, nowMs),
    roles: SAMPLED_ROLES.filter((role) => role !== 'generator' && role !== 'host').flatMap((role) =>
      roleOf(series, role, nowMs),
    ),
    hostCores: lastOf(series, 'host', 'cpuCores', nowMs)[0] ?? null,
    events: latest.events,
  };
}

/** In queue mode workers execute, and main counts what it hears of them a second time. */
function executionsOf(series: readonly Series[], nowMs: number): View['executions'] {
  const counted = series.filter(({ metric }) => metric === 'executionsSucceeded');
  if (counted.length === 0) return null;
  const isQueue = counted.some(({ role }) => role === 'worker');
  const ofMetric = (name: Metric): Series[] =>
    series.filter(({ metric, role }) => metric === name && (role === 'worker' || !isQueue));
  const rateAt = (name: Metric, atMs: number): number =>
    ofMetric(name).reduce((sum, { points }) => sum + rateOf(points, atMs), 0);
  return {
    succeededPerSecond: rateAt('executionsSucceeded', nowMs),
    failedPerSecond: rateAt('executionsFailed', nowMs),
    history: Array.from({ length: HISTORY }, (_, index) =>
      rateAt('executionsSucceeded', nowMs - (HISTORY - 1 - index) * 1000),
    ),
  };
}

/** Growth a second over the last seconds; a restart begins anew at 0. */
export function rateOf(points: readonly WatchPoint[], nowMs: number): number {
  const within = points.filter(({ atMs }) => atMs > nowMs - RATE_OVER_MS - 500 && atMs <= nowMs);
  const [first, last] = [within[0], within.at(-1)];
  if (first === undefined || last === undefined || last.atMs === first.atMs) return 0;
  return Math.max(0, (last.value - first.value) / ((last.atMs - first.atMs) / 1000));
}

function queueOf(series: readonly Series[], nowMs: number): View['queue'] {
  const [waiting] = lastOf(series, 'redis', 'queueWaiting', nowMs);
  if (waiting === undefined) return null;
  const points = series.find(({ metric }) => metric === 'queueWaiting')?.points ?? [];
  return {
    waiting,
    active: lastOf(series, 'redis', 'queueActive', nowMs)[0] ?? 0,
    oldestMs: lastOf(series, 'redis', 'queueOldestMs', nowMs)[0] ?? 0,
    history: points.slice(-HISTORY).map(({ value }) => value),
  };
}

function roleOf(series: readonly Series[], role: string, nowMs: number): RoleView[] {
  const rss = lastOf(series, role, 'rssMiB', nowMs);
  const lags = lastOf(series, role, 'eventLoopLagMs', nowMs);
  if (rss.length + lags.length === 0) return [];
  const cpu = lastOf(series, role, 'cpuCores', nowMs);
  const instances = new Set(
    series
      .filter((one) => one.role === role && one.instance !== '' && isFresh(one, nowMs))
      .map(({ instance }) => instance.split('/')[0]),
  );
  return [
    {
      role,
      instances: instances.size,
      rssMiB: rss.length > 0 ? sum(rss) : null,
      cpuCores: cpu.length > 0 ? sum(cpu) : null,
      eventLoopLagMs: lags.length > 0 ? Math.max(...lags) : null,
    },
  ];
}

function lastOf(series: readonly Series[], role: string, metric: Metric, nowMs: number): number[] {
  return series
    .filter((one) => one.role === role && one.metric === metric && isFresh(one, nowMs))
    .map(({ points }) => points.at(-1)?.value ?? 0);
}

const isFresh = ({ points }: Series, nowMs: number): boolean =>
  (points.at(-1)?.atMs ?? 0) >= nowMs - FRESH_MS;

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

export interface WatchPoint {
  atMs: number;
  value: number;
}

export interface Series {
  role: string;
  instance: string;
  metric: string;
  /** Oldest first; those of the last minute. */
  points: WatchPoint[];
}
