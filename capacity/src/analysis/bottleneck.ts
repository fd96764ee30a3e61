import type { MetricSample, Summary, Verdict } from '../record/record';
import { figures } from './figures';
import { select, totals, values, type SampledRole, type Window } from './metrics';
import { mean, median } from './statistics';
import { slope } from './trend';

/** What limited a run, and the figures that say so. */
export type Limit = Verdict['limitedBy'];

/** Limits of the topology, as far as they are known. */
export interface Limits {
  measured: Window;
  /** Cores of the machine that everything shares; null for a target whose machine is not seen. */
  hostCores: number | null;
  /** A role's instances together. */
  cpuCores: Partial<Record<SampledRole, number>>;
  /** One instance of a role. */
  memoryMiB: Partial<Record<SampledRole, number>>;
  heapMiB: Partial<Record<SampledRole, number>>;
  /** Jobs that all workers may run at once. */
  workerSlots: number | null;
  /** Tasks that all runners may run at once, and how long one keeps its slot at least. */
  runnerSlots: number | null;
  runnerHoldMs: number;
}

interface Evidence {
  samples: readonly MetricSample[];
  summary: Summary;
  limits: Limits;
}

type Check = (evidence: Evidence) => Limit | null;

/** From here on a resource counts as used up; below it there was still room. */
const USED_UP = 0.9;
const THROTTLED_SHARE = 0.1;
/** Used up for this share of the time, a resource makes many wait, whatever its mean. */
const BUSY_SHARE = 0.4;
/** A loop that answers this late is busy; an idle one is late by a few milliseconds. */
const BUSY_LOOP_LAG_MS = 50;

/**
 * In this order, as the first that holds explains the ones after it: a saturated generator says nothing
 * about the system, a killed process nothing about its queue, full slots explain idle CPUs, and a busy
 * CPU explains a late event loop.
 */
const CHECKS: Check[] = [
  loadGenerator,
  memory,
  runnerSlots,
  workerSlots,
  databasePool,
  cpuLimit,
  redis,
  mainEventLoop,
  hostCpu,
];

export function bottleneck(
  samples: readonly MetricSample[],
  summary: Summary,
  limits: Limits,
  healthy: boolean,
): Limit {
  for (const check of CHECKS) {
    const limit = check({ samples, summary, limits });
    if (limit !== null) return limit;
  }
  if (healthy) {
    return { name: 'nothing', evidence: 'no resource was used up at this load' };
  }
  const what = samples.length === 0 ? 'no samples were taken' : 'no sampled resource was used up';
  return { name: 'unknown', evidence: `${what}, so what limited it lies outside what was seen` };
}

function loadGenerator({ summary: { generator } }: Evidence): Limit | null {
  if (!generator.saturated) return null;
  return {
    name: 'load generator',
    evidence: `it used ${figures(generator.cpuCores)} cores, all that it may, and left out ${String(generator.droppedIterations)} requests`,
  };
}

function memory({ samples, summary, limits }: Evidence): Limit | null {
  const killed = summary.roles.find(({ oomKills }) => oomKills > 0);
  if (killed !== undefined) {
    return {
      name: 'memory',
      evidence: `the kernel killed a process of ${killed.role} ${times(killed.oomKills)} for memory`,
    };
  }
  for (const { role } of summary.roles) {
    const heap = Math.max(...values(samples, { metric: 'heapUsedMiB', role }, limits.measured));
    const heapLimit = limits.heapMiB[role];
    if (heapLimit !== undefined && heap >= 0.95 * heapLimit) {
      return {
        name: 'memory',
        evidence: `the heap of ${role} reached ${figures(heap)} of ${String(heapLimit)} MiB`,
      };
    }
    const rss = Math.max(...values(samples, { metric: 'rssMiB', role }, limits.measured));
    const memoryLimit = limits.memoryMiB[role];
    if (memoryLimit !== undefined && rss >= 0.95 * memoryLimit) {
      return {
        name: 'memory',
        evidence: `${role} reached ${figures(rss)} of ${String(memoryLimit)} MiB`,
      };
    }
  }
  return null;
}

/** A runner has one thread, and a number of tasks that it may hold. Either may be used up. */
function runnerSlots({ samples, summary, limits }: Evidence): Limit | null {
  const busiest = busiestInstance(samples, 'cpuCores', 'runner', limits.measured);
  if (busiest !== null && busiest >= USED_UP) {
    return {
      name: 'runner slots',
      evidence: `a runner used ${figures(busiest)} of its one thread`,
    };
  }
  if (limits.runnerSlots === null || limits.runnerHoldMs === 0) return null;
  const held = (summary.achieved.ratePerSecond * limits.runnerHoldMs) / 1_000;
  const waited = (summary.latencyMs?.p50 ?? 0) > 1.2 * limits.runnerHoldMs;
  if (held < USED_UP * limits.runnerSlots || !(waited || summary.achieved.shareOfOffered < 0.95)) {
    return null;
  }
  return {
    name: 'runner slots',
    evidence: `${figures(held)} tasks of ${figures(limits.runnerHoldMs / 1_000)} s each were under way on ${String(limits.runnerSlots)} slots`,
  };
}

