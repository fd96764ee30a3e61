/** From the record of a probe to what can be replayed of it. Pure. */
import { isRole, LOADED_ROLES, type SampledRole } from '../../../plan/roles';
import { mean } from '../../../analysis/statistics/statistics';
import { limitsOf, type Topology } from '../../../plan/topology';
import type { Limit, Machine } from '../../../record/run-record';
import { busiestRole } from '../analysis/machine-speed';
import type { ProbeTrace } from '../analysis/virtual-queue/trace';
import type { FindProbe } from '../record';
import { requestTimes } from './requests';
import type { ProbeSeconds } from './seconds';

/** The machine and the layout that the probes ran on. */
export interface Surroundings {
  topology: Topology | null;
  machine: Machine;
}

/** The resource whose CPU decides. */
export interface Critical {
  resource: Limit;
  /** Instances that serve side by side. */
  servers: number;
  /** Cores that each of them may use: 1, except under a CPU limit or beside others that use the machine all the time. */
  coresOfEach: number;
}

const HOST_CPU = { role: 'host', resource: 'CPU' } as const;

/** Cores that are used up are in use for this share of a probe at least. */
const USED_UP = 0.85;

/**
 * The cores of the machine where probes were limited by them and used them up, as n8n's stores then share them; else the
 * processes of the role that is busiest. Null where no CPU was seen.
 */
export function criticalOf(
  probes: readonly FindProbe[],
  { topology, machine }: Surroundings,
): Critical | null {
  const costs = probes.flatMap(({ cpuPerRequest }) => cpuPerRequest ?? []);
  const role = busiestRole(costs);
  if (role === null) return null;
  if (isLimitedByHost(probes) && maxHostShare(probes, machine.cores) >= USED_UP) {
    const cores = coresLeft(probes, machine.cores);
    const servers = Math.max(1, Math.round(cores));
    return { resource: HOST_CPU, servers, coresOfEach: cores / servers };
  }
  const instances = costs.flatMap(({ roles }) => roles).filter((one) => one.role === role);
  const servers = Math.max(1, ...instances.map((one) => one.instances));
  const limit = topology !== null && isRole(role) ? limitsOf(topology, role).cpuMillicores : null;
  const coresOfEach = Math.min(1, (limit ?? 1_000) / 1_000);
  const resource = coresOfEach < 1 ? 'CPU limit' : 'event loop';
  return { resource: { role, resource }, servers, coresOfEach };
}

/** Most of the probes that were limited by any CPU were limited by that of the machine. */
function isLimitedByHost(probes: readonly FindProbe[]): boolean {
  const limits = probes.flatMap(({ limitedBy }) => limitedBy.limit ?? []);
  const byHost = limits.filter(({ role, resource }) => role === 'host' && resource === 'CPU');
  const byRole = limits.filter(
    ({ role, resource }) =>
      role !== 'host' && (resource === 'event loop' || resource === 'CPU limit'),
  );
  return byHost.length > byRole.length;
}

/** The share of all cores that was in use in the probe that used most; as much as can be where that was not seen. */
function maxHostShare(probes: readonly FindProbe[], cores: number): number {
  const shares = probes.flatMap(({ seconds }) => {
    // The first second is the start.
    const used = (seconds?.hostCpuMs ?? []).slice(1).flatMap((ms) => ms ?? []);
    return used.length === 0 ? [] : [mean(used) / 1_000 / cores];
  });
  return shares.length === 0 ? 1 : Math.max(...shares);
}

/** Other programs use up to this share of the cores on every machine. */
const NEGLIGIBLE_SHARE = 0.1;
/** The system has some of the machine, whatever others take. */
const MIN_CORES = 0.1;

/** The cores that other programs leave to the system, over all probes; in seconds that are left out, they do not count. */
function coresLeft(probes: readonly FindProbe[], cores: number): number {
  const used = probes.flatMap(({ seconds, leftOut = [] }) =>
    (seconds?.othersMs ?? []).flatMap((ms, second) =>
      ms === null || leftOut.some(({ from, to }) => from <= second && second < to) ? [] : [ms],
    ),
  );
  const others = used.length === 0 ? 0 : mean(used) / 1_000;
  return others < NEGLIGIBLE_SHARE * cores ? cores : Math.max(MIN_CORES, cores - others);
}

/** With more seconds unseen, a replay would be of a guess. */
const MAX_UNSEEN = 0.1;

/** Null where its requests or their CPU are not known one by one. */
export function traceOf(probe: FindProbe, critical: Critical | null): ProbeTrace | null {
  const { seconds, requests, durationSeconds, endedAfterSeconds, leftOut = [] } = probe;
  if (critical === null || seconds === undefined || requests === undefined) return null;
  const times = requestTimes(requests);
  const cpu = cpuOf(seconds, critical);
  if (times === null || cpu === null) return null;
  return {
    ratePerSecond: probe.ratePerSecond ?? null,
    plannedSeconds: durationSeconds,
    seconds: endedAfterSeconds ?? durationSeconds,
    due: times.dueMs.map((ms) => ms / 1_000),
    latency: times.latencyMs.map((ms) => ms / 1_000),
    binSeconds: 1,
    resource: critical.resource,
    servers: critical.servers,
    coresOfEach: critical.coresOfEach,
    cpu,
    done: Float64Array.from(seconds.done),
    disturbed: leftOut,
  };
}

/** The CPU of one instance in each second, as a share of the cores that it may use. */
function cpuOf(seconds: ProbeSeconds, critical: Critical): Float64Array | null {
  const { servers, coresOfEach } = critical;
  const column = columnOf(seconds, critical);
  const unseen = column.filter((ms) => ms === null).length;
  if (column.length === 0 || unseen > MAX_UNSEEN * column.length) return null;
  let before = column.find((ms) => ms !== null) ?? 0;
  return Float64Array.from(column, (ms) => {
    before = ms ?? before;
    return before / 1_000 / servers / coresOfEach;
  });
}

type Column = readonly (number | null)[];

/**
 * The CPU time of all threads of a role: a request also waits for what SQLite and V8 do for it on threads of their own.
 * With the event loop alone, an n8n under full load seems to use three quarters of it.
 */
function columnOf({ cpuMs }: ProbeSeconds, { resource: { role } }: Critical): Column {
  if (role !== 'host') return cpuMs[role] ?? [];
  const all = Object.entries(cpuMs).filter(([name]) => isOfSystem(name));
  const [first = []] = all.map(([, column]) => column);
  return first.map((_, at) => sum(all.map(([, column]) => column[at] ?? null)));
}

const STORES: readonly SampledRole[] = ['postgresql', 'redis', 'balancer'];
const SYSTEM: ReadonlySet<string> = new Set([...LOADED_ROLES, ...STORES]);
const isOfSystem = (role: string): boolean => SYSTEM.has(role);

const sum = (values: readonly (number | null)[]): number | null =>
  values.includes(null) ? null : values.reduce((total: number, value) => total + (value ?? 0), 0);
