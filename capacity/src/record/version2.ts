/**
 * Schema version 2 of run.json: the generator's lateness and the cores it could use were not recorded, every
 * arrival was even, and a latency counted from when its request was begun, not from when it was due.
 */
import type { GeneratorSummary, RunRecord } from './record';

interface Version2 {
  summary: { generator: { cpuCores: number; droppedIterations: number; saturated: boolean } };
  profile: RunRecord['profile'];
}

export function runOfVersion2(older: Record<string, unknown>): Record<string, unknown> {
  const { summary, profile } = older as unknown as Version2;
  const { cpuCores, droppedIterations, saturated } = summary.generator;
  const generator: GeneratorSummary = {
    cpuCores,
    coresAvailable: null,
    notSent: droppedIterations,
    latenessMs: null,
    newConnections: null,
    faults: saturated ? ['it was saturated'] : [],
    saturated,
  };
  return {
    ...older,
    schemaVersion: 3,
    profile: profile.loop === 'open' ? { ...profile, arrivals: 'even' } : profile,
    summary: { ...summary, generator },
  };
}
