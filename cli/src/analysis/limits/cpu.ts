import { LOADED_ROLES, ROLES } from '../../plan/roles';
import type { SampledRole } from '../metrics';
import { mean } from '../statistics/statistics';
import { rootOf } from './facts';
import { USED_UP, roleName, type Reading, type LimitRow, type Seen } from './row';
import { formatNumber, percent } from '../../ui/numbers';

const THROTTLED_SHARE = 0.1;
/** Used up for this share of the time, a CPU makes many wait, whatever its mean. */
const BUSY_SHARE = 0.4;
/** Such a share of the time waiting for a CPU is one that was missing, though the mean left some idle. */
const WAITED_SHARE = 0.2;
const USED_UP_WHEN_WAITING = 0.75;

/** n8n's roles first; a runner of n8n's own is within the group of its parent. */
const LIMITED = [...ROLES, 'server', 'postgresql', 'redis', 'balancer', 'upstream'] as const;

export const cpuRows: LimitRow[] = [
  ...LIMITED.map((role): LimitRow => ({
    role,
    resource: 'CPU limit',
    name: `${roleName(role)} CPU limit`,
    advice: `raise the CPU limit of ${roleName(role)}`,
    kind: 'work',
    read: (seen) => readLimit(role, seen),
  })),
  {
    role: 'host',
    resource: 'CPU',
    name: 'host CPU',
    advice: 'give the machine more cores, or run nothing else on it',
    kind: 'shared',
    read: readHost,
  },
];

/** Reading of the instance that comes nearest to its limit. */
function readLimit(role: SampledRole, seen: Seen): Reading | null {
  const { sampled, limits } = seen;
  const throttled = sampled.instances(role, 'throttledShare');
  const inForce = sampled.instances(role, 'groupCpuLimitCores');
  const used = coresByInstance(role, seen);
  let found: (Reading & { max: number }) | null = null;
  for (const [instance, cores] of used) {
    const limit = inForce.get(instance)?.at(-1) ?? limits.cpuCores[role];
    const stopped = throttled.has(instance) ? mean(throttled.get(instance) ?? []) : 0;
    if (limit === undefined && stopped === 0) continue;
    const use = limit === undefined ? 0 : cores / limit;
    const max = Math.max(use, stopped);
    if (found !== null && found.max >= max) continue;
    const usedText =
      limit === undefined
        ? `${instance} used ${formatNumber(cores)} cores`
        : `${instance} used ${formatNumber(cores)} of the ${formatNumber(limit)} cores of its limit`;
    found = {
      max,
      utilisation: Math.min(1, max),
      isUsedUp: use >= USED_UP || stopped >= THROTTLED_SHARE,
      evidence:
        stopped === 0
          ? usedText
          : `${usedText} and was throttled in ${percent(stopped)} of the periods`,
    };
  }
  if (found === null) return null;
  const { utilisation, isUsedUp, evidence } = found;
  return { utilisation, isUsedUp, evidence };
}

/** Exact where there are control groups; else the sum of the processes seen, runners of theirs included. */
function coresByInstance(role: SampledRole, { sampled }: Seen): Map<string, number> {
  const exact = sampled.instances(role, 'groupCpuCores');
  if (exact.size > 0) {
    return new Map([...exact].map(([instance, cores]) => [instance, mean(cores)]));
  }
  const roots = new Set([...sampled.instances(role, 'cpuCores').keys()].map(rootOf));
  return new Map(
    [...roots].map((root) => [
      root,
      (sampled.total(role, 'cpuCores', root) ?? 0) +
        (role === 'main' || role === 'worker'
          ? (sampled.total('runner', 'cpuCores', root) ?? 0)
          : 0),
    ]),
  );
}

/** Work that comes in bursts, as when n8n starts eight processes at once, idles in between. */
function readHost(seen: Seen): Reading | null {
  const { sampled, limits } = seen;
  const use = sampled.values('host', 'cpuCores');
  if (limits.hostCores === null || use.length === 0) return null;
  const cores = limits.hostCores;
  const used = mean(use);
  const busyShare = use.filter((at) => at >= USED_UP * cores).length / use.length;
  const waited = Math.max(...LOADED_ROLES.map((role) => sampled.mean(role, 'loopWaitShare') ?? 0));
  const isWaitedFor = waited >= WAITED_SHARE && used >= USED_UP_WHEN_WAITING * cores;
  const ofCores = `of its ${String(cores)} cores`;
  const steadily =
    used >= USED_UP * cores || busyShare < BUSY_SHARE
      ? `the machine used ${formatNumber(used)} ${ofCores}`
      : `the machine used all ${ofCores} for ${percent(busyShare)} of the time, and ${formatNumber(used)} on average`;
  const waiting =
    waited < 0.05
      ? ''
      : `, and the loaded processes waited for a CPU ${percent(waited)} of the time`;
  const users = biggestUsers(seen);
  return {
    utilisation: Math.min(1, used / cores),
    isUsedUp: used >= USED_UP * cores || busyShare >= BUSY_SHARE || isWaitedFor,
    evidence: `${steadily}${users}${waiting}`,
  };
}

/** Who used the machine: ` (main 0.9, PostgreSQL 0.6)`. */
function biggestUsers({ sampled, summary }: Seen): string {
  const known: [string, number][] = ALL_USERS.map((role): [string, number] => [
    roleName(role),
    sampled.total(role, 'cpuCores') ?? 0,
  ]);
  const generator = summary.generator.cpuCores;
  const others = (sampled.mean('host', 'cpuCores') ?? 0) - sum(known) - generator;
  const all: [string, number][] = [
    ...known,
    ['the load generator', generator],
    ['something else', known.length > 0 ? others : 0],
  ];
  const named = all
    .filter(([, cores]) => cores >= 0.05)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 4)
    .map(([name, cores]) => `${name} ${formatNumber(cores)}`);
  return named.length === 0 ? '' : ` (${named.join(', ')})`;
}

const ALL_USERS: SampledRole[] = [...LIMITED, 'runner'];

const sum = (all: readonly [string, number][]): number =>
  all.reduce((total, [, cores]) => total + cores, 0);
