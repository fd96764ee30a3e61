import { ROLES } from '../../plan/roles';
import { growth, type SampledRole } from '../metrics';
import { highest, rootOf } from './facts';
import { roleName, USED_UP, type Reading, type LimitRow, type Seen } from './row';
import { formatNumber, percent, times } from '../../ui/numbers';

/** Share of the time in which something waited for a disk; databases and page writers wait a little in any run. */
const WAITED_SHARE = 0.5;

export const diskRows: LimitRow[] = [
  {
    role: 'host',
    resource: 'disk',
    name: 'host disk',
    advice: 'use a faster disk, or write less: do not keep successful executions',
    kind: 'work',
    read: readDisk,
  },
];

/** A disk that serves many at once can be busy all the time and have room: what counts is who waits. */
function readDisk({ sampled }: Seen): Reading | null {
  const waited = sampled.mean('host', 'ioPressureShare');
  const busy = sampled.mean('host', 'diskBusyShare');
  if (waited === null && busy === null) return null;
  const parts = [
    ...(busy === null ? [] : [`the busiest disk was busy ${percent(busy)} of the time`]),
    ...(waited === null ? [] : [`processes waited for a disk ${percent(waited)} of the time`]),
  ];
  return {
    utilisation: waited ?? busy ?? 0,
    isUsedUp: waited === null ? (busy ?? 0) >= USED_UP : waited >= WAITED_SHARE,
    evidence: parts.join(', '),
  };
}

/** Memory costs nothing until there is none: unlike a CPU, it is used up only just below its limit. */
const FULL = 0.95;
/** Share of the time in which something waited for memory, while the kernel reclaimed pages. */
const PRESSED_SHARE = 0.2;

const LIMITED = [...ROLES, 'server', 'postgresql', 'redis'] as const;

export const spaceRows: LimitRow[] = [
  ...LIMITED.map((role): LimitRow => ({
    role,
    resource: 'memory',
    name: `${roleName(role)} memory`,
    advice: `raise the memory limit of ${roleName(role)}`,
    kind: 'space',
    read: (seen) => readMemory(role, seen),
  })),
  ...ROLES.map((role): LimitRow => ({
    role,
    resource: 'heap',
    name: `${roleName(role)} heap`,
    advice: `raise the memory limit of ${roleName(role)}, which determines its heap size`,
    kind: 'space',
    read: (seen) => readHeap(role, seen),
  })),
  ...LIMITED.map((role): LimitRow => ({
    role,
    resource: 'open files',
    name: `${roleName(role)} open files`,
    advice: `raise the open-file limit of ${roleName(role)} (ulimit -n), or keep fewer connections open`,
    kind: 'space',
    read: (seen) => readOpenFiles(role, seen),
  })),
  {
    role: 'redis',
    resource: 'maxmemory',
    name: 'Redis maxmemory',
    advice: 'raise maxmemory of Redis',
    kind: 'space',
    read: readMaxmemory,
  },
  {
    role: 'host',
    resource: 'memory',
    name: 'host memory',
    advice: 'give the machine more memory',
    kind: 'space',
    read: readHost,
  },
];

function readMemory(role: SampledRole, { samples, sampled, limits, events }: Seen): Reading | null {
  // Over the whole run: a kill while n8n warmed up matters no less.
  const kills = Math.max(
    growth(samples, { metric: 'oomKills', role }),
    exhausted(events, role, 'memory'),
  );
  if (kills > 0) {
    return {
      utilisation: 1,
      isUsedUp: true,
      evidence: `the kernel killed a ${roleName(role)} process ${times(kills)}, because memory ran out`,
    };
  }
  const inForce = sampled.instances(role, 'groupMemoryLimitMiB');
  const groups = sampled.instances(role, 'groupWorkingSetMiB');
  let found: Reading | null = null;
  for (const [instance, used] of groups.size > 0 ? groups : byProcess(role, sampled)) {
    const limit = inForce.get(instance)?.at(-1) ?? limits.memoryMiB[role];
    if (limit === undefined) continue;
    const peak = highest(used);
    const utilisation = Math.min(1, peak / limit);
    if (found !== null && found.utilisation >= utilisation) continue;
    found = {
      utilisation,
      isUsedUp: utilisation >= FULL,
      evidence: `${instance} reached ${formatNumber(peak)} MiB, and its limit is ${formatNumber(limit)} MiB`,
    };
  }
  return found;
}

