import { heapMiBOf, variablesOf } from '../../plan/chart-values';
import { supports } from '../../plan/environment';
import { limitsOf, type Topology } from '../../plan/topology';
import { dueBetween } from '../../../../loadtests/lib/due';
import { ROLES } from '../../plan/roles';
import type { Machine, RecordedProfile } from '../../record/run-record';
import type { Window } from '../metrics';
import type { LimitsInForce } from './facts';

/** n8n's own default for tasks side by side on one runner. */
const RUNNER_SLOTS_DEFAULT = 10;

export interface TopologyFacts {
  measured: Window;
  topology: Topology | null;
  machine: Machine;
  /** Whether n8n shares this machine with us. */
  sameMachine: boolean;
  latencyFloorMs: number;
  /** Load Target works in n8n's own process. */
  usesRunner: boolean;
}

/** What the topology and the machine allow. */
export function limitsOfRun({
  measured,
  topology,
  machine,
  sameMachine,
  latencyFloorMs,
  usesRunner,
}: TopologyFacts): LimitsInForce {
  const limits: LimitsInForce = {
    measured,
    hostCores: sameMachine ? machine.cores : null,
    hostMemoryMiB: sameMachine ? machine.memoryMiB : null,
    cpuCores: {},
    memoryMiB: {},
    heapMiB: {},
    workerSlots: null,
    executionSlots: null,
    runnerSlots: null,
    holdMs: latencyFloorMs,
  };
  if (topology === null) return limits;
  for (const role of ROLES) {
    const { cpuMillicores, memoryMiB } = limitsOf(topology, role);
    if (cpuMillicores !== undefined) limits.cpuCores[role] = cpuMillicores / 1000;
    if (memoryMiB !== undefined) limits.memoryMiB[role] = memoryMiB;
    const heapMiB = heapMiBOf(topology, role);
    if (heapMiB !== null) limits.heapMiB[role] = heapMiB;
  }
  const runs = topology.mode === 'queue' ? 'worker' : 'main';
  const instances = topology.mode === 'queue' ? topology.workers.count : 1;
  const max = Number(variablesOf(topology, runs)['N8N_CONCURRENCY_PRODUCTION_LIMIT'] ?? -1);
  if (topology.mode === 'queue') {
    // It goes over --concurrency, as n8n has it.
    limits.workerSlots = instances * (max > 0 ? max : topology.workers.concurrency);
  } else if (max > 0) limits.executionSlots = max;
  if (usesRunner && supports(topology.n8n, 'taskRunners')) {
    const slots =
      variablesOf(topology, runs)['N8N_RUNNERS_MAX_CONCURRENCY'] ?? RUNNER_SLOTS_DEFAULT;
    limits.runnerSlots = instances * Number(slots);
  }
  return limits;
}

/** If the rate changes, a run is limited at its highest: samples from this share of that rate on count. */
const NEAR_HIGHEST = 0.9;
const MIN_MS = 5_000;
const STEP_MS = 1_000;

/**
 * The part of the measured time in which the load was at its highest, from its first such second on:
 * all of it where the rate stays the same.
 */
export function atHighestLoad({ fromMs, toMs }: Window, { stages }: RecordedProfile): Window {
  if (stages === undefined) return { fromMs, toMs };
  const rates: { atMs: number; due: number }[] = [];
  for (let atMs = fromMs; atMs + STEP_MS <= toMs; atMs += STEP_MS) {
    rates.push({ atMs, due: dueBetween({ stages }, atMs / 1000, (atMs + STEP_MS) / 1000) });
  }
  const highest = rates.reduce((max, { due }) => Math.max(max, due), 0);
  const high = rates.filter(({ due }) => due >= NEAR_HIGHEST * highest);
  const [first] = high;
  const last = high.at(-1);
  if (first === undefined || last === undefined) return { fromMs, toMs };
  const end = Math.min(toMs, Math.max(last.atMs + STEP_MS, first.atMs + MIN_MS));
  return { fromMs: Math.max(fromMs, Math.min(first.atMs, end - MIN_MS)), toMs: end };
}
