/** Searches of a real n8n, kept with their traces: judged again, and what that costs. */
import { join } from 'node:path';
import { CapacitySearch } from '../../../../../cli/src/features/find/analysis/search';
import type { Estimate } from '../../../../../cli/src/features/find/analysis/estimate';
import { trialsOf } from '../../../../../cli/src/features/find/continue';
import { findRecordSchema, type FindRecord } from '../../../../../cli/src/features/find/record';
import { searchSettings } from '../../../../../cli/src/features/find/settings';
import { readArchive } from '../../../../../cli/src/record/archive';

export interface JudgedAgain {
  workload: string;
  estimate: Estimate;
  /** CPU seconds that a search of these probes takes to propose each of them, to say how far it is, and to answer. */
  estimatorSeconds: number;
  /** CPU seconds of n8n and of the load generator in its probes. */
  searchSeconds: number;
}

export const judgedAgain = (folder: string): JudgedAgain[] =>
  [...readArchive(join(folder, 'searches.jsonl.gz')).values()].map(({ record }) =>
    judge(findRecordSchema.parse(record)),
  );

function judge(record: FindRecord): JudgedAgain {
  const { slo, budgetSeconds, workload, probes } = record;
  const settings = searchSettings({
    ...{ probeSeconds: null, fullSeconds: null, budgetSeconds, slos: slo },
    latencyFloorMs: workload.latencyFloorMs,
  });
  const trials = trialsOf(record);
  const before = process.cpuUsage();
  for (const place of trials.keys()) {
    const search = new CapacitySearch(settings, trials.slice(0, place));
    search.next();
    if (place > 0) search.soFar();
  }
  const estimate = new CapacitySearch(settings, trials).estimate();
  const { user, system } = process.cpuUsage(before);
  const usedMs = probes.flatMap(({ seconds }) => Object.values(seconds?.cpuMs ?? {})).flat();
  return {
    ...{ workload: workload.name, estimate },
    estimatorSeconds: (user + system) / 1e6,
    searchSeconds: usedMs.reduce((sum: number, ms) => sum + (ms ?? 0), 0) / 1_000,
  };
}
