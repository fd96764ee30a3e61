/** The searches that values are made from: read from records, or made now, from the smallest layout up, until one is enough. */
import { isEnough } from '../find/analysis/planned-share';
import { readRecordFolders } from '../../record/archive';
import { foldersOfFinds, readFind } from '../find/read';
import type { BeforeSearch, FindRecord } from '../find/record';
import { evidenceOf, type CapacityEvidence } from './analysis/evidence';
import { CapacitySearch } from '../find/analysis/search';
import { find } from '../find/find';
import type { SearchSettings } from '../find/analysis/types';
import { searchSettings } from '../find/settings';
import { findBundled } from '../../lab/kit';
import { topologySchema, type Topology } from '../../plan/topology';
import type { Progress } from '../../ui/progress';
import { withTargets } from '../../targets/with-targets';
import type { LoadOrder } from './load';
import { reportFiles } from '../../report/files';
import { findDocument } from '../find/report/document';
import { writeBeside } from '../../record/write-beside';

export interface KnownFind {
  record: FindRecord;
  /** Null where the search says nothing that can be built on. */
  evidence: CapacityEvidence | null;
}

/** Every search at or beneath these folders, those of a sweep's cells too. */
export function readFinds(folders: readonly string[]): KnownFind[] {
  return readRecordFolders(folders, (named) => named.flatMap(foldersOfFinds).map(knownFind));
}

function knownFind(folder: string): KnownFind {
  const record = readFind(folder);
  return { record, evidence: evidenceOf(record) };
}

/** A response that takes so long waits rather than computes. */
const WAITING_FLOOR_MS = 1000;
/** The point at which no Code node could kill n8n; the smallest at which heaps were measured. */
const MEMORY_MIB = 1536;

/** One process first, since it is the cheapest; then a queue, whose workers keep to the cores there are. */
export function candidates(latencyFloorMs: number, cores: number): Topology[] {
  const tuning = latencyFloorMs >= WAITING_FLOOR_MS ? 'io-bound' : 'default';
  const limits = { memoryMiB: MEMORY_MIB };
  const workerCounts = [...new Set([1, Math.max(1, Math.floor(cores) - 1)])];
  return [
    topologySchema.parse({ tuning, main: limits }),
    ...workerCounts.map((count) =>
      topologySchema.parse({ mode: 'queue', tuning, main: limits, workers: { ...limits, count } }),
    ),
  ];
}

export interface SearchOrder extends Omit<LoadOrder, 'durationSeconds'> {
  budgetSeconds: number;
  /** What was seen of this machine before; left out where nothing is measured on it. */
  before?: BeforeSearch;
}

/** The searches in the order in which they were made; the last one will do, or none does. */
export async function findEach(
  topologies: readonly Topology[],
  ratePerSecond: number,
  search: (topology: Topology) => Promise<KnownFind | null>,
): Promise<KnownFind[]> {
  const made: KnownFind[] = [];
  for (const topology of topologies) {
    const one = await search(topology);
    if (one === null) break;
    made.push(one);
    if (isEnough(one.evidence?.capacityPerSecond ?? 0, ratePerSecond)) break;
  }
  return made;
}

export const settingsOf = ({
  workload,
  slos,
  budgetSeconds,
}: Pick<SearchOrder, 'workload' | 'slos' | 'budgetSeconds'>): Partial<SearchSettings> =>
  searchSettings({
    ...{ probeSeconds: null, fullSeconds: null, slos, budgetSeconds },
    latencyFloorMs: workload.recorded.latencyFloorMs,
  });

/** Null where it was stopped. */
export async function findOne(
  topology: Topology,
  order: SearchOrder,
  progress: Progress,
  signal: AbortSignal,
): Promise<KnownFind | null> {
  const { workload } = order;
  const target = order.deployer.deploy({
    topology,
    workflows: workload.workflows,
    readyTimeoutMs: order.readyTimeoutMs,
  });
  const settings = settingsOf(order);
  const scripts = findBundled('loadtests', 'load.ts');
  return withTargets(
    [target],
    workload.workflows,
    { tell: progress, signal },
    async ([running]) => {
      const search = new CapacitySearch(settings);
      const { folder, record } = await find(
        running,
        { ...order, scripts, search },
        progress,
        signal,
      );
      if (signal.aborted) return null;
      writeBeside(folder, reportFiles(findDocument(record)));
      return knownFind(folder);
    },
  );
}
