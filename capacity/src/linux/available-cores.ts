/** How many cores a process may really use: not how many the machine has. */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';

type Read = (file: string) => string | null;

/** The least of its affinity and of every CPU quota from its control group upwards. */
export function availableCores(pid: number | 'self' = 'self', read: Read = readOrNull): number {
  const affinity = affinityOf(read(`/proc/${String(pid)}/status`)) ?? availableParallelism();
  return Math.min(affinity, ...quotas(pid, read));
}

/** `0-1,4` is three. */
function affinityOf(status: string | null): number | null {
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(status ?? '')?.[1];
  if (list === undefined) return null;
  return list.split(',').reduce((sum, range) => {
    const [first, last = first] = range.split('-').map(Number);
    return sum + (last ?? 0) - (first ?? 0) + 1;
  }, 0);
}

function quotas(pid: number | 'self', read: Read): number[] {
  const mounts = (read('/proc/mounts') ?? '').split('\n').map((line) => line.split(' '));
  const lines = (read(`/proc/${String(pid)}/cgroup`) ?? '').split('\n');
  return lines.flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (path === undefined) return [];
    const isV2 = controllers === '';
    if (!isV2 && !(controllers ?? '').split(',').includes('cpu')) return [];
    const mount = mounts.find(([, , type, options]) =>
      isV2 ? type === 'cgroup2' : type === 'cgroup' && options?.split(',').includes('cpu'),
    )?.[1];
    return mount === undefined ? [] : quotasUpwards(mount, path, isV2, read);
  });
}

function quotasUpwards(mount: string, path: string, isV2: boolean, read: Read): number[] {
  const found: number[] = [];
  for (let at = path; ; at = dirname(at)) {
    const group = join(mount, at);
    const quota = isV2 ? quotaV2(group, read) : quotaV1(group, read);
    if (quota !== null) found.push(quota);
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

/** v2 writes "no quota" as `max`, v1 as -1. */
function cores(quotaUs: number | undefined, periodUs: number | undefined): number | null {
  const share = (quotaUs ?? NaN) / (periodUs ?? NaN);
  return Number.isFinite(share) && share > 0 ? share : null;
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
