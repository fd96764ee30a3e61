import type { Role, Topology } from '../plan/topology';
import type { Evidence } from './evidence';

/** Share of a capacity that is planned with; the rest is for noise, deploys and a busy minute. */
export const PLANNED_SHARE = 0.8;
/** The fit of workers is trusted no further than this multiple of what was measured. */
const MOST_EXTRAPOLATION = 3;
/** n8n 2.x did not start with 512 MiB, and a Code node killed the pod with 1 GiB and no caps. */
const LEAST_MEMORY_MIB = 1024;
/** Above the highest memory seen: the load of a test is kinder than a year of production. */
const MEMORY_ROOM = 1.3;
const CPU_STEP = 50;
const MEMORY_STEP = 128;

export interface SizedRole {
  role: Role;
  instances: number;
  cpuMillicores: number | null;
  memoryMiB: number | null;
  /** Where the two figures come from; empty where there are none. */
  why: { cpu: string; memory: string };
}

export interface Sizing {
  evidence: Evidence;
  wantedPerSecond: number;
  /** At which the SLO is expected to hold, before the planned share is taken. */
  expectedPerSecond: number;
  /** Whether it is exactly what was measured, or more workers of the same kind. */
  extrapolated: boolean;
  workers: number;
  /** In whose container the task runner lives, as a child. */
  runnerHost: Role;
  roles: SizedRole[];
  /** Cores and GiB that the requests and limits add up to; null where a figure is missing. */
  cost: { cores: number; memoryGiB: number } | null;
}

/** How a topology that was measured is sized for a rate; null when it cannot hold it by what is known. */
export function sizingFor(evidence: Evidence, wantedPerSecond: number): Sizing | null {
  const { topology, capacityPerSecond } = evidence;
  const measuredWorkers = topology.mode === 'queue' ? topology.workers.count : 0;
  const fits = wantedPerSecond <= PLANNED_SHARE * capacityPerSecond;
  if (!fits && measuredWorkers === 0) return null;
  const workers = fits
    ? measuredWorkers
    : Math.ceil((measuredWorkers * wantedPerSecond) / (PLANNED_SHARE * capacityPerSecond));
  if (workers > MOST_EXTRAPOLATION * measuredWorkers && measuredWorkers > 0) return null;
  const factor = measuredWorkers > 0 ? workers / measuredWorkers : 1;
  const roles = rolesFor(evidence, wantedPerSecond, workers);
  return {
    evidence,
    wantedPerSecond,
    expectedPerSecond: capacityPerSecond * factor,
    extrapolated: !fits,
    workers,
    runnerHost: runnerHostOf(topology),
    roles,
    cost: costOf(roles),
  };
}

/** The task runner is a child of main, or of each worker in queue mode. */
const runnerHostOf = ({ mode }: Topology): Role => (mode === 'queue' ? 'worker' : 'main');

function rolesFor(
  { topology, at }: Evidence,
  wantedPerSecond: number,
  workers: number,
): SizedRole[] {
  const instances: [Role, number][] =
    topology.mode === 'regular'
      ? [['main', 1]]
      : [
          ['main', 1],
          ['worker', workers],
          ['webhook', topology.webhooks.count],
        ];
  return instances
    .filter(([, count]) => count > 0)
    .map(([role, count]): SizedRole => {
      const seen = at?.roles.filter((r) => r.role === role || r.role === 'runner') ?? [];
      const own = seen.find((r) => r.role === role);
      const runnerHost = runnerHostOf(topology);
      const inside = seen.filter((r) => r.role === role || role === runnerHost);
      const cores = sum(inside.map((r) => r.cpuCoresMean));
      const memory = sum(inside.map((r) => r.rssPeakMiB));
      const measured = own?.instances ?? 1;
      return {
        role,
        instances: count,
        cpuMillicores:
          at === null || cores === null
            ? null
            : roundUp(
                (1000 * cores * wantedPerSecond) / at.ratePerSecond / count / PLANNED_SHARE,
                CPU_STEP,
              ),
        memoryMiB:
          memory === null
            ? null
            : Math.max(LEAST_MEMORY_MIB, roundUp((MEMORY_ROOM * memory) / measured, MEMORY_STEP)),
        why: {
          cpu:
            at === null || cores === null
              ? ''
              : `${cores.toFixed(2)} cores at ${at.ratePerSecond.toFixed(1)}/s in ${at.run}, scaled to ${String(wantedPerSecond)}/s over ${String(count)}, divided by ${String(PLANNED_SHARE)}`,
          memory:
            memory === null
              ? ''
              : `peak of ${(memory / measured).toFixed(0)} MiB in ${at?.run ?? ''}, times ${String(MEMORY_ROOM)}, at least ${String(LEAST_MEMORY_MIB)} MiB`,
        },
      };
    });
}

function costOf(roles: readonly SizedRole[]): Sizing['cost'] {
  if (roles.some((r) => r.cpuMillicores === null || r.memoryMiB === null)) return null;
  return {
    cores: roles.reduce((all, r) => all + ((r.cpuMillicores ?? 0) * r.instances) / 1000, 0),
    memoryGiB: roles.reduce((all, r) => all + ((r.memoryMiB ?? 0) * r.instances) / 1024, 0),
  };
}

/** Null when nothing is known. */
function sum(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length > 0 ? known.reduce((a, b) => a + b, 0) : null;
}

const roundUp = (value: number, step: number): number => Math.ceil(value / step) * step;
