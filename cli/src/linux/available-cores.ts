/** How many cores a process may really use: not how many the machine has. */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';

type Read = (file: string) => string | null;

/** What a process may use of the CPUs of its machine, and how much of that is in use. */
export interface CpuAllowance {
  cores: number;
  /** CPUs that it may run on, by number; null where the kernel does not say. */
  cpus: ReadonlySet<number> | null;
  /** CPU time used so far by a control group whose quota is below those CPUs; null otherwise. */
  quota: CpuQuota | null;
}

/** The CPU limit of a control group. */
export interface CpuQuota {
  usedMs(): number | null;
  /** Its periods so far, and those in which it was stopped; null where they are not counted. */
  periods(): { all: number; stopped: number } | null;
}

/** The least of its affinity and of every CPU quota from its control group upwards. */
export const availableCores = (pid: number | 'self' = 'self', read: Read = readOrNull): number =>
  cpuAllowance(pid, read).cores;

export const cpuAllowance = (
  pid: number | 'self' = 'self',
  read: Read = readOrNull,
): CpuAllowance => allowance(affinityOf(pid, read), pid, read);

/** That of a deployment: the CPUs that any of its processes may run on, within the quota of this process. */
export function allowanceOf(pids: readonly number[], read: Read = readOrNull): CpuAllowance {
  const cpus = new Set(pids.flatMap((pid) => [...(affinityOf(pid, read) ?? [])]));
  return allowance(cpus.size > 0 ? cpus : affinityOf('self', read), 'self', read);
}

function allowance(
  cpus: ReadonlySet<number> | null,
  pid: number | 'self',
  read: Read,
): CpuAllowance {
  const max = cpus?.size ?? availableParallelism();
  const [tightest] = quotas(pid, read).sort((one, other) => one.cores - other.cores);
  return tightest === undefined || tightest.cores >= max
    ? { cores: max, cpus, quota: null }
    : {
        cores: tightest.cores,
        cpus,
        quota: { usedMs: tightest.usedMs, periods: tightest.periods },
      };
}

/** `0-1,4` is three. */
function affinityOf(pid: number | 'self', read: Read): Set<number> | null {
  const status = read(`/proc/${String(pid)}/status`) ?? '';
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1];
  if (list === undefined) return null;
  return new Set(
    list.split(',').flatMap((range) => {
      const [first = 0, last = first] = range.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    }),
  );
}

interface Quota extends CpuQuota {
  cores: number;
}

function quotas(pid: number | 'self', read: Read): Quota[] {
  const mounts = (read('/proc/mounts') ?? '').split('\n').map((line) => line.split(' '));
  const mountOf = (controller: string | null): string | undefined =>
    mounts.find(([, , type, options]) =>
      controller === null
        ? type === 'cgroup2'
        : type === 'cgroup' && options?.split(',').includes(controller),
    )?.[1];
  const lines = (read(`/proc/${String(pid)}/cgroup`) ?? '').split('\n');
  return lines.flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (path === undefined) return [];
    const isV2 = controllers === '';
    if (!isV2 && !(controllers ?? '').split(',').includes('cpu')) return [];
    const mount = mountOf(isV2 ? null : 'cpu');
    if (mount === undefined) return [];
    const counted = isV2 ? mount : mountOf('cpuacct');
    return upwards(path).flatMap((at) => {
      const group = join(mount, at);
      const cores = isV2 ? quotaV2(group, read) : quotaV1(group, read);
      if (cores === null) return [];
      const counter = counted === undefined ? null : join(counted, at);
      const usedMs = (): number | null =>
        counter === null ? null : isV2 ? usedMsV2(counter, read) : usedMsV1(counter, read);
      return [{ cores, usedMs, periods: () => periodsOf(group, read) }];
    });
  });
}

/** For `/a/b`: `/a/b`, `/a` and `/`. */
function upwards(path: string): string[] {
  const found: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    found.push(at);
    if (at === '/' || at === '.') return found;
  }
}

function quotaV2(group: string, read: Read): number | null {
  const [max, period] = (read(join(group, 'cpu.max')) ?? '').trim().split(' ').map(Number);
  return cores(max, period);
}

function quotaV1(group: string, read: Read): number | null {
  const value = (name: string): number => Number(read(join(group, name)) ?? NaN);
  return cores(value('cpu.cfs_quota_us'), value('cpu.cfs_period_us'));
}

/** Both versions write them alike. */
function periodsOf(group: string, read: Read): { all: number; stopped: number } | null {
  const text = read(join(group, 'cpu.stat')) ?? '';
  const value = (name: string): number =>
    Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1]);
  const [all, stopped] = [value('nr_periods'), value('nr_throttled')];
  return Number.isNaN(all) || Number.isNaN(stopped) ? null : { all, stopped };
}

function usedMsV2(group: string, read: Read): number | null {
  const microseconds = /^usage_usec (\d+)/m.exec(read(join(group, 'cpu.stat')) ?? '')?.[1];
  return microseconds === undefined ? null : Number(microseconds) / 1e3;
}

function usedMsV1(group: string, read: Read): number | null {
  const nanoseconds = read(join(group, 'cpuacct.usage'));
  return nanoseconds === null ? null : Number(nanoseconds) / 1e6;
}

/** v2 writes "no quota" as `max`, v1 as -1. */
function cores(quotaUs: number | undefined, periodUs: number | undefined): number | null {
  const share = (quotaUs ?? NaN) / (periodUs ?? NaN);
  // To the thousandth, as quotas are given: a third of a core is 33333 of 100000.
  return Number.isFinite(share) && share > 0 ? Math.max(1, Math.round(1000 * share)) / 1000 : null;
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
