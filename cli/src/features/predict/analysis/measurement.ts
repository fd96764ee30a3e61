import { donePerSecond } from '../../../analysis/cost';
import { ROLES } from '../../../plan/roles';
import { median, type Interval } from '../../../analysis/statistics/statistics';
import type { Role, Topology } from '../../../plan/topology';
import { usedAt, type AtCapacity, type FindRecord } from '../../find/record';
import type { Machine, RunRecord } from '../../../record/run-record';
import type { RecordedWorkload } from '../../../plan/recorded';

/** What a search, or a run at its limit, tells a prediction. */
export interface MeasuredSize {
  source: string;
  workload: RecordedWorkload;
  /** What held at the rate; of a closed loop, how many clients there were. */
  slo: string[];
  topology: Topology;
  machine: Machine;
  ratePerSecond: number;
  /** With the fewest clients that were tried: then a slot is held by work, not by waiting. */
  lightLatencySeconds: number | null;
  cpuMillisecondsPerRequest: number | null;
  /** The same of each role by itself, and of its task runners. */
  roleCpu: Partial<Record<Role, RoleCpu>>;
}

export interface RoleCpu {
  own: number;
  withRunner: number;
}

/** Null where the search came to no capacity, or its target was not ours to lay out. */
export function measurementOf(
  search: FindRecord,
  readRun: (run: string) => RunRecord | null,
): MeasuredSize | null {
  if (search.topology === null || !(search.capacity.ratePerSecond > 0)) return null;
  const lightest = search.probes
    .filter(({ result, clients }) => result !== 'invalid' && clients !== undefined)
    .sort((a, b) => (a.clients ?? 0) - (b.clients ?? 0))[0];
  const light = lightest === undefined ? null : (readRun(lightest.run)?.summary.latencyMs ?? null);
  const used = search.atCapacity;
  return {
    source: search.id,
    workload: search.workload,
    slo: search.slo.map(({ text }) => text),
    topology: search.topology,
    machine: search.machine,
    ratePerSecond: search.capacity.ratePerSecond,
    lightLatencySeconds: light === null ? null : light.p50 / 1000,
    cpuMillisecondsPerRequest: used?.cpuMillisecondsPerRequest ?? null,
    roleCpu: used === null ? {} : roleCpuOf(search.topology, used),
  };
}

/**
 * A closed loop is always at its limit: what it achieved is what so many clients can get. Null for an open
 * loop, whose rate was given.
 */
export function measurementOfRun(record: RunRecord): MeasuredSize | null {
  const { topology, profile, summary } = record;
  const ratePerSecond = donePerSecond(summary);
  if (topology === null || profile.loop !== 'closed' || !(ratePerSecond > 0)) return null;
  return {
    source: record.id,
    workload: record.workload,
    slo: [`${String(profile.clients ?? 0)} clients`],
    topology,
    machine: record.machine,
    ratePerSecond,
    lightLatencySeconds: null,
    cpuMillisecondsPerRequest: summary.cpuMillisecondsPerRequest,
    roleCpu: roleCpuOf(topology, usedAt(record.id, summary)),
  };
}

/** Runners work for those that run executions: workers where there are any. */
function roleCpuOf(
  topology: Topology,
  { ratePerSecond, roles }: AtCapacity,
): MeasuredSize['roleCpu'] {
  const milliseconds = (wanted: string): number =>
    (1000 * (roles.find(({ role }) => role === wanted)?.cpuCoresMean ?? 0)) / ratePerSecond;
  const runs = topology.mode === 'queue' ? 'worker' : 'main';
  const known = ROLES.filter((role) => milliseconds(role) > 0);
  return Object.fromEntries(
    known.map((role) => {
      const own = milliseconds(role);
      return [role, { own, withRunner: own + (role === runs ? milliseconds('runner') : 0) }];
    }),
  );
}

/** The middle, from the least to the most that was seen; null where nothing was. */
export function seen(values: readonly (number | null)[]): Interval | null {
  const known = values.filter((value) => value !== null).filter((value) => value > 0);
  return known.length === 0
    ? null
    : { value: median(known), low: Math.min(...known), high: Math.max(...known) };
}