function workerSlots({ samples, limits }: Evidence): Limit | null {
  if (limits.workerSlots === null) return null;
  const active = values(samples, { metric: 'queueActive' }, limits.measured);
  const waiting = totals(samples, { metric: 'queueWaiting' }, limits.measured);
  if (active.length === 0 || waiting.length === 0) return null;
  const full = median(active) >= USED_UP * limits.workerSlots;
  const growing = slope(waiting.map(({ tMs, value }) => ({ x: tMs / 1_000, y: value })));
  const waitingMedian = median(waiting.map(({ value }) => value));
  if (!full || !(growing.low > 0 || waitingMedian >= 1)) return null;
  // Full slots with a busy CPU behind them are a CPU limit: more slots would not help.
  const workerCores = limits.cpuCores.worker;
  const use = mean(
    totals(samples, { metric: 'cpuCores', role: 'worker' }, limits.measured).map(
      ({ value }) => value,
    ),
  );
  const instances = new Set(
    select(samples, { metric: 'cpuCores', role: 'worker' }).map(({ instance }) => instance),
  ).size;
  if (use >= USED_UP * Math.min(workerCores ?? Infinity, Math.max(1, instances))) return null;
  const change =
    growing.low > 0
      ? `grew by ${figures(growing.value)} a second`
      : `stayed at ${figures(waitingMedian)}`;
  return {
    name: 'worker slots',
    evidence: `${figures(median(active))} of ${String(limits.workerSlots)} slots were busy while the jobs waiting ${change}`,
  };
}

function databasePool({ samples, limits }: Evidence): Limit | null {
  const instances = new Set(select(samples, { metric: 'dbPoolActive' }).map((s) => s.instance));
  for (const instance of instances) {
    const at = (metric: 'dbPoolActive' | 'dbPoolMax' | 'dbPoolPending') =>
      values(samples, { metric, instance }, limits.measured);
    const [active, size, pending] = [at('dbPoolActive'), at('dbPoolMax'), at('dbPoolPending')];
    if (active.length === 0 || size.length === 0 || pending.length === 0) continue;
    if (median(active) >= median(size) && median(pending) >= 1) {
      return {
        name: 'database pool',
        evidence: `all ${figures(median(size))} connections were in use and ${figures(median(pending))} requests waited for one`,
      };
    }
  }
  return null;
}

function cpuLimit({ samples, summary, limits }: Evidence): Limit | null {
  for (const { role, throttledShare } of summary.roles) {
    if (role === 'host' || role === 'generator') continue;
    if (throttledShare !== null && throttledShare >= THROTTLED_SHARE) {
      return {
        name: 'CPU limit',
        evidence: `${role} was stopped by its CPU limit in ${figures(throttledShare * 100)} % of the periods`,
      };
    }
    const cores = limits.cpuCores[role];
    const use = totals(samples, { metric: 'cpuCores', role }, limits.measured);
    if (cores !== undefined && use.length > 0) {
      const used = mean(use.map(({ value }) => value));
      if (used >= USED_UP * cores) {
        return {
          name: 'CPU limit',
          evidence: `${role} used ${figures(used)} of the ${figures(cores)} cores that it may`,
        };
      }
    }
  }
  return null;
}

/** Redis works in one thread, so one core is all that it can use. */
function redis({ samples, limits }: Evidence): Limit | null {
  const busiest = busiestInstance(samples, 'cpuCores', 'redis', limits.measured);
  if (busiest === null || busiest < USED_UP) return null;
  return { name: 'redis', evidence: `it used ${figures(busiest)} of its one thread` };
}

function mainEventLoop({ samples, limits }: Evidence): Limit | null {
  const busiest = busiestInstance(samples, 'cpuCores', 'main', limits.measured);
  const lags = values(samples, { metric: 'eventLoopLagMs', role: 'main' }, limits.measured);
  const lag = lags.length > 0 ? median(lags) : null;
  const late = lag !== null && lag >= BUSY_LOOP_LAG_MS;
  if (busiest === null || busiest < (late ? 0.75 : USED_UP)) return null;
  const lateness = lag === null ? '' : ` and its event loop was late by ${figures(lag)} ms`;
  return {
    name: 'main event loop',
    evidence: `main used ${figures(busiest)} of its one thread${lateness}`,
  };
}

/** Work that comes in bursts, as when n8n starts eight processes at once, idles in between. */
function hostCpu({ samples, limits }: Evidence): Limit | null {
  const use = values(samples, { metric: 'cpuCores', role: 'host' }, limits.measured);
  if (limits.hostCores === null || use.length === 0) return null;
  const usedUp = USED_UP * limits.hostCores;
  const cores = `of its ${String(limits.hostCores)} cores`;
  const used = mean(use);
  if (used >= usedUp) {
    return { name: 'host CPU', evidence: `the machine used ${figures(used)} ${cores}` };
  }
  const busyShare = use.filter((cpuCores) => cpuCores >= usedUp).length / use.length;
  if (busyShare < BUSY_SHARE) return null;
  return {
    name: 'host CPU',
    evidence: `the machine used all ${cores} in ${figures(100 * busyShare)} % of the time, ${figures(used)} on average`,
  };
}

/** The mean of the instance that has the highest; null where nothing was sampled. */
function busiestInstance(
  samples: readonly MetricSample[],
  metric: 'cpuCores',
  role: SampledRole,
  window: Window,
): number | null {
  const chosen = select(samples, { metric, role }, window);
  const instances = [...new Set(chosen.map(({ instance }) => instance))];
  if (instances.length === 0) return null;
  return Math.max(
    ...instances.map((instance) =>
      mean(chosen.filter((sample) => sample.instance === instance).map(({ value }) => value)),
    ),
  );
}

function times(count: number): string {
  return count === 1 ? 'once' : `${String(count)} times`;
}