/** Memory of a process and its children together, if no groups can be seen. */
function byProcess(role: SampledRole, sampled: Seen['sampled']): Map<string, number[]> {
  const sums = new Map<string, Map<number, number>>();
  const roles: SampledRole[] = role === 'main' || role === 'worker' ? [role, 'runner'] : [role];
  for (const each of roles) {
    for (const { instance, tMs, value } of sampled.of(each, 'rssMiB')) {
      const root = rootOf(instance);
      const second = Math.round(tMs / 1000);
      const bySecond = sums.get(root) ?? new Map<number, number>();
      sums.set(root, bySecond);
      bySecond.set(second, (bySecond.get(second) ?? 0) + value);
    }
  }
  const own = new Set([...sampled.instances(role, 'rssMiB').keys()].map(rootOf));
  return new Map(
    [...sums].filter(([root]) => own.has(root)).map(([root, at]) => [root, [...at.values()]]),
  );
}

function readHeap(role: SampledRole, { sampled, limits, events }: Seen): Reading | null {
  const limit = limits.heapMiB[role];
  const aborts = exhausted(events, role, 'heap');
  if (aborts > 0) {
    const of = limit === undefined ? '' : ` of ${String(limit)} MiB`;
    return {
      utilisation: 1,
      isUsedUp: true,
      evidence: `V8 aborted a process of ${roleName(role)} ${times(aborts)}, because its heap${of} was full`,
    };
  }
  const values = sampled.values(role, 'heapUsedMiB');
  if (limit === undefined || values.length === 0) return null;
  const peak = highest(values);
  return {
    utilisation: Math.min(1, peak / limit),
    isUsedUp: peak >= FULL * limit,
    evidence: `the heap of ${roleName(role)} reached ${formatNumber(peak)} of ${String(limit)} MiB`,
  };
}

/** Processes that ended for want of it, at any time of the run. */
const exhausted = (
  events: Seen['events'],
  role: SampledRole,
  resource: 'memory' | 'heap',
): number =>
  events.filter((event) => event.exhausted?.role === role && event.exhausted.resource === resource)
    .length;

/** The process that is nearest to its limit decides: what it opens beyond it, also a connection, fails. */
function readOpenFiles(role: SampledRole, { sampled }: Seen): Reading | null {
  const allowed = sampled.instances(role, 'openFilesMax');
  let found: Reading | null = null;
  for (const [instance, open] of sampled.instances(role, 'openFiles')) {
    const limit = allowed.get(instance)?.at(-1);
    if (limit === undefined) continue;
    const peak = highest(open);
    const utilisation = Math.min(1, peak / limit);
    if (found !== null && found.utilisation >= utilisation) continue;
    found = {
      utilisation,
      isUsedUp: utilisation >= FULL,
      evidence: `${instance} had ${formatNumber(peak)} open files, and its limit is ${formatNumber(limit)}`,
    };
  }
  return found;
}

function readMaxmemory({ sampled }: Seen): Reading | null {
  const limit = sampled.values('redis', 'redisMemoryMaxMiB').at(-1);
  const used = sampled.values('redis', 'redisMemoryMiB');
  if (limit === undefined || used.length === 0) return null;
  const peak = highest(used);
  return {
    utilisation: Math.min(1, peak / limit),
    isUsedUp: peak >= FULL * limit,
    evidence: `the data in Redis reached ${formatNumber(peak)} MiB, and maxmemory is ${formatNumber(limit)} MiB`,
  };
}

function readHost({ sampled, limits }: Seen): Reading | null {
  const available = sampled.values('host', 'memoryAvailableMiB');
  if (limits.hostMemoryMiB === null || available.length === 0) return null;
  const min = -highest(available.map((value) => -value));
  const utilisation = 1 - min / limits.hostMemoryMiB;
  const pressed = sampled.mean('host', 'memoryPressureShare') ?? 0;
  const waiting =
    pressed < 0.01 ? '' : `, and processes waited for memory ${percent(pressed)} of the time`;
  return {
    utilisation,
    isUsedUp: utilisation >= FULL || pressed >= PRESSED_SHARE,
    evidence: `the machine had ${formatNumber(min)} of its ${formatNumber(limits.hostMemoryMiB)} MiB left${waiting}`,
  };
}
