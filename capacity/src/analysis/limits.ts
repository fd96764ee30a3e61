import type { Limits } from './bottleneck';
import type { Window } from './metrics';
import type { Role, Topology } from '../plan/topology';
import type { Machine } from '../record/record';
import { heapMiBOf, isLegacy, limitsOf } from '../plan/limits';
import { tuningEnv } from '../plan/tuning-env';

/** n8n's own default for tasks side by side on one runner. */
const RUNNER_SLOTS_DEFAULT = 10;

export interface LimitFacts {
  measured: Window;
  topology: Topology | null;
  machine: Machine;
  /** Whether n8n shares this machine with us. */
  sameMachine: boolean;
  latencyFloorMs: number;
  /** Load Target works in n8n's own process. */
  usesRunner: boolean;
}

/** Where the analysis is to look for what limited a run. */
export function limitsOfRun({
  measured,
  topology,
  machine,
  sameMachine,
  latencyFloorMs,
  usesRunner,
}: LimitFacts): Limits {
  const limits: Limits = {
    measured,
    hostCores: sameMachine ? machine.cores : null,
    cpuCores: {},
    memoryMiB: {},
    heapMiB: {},
    workerSlots: null,
    runnerSlots: null,
    runnerHoldMs: 0,
  };
  if (topology === null) return limits;
  for (const [role, instances] of instancesOf(topology)) {
    const { cpuMillicores, memoryMiB } = limitsOf(topology, role);
    if (cpuMillicores !== undefined) limits.cpuCores[role] = (instances * cpuMillicores) / 1000;
    if (memoryMiB !== undefined) limits.memoryMiB[role] = memoryMiB;
    const heapMiB = heapMiBOf(topology, role);
    if (heapMiB !== null) limits.heapMiB[role] = heapMiB;
  }
  const { count, concurrency } = topology.workers;
  if (topology.mode === 'queue') limits.workerSlots = count * concurrency;
  if (usesRunner && !isLegacy(topology.n8n)) {
    const runners = topology.mode === 'queue' ? count : 1;
    limits.runnerSlots = runners * runnerSlots(topology);
    limits.runnerHoldMs = latencyFloorMs;
  }
  return limits;
}

function instancesOf(topology: Topology): [Role, number][] {
  if (topology.mode === 'regular') return [['main', 1]];
  return [
    ['main', 1],
    ['worker', topology.workers.count],
    ['webhook', topology.webhooks.count],
  ];
}

function runnerSlots(topology: Topology): number {
  const role = topology.mode === 'queue' ? 'worker' : 'main';
  const env = {
    ...tuningEnv(topology, role, isLegacy(topology.n8n)),
    ...topology.env,
    ...limitsOf(topology, role).env,
  };
  return Number(env['N8N_RUNNERS_MAX_CONCURRENCY'] ?? RUNNER_SLOTS_DEFAULT);
}
