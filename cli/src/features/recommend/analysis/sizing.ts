import { isEnough, PLANNED_SHARE } from '../../find/analysis/planned-share';
import type { Role, Topology } from '../../../plan/topology';
import type { CapacityEvidence } from './evidence';
import { workersFor, type WorkerCount } from './scaling';
import { counted, formatNumber, perSecond } from '../../../ui/numbers';

/** n8n 2.x did not start with 512 MiB, and a Code node killed the pod with 1 GiB and no caps. */
const MIN_MEMORY_MIB = 1024;
/** Above the highest memory seen: the load of a test is kinder than a year of production. */
const MEMORY_ROOM = 1.3;
const CPU_STEP = 50;
const MEMORY_STEP = 128;

export interface SizedRole {
  role: Role;
  instances: number;
  cpuMillicores: number | null;
  memoryMiB: number | null;
  /** Sources of the two figures; empty if there are none. */
  why: { cpu: string; memory: string };
}

export interface Sizing {
  evidence: CapacityEvidence;
  wantedPerSecond: number;
  /** At which the SLO is expected to hold, before the planned share is taken. */
  expectedPerSecond: number;
  /** Exactly what was measured; more workers by the scalability law; or merely in proportion. */
  basis: WorkerCount['basis'];
  workers: number;
  workersWhy: string;
  /** In whose container the task runner lives, as a child. */
  runnerHost: Role;
  roles: SizedRole[];
  /** Cores and GiB that the requests and limits add up to; null where a figure is missing. */
  cost: { cores: number; memoryGiB: number } | null;
}

/** How a topology that was measured is sized for a rate; null when it cannot hold it by what is known. */
export function sizingFor(
  evidence: CapacityEvidence,
  all: readonly CapacityEvidence[],
  wantedPerSecond: number,
): Sizing | null {
  const count = countFor(evidence, all, wantedPerSecond);
  if (count === null) return null;
  const roles = rolesFor(evidence, wantedPerSecond, count.workers);
  return {
    evidence,
    wantedPerSecond,
    expectedPerSecond: count.expectedPerSecond,
    basis: count.basis,
    workers: count.workers,
    workersWhy: count.why,
    runnerHost: runnerHostOf(evidence.topology),
    roles,
    cost: costOf(roles),
  };
}

function countFor(
  evidence: CapacityEvidence,
  all: readonly CapacityEvidence[],
  wantedPerSecond: number,
): WorkerCount | null {
  if (evidence.topology.mode === 'queue') return workersFor(evidence, all, wantedPerSecond);
  if (!isEnough(evidence.capacityPerSecond, wantedPerSecond)) return null;
  const expectedPerSecond = evidence.capacityPerSecond;
  return { workers: 0, expectedPerSecond, basis: 'measured', why: '' };
}

/** The task runner is a child of main, or of each worker in queue mode. */
export const runnerHostOf = ({ mode }: Topology): Role => (mode === 'queue' ? 'worker' : 'main');

function rolesFor(
  evidence: CapacityEvidence,
  wantedPerSecond: number,
  workers: number,
): SizedRole[] {
  const { topology } = evidence;
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
    .map(([role, count]) => sizedRole(evidence, role, count, wantedPerSecond));
}

function sizedRole(
  { topology, at }: CapacityEvidence,
  role: Role,
  instances: number,
  wantedPerSecond: number,
): SizedRole {
  const hostsRunner = role === runnerHostOf(topology);
  const inside =
    at?.roles.filter((one) => one.role === role || (hostsRunner && one.role === 'runner')) ?? [];
  const measured = inside.find((one) => one.role === role)?.instances ?? 1;
  const cores = sumOfKnown(inside.map((one) => one.cpuCoresMean));
  // Each instance gets this limit, so the one with the most memory decides.
  const peakMiB = sumOfKnown(
    inside.map(
      ({ rssPeakOfOneMiB: ofOne, rssPeakMiB: ofAll }) =>
        ofOne ?? (ofAll === null ? null : ofAll / measured),
    ),
  );
  const isAverage =
    measured > 1 && inside.some(({ rssPeakOfOneMiB: ofOne }) => ofOne === undefined);
  const average = isAverage
    ? `, an average over ${String(measured)} instances that may hide a larger one`
    : '';
  const unsized = {
    role,
    instances,
    cpuMillicores: null,
    memoryMiB: null,
    why: { cpu: '', memory: '' },
  };
  if (at === null || cores === null || peakMiB === null) return unsized;
  const share = (1000 * cores * wantedPerSecond) / at.ratePerSecond / instances / PLANNED_SHARE;
  return {
    role,
    instances,
    cpuMillicores: Math.max(CPU_STEP, roundUp(share, CPU_STEP)),
    memoryMiB: Math.max(MIN_MEMORY_MIB, roundUp(MEMORY_ROOM * peakMiB, MEMORY_STEP)),
    why: {
      cpu: `${formatNumber(cores)} cores at ${perSecond(at.ratePerSecond)} in ${at.run}, scaled to ${perSecond(wantedPerSecond)} for ${counted(instances, 'instance')}, divided by ${String(PLANNED_SHARE)}`,
      memory: `peak of ${formatNumber(peakMiB)} MiB in ${at.run}${average}, times ${String(MEMORY_ROOM)}, at least ${formatNumber(MIN_MEMORY_MIB)} MiB`,
    },
  };
}

function costOf(roles: readonly SizedRole[]): Sizing['cost'] {
  if (roles.some((r) => r.cpuMillicores === null || r.memoryMiB === null)) return null;
  return {
    cores: roles.reduce((all, r) => all + ((r.cpuMillicores ?? 0) * r.instances) / 1000, 0),
    memoryGiB: roles.reduce((all, r) => all + ((r.memoryMiB ?? 0) * r.instances) / 1024, 0),
  };
}

/** Null when nothing is known. */
export function sumOfKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length > 0 ? known.reduce((a, b) => a + b, 0) : null;
}

const roundUp = (value: number, step: number): number => Math.ceil(value / step) * step;
