import type { Topology } from '../../../plan/topology';
import { workloadName } from '../../../plan/chosen-workload';
import { runAtCapacity, usedAt, type AtCapacity, type FindRecord } from '../../find/record';
import type { Machine, RunRecord } from '../../../record/run-record';

/** What one search has shown about one topology, as far as a recommendation rests on it. */
export interface CapacityEvidence {
  /** Id of the search. */
  source: string;
  /** As nameOf says it. */
  workload: string;
  slo: string[];
  topology: Topology;
  machine: Machine;
  capacityPerSecond: number;
  confirmed: boolean;
  /** Whether a trial has since shown that it holds less than was measured. */
  refuted?: boolean;
  /** Of the run that confirmed the capacity, or of the best that held: what each role used at its rate. */
  at: Omit<AtCapacity, 'cpuMillisecondsPerRequest'> | null;
}

/** Null where the search says nothing that can be built on: no capacity, or a target that was not laid out. */
export function evidenceOf(
  search: FindRecord,
  readRun: (run: string) => RunRecord | null,
): CapacityEvidence | null {
  const { ratePerSecond, low, confirmed } = search.capacity;
  // As the search itself advises: an answer that is not sure counts with its low end.
  const capacityPerSecond = search.verdict === 'found' ? ratePerSecond : low;
  if (search.topology === null || !(capacityPerSecond > 0)) return null;
  return {
    source: search.id,
    workload: workloadName(search.workload),
    slo: search.slo.map(({ text }) => text),
    topology: search.topology,
    machine: search.machine,
    capacityPerSecond,
    confirmed,
    at: search.atCapacity ?? atCapacity(search, readRun),
  };
}

/** Of a search that does not tell it itself; null where its runs were not kept either. */
function atCapacity(
  search: FindRecord,
  readRun: (run: string) => RunRecord | null,
): AtCapacity | null {
  const run = runAtCapacity(search);
  const record = run === null ? null : readRun(run);
  return run === null || record === null ? null : usedAt(run, record.summary);
}

/** The same for searches that repeat each other. */
export const layoutKey = ({ workload, slo, machine, topology }: CapacityEvidence): string =>
  JSON.stringify([workload, slo, machine.cpu, machine.cores, { ...topology, name: undefined }]);

/**
 * Of searches that repeat each other the one in the middle, of an even number the lower: to take the best
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
