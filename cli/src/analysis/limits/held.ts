import { DEFAULT_THROUGHPUT } from '../../../../loadtests/lib/slo';
import { ROLES } from '../../plan/roles';
import type { Limit } from '../../record/run-record';
import type { SampledRole } from '../metrics';
import { mean, median } from '../statistics/statistics';
import { slope } from '../statistics/trend';
import { USED_UP, roleName, type Reading, type LimitRow, type Seen } from './row';
import { duration, formatNumber } from '../../ui/numbers';

/** Waiting longer than it works by this much, an execution stood in line for a slot. */
const WAITED = 1.2;
/** Share of the looks at PostgreSQL at which something waited for a lock. */
const LOCKED_SHARE = 0.5;
/** PostgreSQL refuses from the last one on. */
const CONNECTIONS_FULL = 0.98;

const STORES = new Set<SampledRole>(['postgresql', 'redis', 'host']);

const isWorkOf =
  (...roles: SampledRole[]) =>
  ({ role, kind }: LimitRow): boolean =>
    (kind === 'work' || kind === 'shared') && (roles.includes(role) || STORES.has(role));
/**
 * Slots that are full although each is held no longer than the workload asks for (`readSlots`): only what leaves nothing
 * either explains them, not a CPU limit that is reached now and then.
 */
const leavesNothing = ({ utilisation }: Reading): boolean => utilisation >= USED_UP;
const isDeeper =
  (...resources: Limit['resource'][]) =>
  ({ resource }: LimitRow): boolean =>
    resources.includes(resource);

/** What is held while something else works. Deeper ones explain those above them. */
export const heldRows: LimitRow[] = [
  {
    role: 'worker',
    resource: 'slots',
    name: 'worker slots',
    advice: 'raise the concurrency of the workers, or add a worker',
    kind: 'held',
    explainedBy: (row) =>
      isWorkOf('worker', 'runner', 'upstream')(row) ||
      (row.role === 'worker' && row.resource === 'connection pool') ||
      (row.role === 'runner' && row.resource === 'slots') ||
      isDeeper('connections', 'locks')(row),
    read: readWorkerSlots,
  },
  {
    role: 'runner',
    resource: 'slots',
    name: 'runner slots',
    advice: 'raise the concurrency of the task runners, or add a worker',
    kind: 'held',
    explainedBy: (row, reading) =>
      isWorkOf('main', 'worker', 'runner')(row) && leavesNothing(reading),
    read: ({ summary, limits }) => readSlots(summary, limits.runnerSlots, limits.holdMs, 'tasks'),
  },
  {
    role: 'main',
    resource: 'slots',
    name: 'execution slots',
    advice: 'raise the limit of concurrent executions',
    kind: 'held',
    explainedBy: (row, reading) =>
      (isWorkOf('main', 'runner', 'upstream')(row) && leavesNothing(reading)) ||
      (row.role === 'runner' && row.resource === 'slots') ||
      isDeeper('connection pool', 'connections', 'locks')(row),
    read: ({ summary, limits }) =>
      readSlots(summary, limits.executionSlots, limits.holdMs, 'executions'),
  },
  ...ROLES.map((role): LimitRow => ({
    role,
    resource: 'connection pool',
    name: `${roleName(role)} database pool`,
    advice: `give ${roleName(role)} a larger pool of database connections`,
    kind: 'held',
    explainedBy: (row) => isWorkOf(role)(row) || isDeeper('connections', 'locks')(row),
    read: (seen) => readPool(role, seen),
  })),
  {
    role: 'postgresql',
    resource: 'connections',
    name: 'PostgreSQL connections',
    advice: 'raise max_connections of PostgreSQL, or use smaller pools',
    kind: 'held',
    explainedBy: isDeeper('locks'),
    read: readConnections,
  },
  {
    role: 'postgresql',
    resource: 'locks',
    name: 'PostgreSQL locks',
    advice: 'find out which statements wait for locks in PostgreSQL',
    kind: 'held',
    read: readLocks,
  },
];

