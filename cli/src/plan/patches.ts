import type { TuningValues } from './tuning';

/** What decides whether a patch has anything to change. */
interface Place {
  database: 'sqlite' | 'postgresql';
  isLegacy: boolean;
  /** It hands executions to a queue or takes them from one. */
  isQueue: boolean;
  /** It takes executions from a queue. */
  isWorker: boolean;
}

/** The scripts that Node.js loads before n8n, in the chart's order: charts/n8n-tuned/files/preload. */
export function patchFiles(
  tuning: TuningValues,
  { database, isLegacy, isQueue, isWorker }: Place,
): string[] {
  const files: [string, boolean][] = [
    ['untraced-sqlite.cjs', !tuning.traceSqlite && database === 'sqlite'],
    ['lazy-character-map.cjs', tuning.lazyCharacterMap && !isLegacy],
    ['warm-expressions.cjs', tuning.warmExpressions && !isLegacy],
    ['zone-once.cjs', tuning.zoneOnce && !isLegacy],
    ['session-once.cjs', tuning.sessionOnce && database === 'postgresql' && !isLegacy],
    ['read-once.cjs', tuning.readOnce && !isLegacy],
    ['keep-stalled.cjs', tuning.keepStalled && isQueue && !isLegacy],
    ['requeue-lost.cjs', tuning.requeueLost && isQueue && !isWorker && !isLegacy],
    ['finish-jobs.cjs', tuning.finishJobs && isWorker],
  ];
  return files.flatMap(([file, isWanted]) => (isWanted ? [file] : []));
}
