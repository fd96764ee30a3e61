import { donePerSecond } from '../../../analysis/cost';
import { ROLES } from '../../../plan/roles';
import { limitsOfRun } from '../../../analysis/limits/of-run';
import { median } from '../../../analysis/statistics/statistics';
import type { Role, Topology } from '../../../plan/topology';
import { usedAt, type AtCapacity, type FindRecord } from '../../find/record';
import type { Machine, RunRecord } from '../../../record/run-record';
import type { RecordedWorkload } from '../../../plan/recorded';
import type { Uncertain } from './bounds';

/** What a search, or a run at its limit, tells a prediction. */
export interface MeasuredSize {
  source: string;
  startedAt: string;
  workload: RecordedWorkload;
  /** What held at the rate; of a closed loop, how many clients there were. */
  slo: string[];
  topology: Topology;
  machine: Machine;
  ratePerSecond: number;
  /** Mean, with the fewest clients of those that had a slot each: then a slot is held by work, not by waiting. */
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
  const slots = scarcestSlots(search.topology, search)?.count ?? 0;
  const lightest = search.probes
    .filter(({ result, clients = Infinity }) => result !== 'invalid' && clients <= slots)
    .sort((a, b) => (a.clients ?? 0) - (b.clients ?? 0))[0];
  const light = lightest === undefined ? null : (readRun(lightest.run)?.summary.latencyMs ?? null);
  const used = search.atCapacity;
  return {
    source: search.id,
    startedAt: search.startedAt,
    workload: search.workload,
    slo: search.slo.map(({ text }) => text),
    topology: search.topology,
    machine: search.machine,
    ratePerSecond: search.capacity.ratePerSecond,
    lightLatencySeconds: light === null ? null : light.mean / 1000,
    cpuMillisecondsPerRequest: used?.cpuMillisecondsPerRequest ?? null,
    roleCpu: used === null ? {} : roleCpuOf(search.topology, used),
  };
}

/**
 * A closed loop is always at its limit: what it achieved is what its clients can get. Null for an open
 * loop, whose rate was given.
 */
export function measurementOfRun(record: RunRecord): MeasuredSize | null {
  const { topology, profile, summary } = record;
  const ratePerSecond = donePerSecond(summary);
  if (topology === null || profile.loop !== 'closed' || !(ratePerSecond > 0)) return null;
  return {
    source: record.id,
    startedAt: record.startedAt,
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

/** The scarcer of the slots that an execution holds; null where n8n has none. */
export function scarcestSlots(
  topology: Topology,
  { workload, machine }: Pick<MeasuredSize, 'workload' | 'machine'>,
): { name: 'worker slots' | 'runner slots'; count: number } | null {
  const { workerSlots, runnerSlots } = limitsOfRun({
    measured: { fromMs: 0, toMs: 0 },
    topology,
    machine,
    sameMachine: true,
    latencyFloorMs: workload.latencyFloorMs,
    usesRunner: workload.variant !== 'load-target',
  });
  // Only what waits in a Code node by design holds a runner's slot for its whole length.
  const runner = workload.latencyFloorMs > 0 ? runnerSlots : null;
  if (runner !== null && (workerSlots === null || runner < workerSlots)) {
    return { name: 'runner slots', count: runner };
  }
  return workerSlots === null ? null : { name: 'worker slots', count: workerSlots };
}

/** Fewer values than this do not show how far they scatter. */
const MIN_FOR_RANGE = 3;

/** The middle, from the least to the most that was seen; null where nothing was. */
export function seen(values: readonly (number | null)[]): Uncertain | null {
  const known = values.filter((value) => value !== null).filter((value) => value > 0);
  if (known.length === 0) return null;
  const isRange = known.length >= MIN_FOR_RANGE;
  return {
    value: median(known),
    low: isRange ? Math.min(...known) : null,
    high: isRange ? Math.max(...known) : null,
  };
}