function readWorkerSlots({ sampled, limits }: Seen): Reading | null {
  if (limits.workerSlots === null || limits.workerSlots === 0) return null;
  const active = sampled.values('redis', 'queueActive');
  const waiting = sampled.of('redis', 'queueWaiting');
  if (active.length === 0 || waiting.length === 0) return null;
  const busy = median(active);
  const waitingMedian = median(waiting.map(({ value }) => value));
  const growing = slope(waiting.map(({ tMs, value }) => ({ x: tMs / 1_000, y: value })));
  const isWaitedFor = growing.low > 0 || waitingMedian >= 1;
  const change =
    growing.low > 0
      ? `the number of waiting jobs grew by ${formatNumber(growing.value)} per second`
      : `${formatNumber(waitingMedian)} jobs waited`;
  return {
    utilisation: Math.min(1, busy / limits.workerSlots),
    isUsedUp: busy >= USED_UP * limits.workerSlots && isWaitedFor,
    evidence: `${formatNumber(busy)} of ${String(limits.workerSlots)} slots were busy while ${change}`,
  };
}

/** Nobody counts these slots; what is known is how long each is held at the least. */
function readSlots(
  { achieved, latencyMs }: Seen['summary'],
  slots: number | null,
  holdMs: number,
  what: string,
): Reading | null {
  if (slots === null || slots === 0 || holdMs === 0) return null;
  const held = (achieved.ratePerSecond * holdMs) / 1_000;
  const waited =
    (latencyMs?.p50 ?? 0) > WAITED * holdMs || achieved.shareOfOffered < DEFAULT_THROUGHPUT.bound;
  return {
    utilisation: Math.min(1, held / slots),
    isUsedUp: held >= USED_UP * slots && waited,
    evidence: `${formatNumber(held)} ${what} of ${duration(holdMs)} each were under way on ${String(slots)} slots`,
  };
}

function readPool(role: SampledRole, { sampled }: Seen): Reading | null {
  let found: Reading | null = null;
  for (const [instance, active] of sampled.instances(role, 'dbPoolActive')) {
    const at = (metric: 'dbPoolMax' | 'dbPoolPending' | 'dbPoolAcquireMs'): number[] =>
      sampled.instances(role, metric).get(instance) ?? [];
    const [size, pending, acquire] = [at('dbPoolMax'), at('dbPoolPending'), at('dbPoolAcquireMs')];
    if (size.length === 0 || pending.length === 0) continue;
    const max = median(size);
    const utilisation = Math.min(1, mean(active) / max);
    if (found !== null && found.utilisation >= utilisation) continue;
    const waited =
      acquire.length === 0
        ? ''
        : `; on average, a request waited ${formatNumber(mean(acquire))} ms`;
    found = {
      utilisation,
      isUsedUp: median(active) >= max && mean(pending) >= 1,
      evidence: `${formatNumber(mean(active))} of the ${formatNumber(max)} database connections of ${instance} were in use, and ${formatNumber(mean(pending))} requests waited for a free one${waited}`,
    };
  }
  return found;
}

function readConnections({ sampled }: Seen): Reading | null {
  const used = sampled.mean('postgresql', 'dbConnections');
  const max = sampled.values('postgresql', 'dbConnectionsMax').at(-1);
  if (used === null || max === undefined) return null;
  const utilisation = Math.min(1, used / max);
  return {
    utilisation,
    isUsedUp: utilisation >= CONNECTIONS_FULL,
    evidence: `${formatNumber(used)} of the ${formatNumber(max)} connections of PostgreSQL were taken`,
  };
}

function readLocks({ sampled }: Seen): Reading | null {
  const waiting = sampled.values('postgresql', 'dbLocksWaiting');
  const active = sampled.mean('postgresql', 'dbActiveConnections');
  if (waiting.length === 0 || active === null) return null;
  const waited = mean(waiting);
  const share = waiting.filter((value) => value > 0).length / waiting.length;
  const utilisation = active === 0 ? 0 : Math.min(1, waited / Math.max(active, waited));
  return {
    utilisation,
    isUsedUp: utilisation >= 0.5 && share >= LOCKED_SHARE,
    evidence: `${formatNumber(waited)} of ${formatNumber(active)} active connections waited for a lock`,
  };
}
