import type { Topology } from '../../../plan/topology';
import { workloadName } from '../../../plan/chosen-workload';
import type { AtCapacity, FindRecord } from '../../find/record';
import type { Machine } from '../../../record/run-record';

/** What one search has shown about one topology, as far as a recommendation rests on it. */
export interface CapacityEvidence {
  /** Id of the search. */
  source: string;
  /** The name that nameOf returns. */
  workload: string;
  slo: string[];
  topology: Topology;
  machine: Machine;
  capacityPerSecond: number;
  confirmed: boolean;
  /** Whether a trial has since shown that it holds less than was measured. */
  refuted?: boolean;
  /** Usage of each role in the run that confirmed the capacity, or in the highest that was sustained. */
  at: Omit<AtCapacity, 'cpuMillisecondsPerRequest'> | null;
}

/** Null where the search says nothing that can be built on: no capacity, or a target that was not laid out. */
export function evidenceOf(search: FindRecord): CapacityEvidence | null {
  const { confirmed } = search.capacity;
  // What the search advises: the low end of its interval, at the speed for which it is planned.
  const capacityPerSecond = search.advised.ratePerSecond / search.advised.share;
  if (search.topology === null || !(capacityPerSecond > 0)) return null;
  return {
    source: search.id,
    workload: workloadName(search.workload),
    slo: search.slo.map(({ text }) => text),
    topology: search.topology,
    machine: search.machine,
    capacityPerSecond,
    confirmed,
    at: search.atCapacity,
  };
}

/** The same for searches that repeat each other. */
export const layoutKey = ({ workload, slo, machine, topology }: CapacityEvidence): string =>
  JSON.stringify([workload, slo, machine.cpu, machine.cores, { ...topology, name: undefined }]);

/**
 * The middle one of searches that repeat each other, of an even number the lower: to take the best
 * of them would be to plan with luck.
 */
export function withoutRepeats(evidence: readonly CapacityEvidence[]): CapacityEvidence[] {
  const groups = new Map<string, CapacityEvidence[]>();
  for (const each of evidence) {
    const key = layoutKey(each);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()].flatMap((some) => {
    const sorted = [...some].sort((a, b) => a.capacityPerSecond - b.capacityPerSecond);
    return sorted.slice(Math.floor((sorted.length - 1) / 2)).slice(0, 1);
  });
}
